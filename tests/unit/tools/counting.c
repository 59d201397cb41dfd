// SPDX-License-Identifier: MIT
/*
 * pe-count's reading of the IR: never past the end of what it is given, and with work
 * that grows no faster than a function.
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tools/upmem/count/cost.h"
#include "tools/upmem/count/inside.h"
#include "tools/upmem/count/names.h"

int __real_memcmp(const void *a, const void *b, size_t n);
int __wrap_memcmp(const void *a, const void *b, size_t n);

static uint64_t comparisons;

int __wrap_memcmp(const void *a, const void *b, size_t n)
{
	comparisons++;
	return __real_memcmp(a, b, n);
}

/* What the function costs that the text holds. */
static unsigned long cost_of_text(const char *text, size_t length)
{
	unsigned long sum = 0;
	struct function f;
	struct widths *w;

	/* the first call reads the table of instructions */
	assert_int_equal(pd_cost_check(), 0);
	ir_read_function(text, text + length, &f);
	names_of(&f);
	w = widths_of(&f);
	for (size_t b = 0; b < f.nr; b++)
		for (size_t k = 0; k < f.blocks[b].nr; k++)
			sum += cost_of(&f, b, k, w).instructions;
	widths_free(w);
	names_free(&f);
	ir_free_function(&f);
	return sum;
}

static void test_ends(void **state)
{
	static const char text[] =
		"define void @f() {\n"
		"entry:\n"
		"  call void asm \"nop\", \"\"()\n"
		"  ret void\n"
		"  call void asm \"\", \"\"()\n";

	(void)state;
	/* cut wherever it may be: what reads on does so behind the buffer */
	for (size_t length = strlen("define void @f() {\n"); length < sizeof(text); length++) {
		char *exact = strndup(text, length);

		assert_non_null(exact);
		cost_of_text(exact, length);
		free(exact);
	}
}

/* A function of so many loops of seven instructions, each with a name in all others' scope. */
static char *many_blocks(unsigned int loops, size_t *length)
{
	char *text;
	FILE *f = open_memstream(&text, length);

	assert_non_null(f);
	fputs("define void @f(i32 %n) {\nentry:\n  br label %b0\n\n", f);
	for (unsigned int b = 0; b < loops; b++) {
		fprintf(f, "b%u:                  ; preds = %%b%u\n", b, b);
		fprintf(f, "  %%i%u = phi i32 [ 0, %%b%u ], [ %%next%u, %%b%u ]\n", b, b, b, b);
		fprintf(f, "  %%s%u = mul i32 %%i%u, %%n\n", b, b);
		fprintf(f, "  %%d%u = select i1 true, i32 %%s%u, i32 %%n\n", b, b);
		fprintf(f, "  %%next%u = add i32 %%i%u, 1\n", b, b);
		fprintf(f, "  %%c%u = icmp eq i32 %%next%u, %%d%u\n", b, b, b);
		fprintf(f, "  br i1 %%c%u, label %%b%u, label %%b%u\n\n", b, b, b + 1);
	}
	fprintf(f, "b%u:\n  ret void\n}\n", loops);
	fclose(f);
	return text;
}

/* One block of so many multiplications, each of the one before. */
static char *one_block(unsigned int nr, size_t *length)
{
	char *text;
	FILE *f = open_memstream(&text, length);

	assert_non_null(f);
	fputs("define i32 @f(i32 %v0) {\nentry:\n", f);
	for (unsigned int v = 0; v < nr; v++)
		fprintf(f, "  %%v%u = mul i32 %%v%u, %%v%u\n", v + 1, v, v / 2);
	fprintf(f, "  ret i32 %%v%u\n}\n", nr);
	fclose(f);
	return text;
}

static uint64_t work(char *(*make)(unsigned int nr, size_t *length), unsigned int nr)
{
	size_t length;
	char *text = make(nr, &length);

	comparisons = 0;
	assert_true(cost_of_text(text, length) >= nr);
	free(text);
	return comparisons;
}

static void test_large(void **state)
{
	(void)state;
	/* four times the function is four times the work, and some for the hashes' luck */
	assert_true(work(many_blocks, 4000) < 6 * work(many_blocks, 1000));
	assert_true(work(one_block, 20000) < 6 * work(one_block, 5000));
	/* and in all a few times a line */
	assert_true(work(one_block, 20000) < 20000 * 200);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ends),
	cmocka_unit_test(test_large),
};

UNIT_MAIN(tests)

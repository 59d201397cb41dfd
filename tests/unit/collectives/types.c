// SPDX-License-Identifier: MIT
/*
 * Datatypes: their normal forms, how long they live, which layouts of pairs are kept; and
 * what is refused.
 */
#include <pimdimm/types.h>

#include "collectives/types/type.h"
#include "tests/unit/allocations.h"
#include "tests/unit/unit.h"

static uint8_t mem[1 << 14], got[1 << 14], wide[1 << 20];

static const struct pimtype *f64(void)
{
	return pimtype_basic(PIMTYPE_F64);
}

static void assert_described(const struct pimtype *type, const char *as)
{
	char text[200];

	assert_int_equal(pimtype_describe(type, text, sizeof(text)), strlen(as));
	assert_string_equal(text, as);
}

static void normal_forms(void **state)
{
	struct pimtype *row, *all, *list;
	char few[8];

	(void)state;
	assert_ok(pimtype_vector(4, 3, 3, f64(), &row));
	assert_described(row, "[96] lb 0 extent 96");
	pimtype_free(row);
	assert_ok(pimtype_vector(4, 1, 3, f64(), &row));
	assert_described(row, "4*24:[8] lb 0 extent 80");
	assert_int_equal(pimtype_describe(row, few, sizeof(few)), 23);
	assert_string_equal(few, "4*24:[8");
	/* loops that go on where others end are one */
	assert_ok(pimtype_hvector(5, 1, 96, row, &all));
	pimtype_free(row);
	assert_described(all, "20*24:[8] lb 0 extent 464");
	pimtype_free(all);
	/* a list that is even is a loop, and order is kept */
	assert_ok(pimtype_indexed_block(3, 1, (const int64_t[]){ 9, 7, 5 }, f64(),
					&list));
	assert_described(list, "+72 3*-16:[8] lb 40 extent 40");
	pimtype_free(list);
	assert_ok(pimtype_indexed_block(4, 1, (const int64_t[]){ 1, 2, 9, 4 },
					f64(), &list));
	assert_described(list, "+8 {0:[16], 64:[8], 24:[8]} lb 8 extent 72");
	pimtype_free(list);
	assert_ok(pimtype_contiguous(0, f64(), &list));
	assert_described(list, "[0] lb 0 extent 0");
	pimtype_free(list);
}

/* Runs that touch are one, but are moved by the length that all have in common. */
static void lists_have_a_length(void **state)
{
	const int64_t some[] = { 1, 2, 9, 4 }, most[] = { 1, 2, 3, 4, 5, 6, 9, 4 };
	const struct pt_node *node;
	struct pimtype *list;
	struct pimtype_piece pieces[8];
	size_t nr = ARRAY_SIZE(pieces);

	(void)state;
	assert_ok(pimtype_indexed_block(4, 1, some, f64(), &list));
	node = list->layout.node;
	assert_int_equal(node->kind, PT_BLOCKS);
	assert_int_equal(node->len, 8);
	assert_int_equal(node->n, 4);
	assert_int_equal(node->pieces, 3);
	assert_ok(pimtype_pieces((struct pimtype_part){ 0, 1, list }, 0, pieces, &nr));
	assert_int_equal(nr, 3);
	assert_int_equal(pieces[0].bytes, 16);
	pimtype_free(list);
	/* where that would be many times as many, runs stay as they are */
	assert_ok(pimtype_indexed_block(8, 1, most, f64(), &list));
	node = list->layout.node;
	assert_int_equal(node->kind, PT_LIST);
	assert_int_equal(node->n, 3);
	pimtype_free(list);
}

static void freed_types_live_on(void **state)
{
	struct pimtype *row, *all;
	struct pimtype_stats before, after;
	double from[6] = { 1, 2, 3, 4, 5, 6 }, to[3];
	size_t bytes = sizeof(to);

	(void)state;
	assert_ok(pimtype_stats(&before));
	assert_ok(pimtype_vector(3, 1, 2, f64(), &row));
	assert_ok(pimtype_dup(row, &all));
	pimtype_free(row);
	assert_refused(pimtype_dup(row, &row), EINVAL, "has been freed");
	pimtype_free(row);
	assert_ok(pimtype_pack(from, (struct pimtype_part){ 0, 1, all }, 0, to,
			       &bytes));
	assert_int_equal(bytes, sizeof(to));
	assert_true(to[0] == 1 && to[1] == 3 && to[2] == 5);
	pimtype_free(all);
	assert_ok(pimtype_stats(&after));
	assert_int_equal(before.types, after.types);
	pimtype_free(NULL);
	pimtype_free((struct pimtype *)(uintptr_t)f64());
	assert_int_equal(pimtype_basic(PIMTYPE_F64) == f64(), 1);
}

static void too_large(void **state)
{
	const uint64_t big = UINT64_C(1) << 62;
	struct pimtype *t, *u;
	struct pimtype_part part = { .count = 3 };
	size_t bytes = 1;

	(void)state;
	assert_refused(pimtype_contiguous(big, f64(), &t), EINVAL, "2^63");
	assert_refused(pimtype_contiguous(UINT64_MAX, f64(), &t), EINVAL, "2^63");
	assert_refused(pimtype_vector(big, big, 1, f64(), &t), EINVAL, "2^63");
	assert_refused(pimtype_vector(2, 1, INT64_MAX, f64(), &t), EINVAL, "2^63");
	assert_refused(pimtype_hvector(3, 1, INT64_MIN, f64(), &t), EINVAL, "2^63");
	assert_refused(pimtype_indexed_block(1, 1, (const int64_t[]){ INT64_MAX },
					     f64(), &t), EINVAL, "2^63");
	assert_refused(pimtype_hindexed_block(1, 1, (const int64_t[]){ INT64_MAX },
					      f64(), &t), EINVAL, "2^63");
	assert_refused(pimtype_hindexed_block(
			       2, 1, (const int64_t[]){ INT64_MIN, INT64_MAX - 8 },
			       f64(), &t), EINVAL, "2^63");
	assert_refused(pimtype_resized(f64(), INT64_MAX, 1, &t), EINVAL, "2^63");
	assert_refused(pimtype_subarray(2, (const uint64_t[]){ big, big },
					(const uint64_t[]){ 1, 1 },
					(const uint64_t[]){ 0, 0 },
					PIMTYPE_ORDER_C, f64(), &t),
		       EINVAL, "2^63");
	assert_ok(pimtype_contiguous(big / 8, f64(), &t));
	assert_refused(pimtype_contiguous(2, t, &u), EINVAL, "2^63");
	part.type = t;
	assert_refused(pimtype_pack(NULL, part, 0, &bytes, &bytes), EINVAL, "2^63");
	pimtype_free(t);
	/* what nobody has bytes of may be as large as it likes */
	assert_ok(pimtype_contiguous(0, f64(), &t));
	assert_ok(pimtype_vector(INT64_MAX, 1, INT64_MAX, t, &u));
	pimtype_free(t);
	pimtype_free(u);
}

/* A stride that leads to no other block, and the place of a block of nothing, are any number. */
static void numbers_that_nothing_needs(void **state)
{
	struct pimtype *t, *u;

	(void)state;
	for (uint64_t count = 0; count < 2; count++) {
		assert_ok(pimtype_vector(count, 1, INT64_MIN, f64(), &t));
		assert_described(t, count ? "[8] lb 0 extent 8" : "[0] lb 0 extent 0");
		pimtype_free(t);
	}
	assert_ok(pimtype_hvector(0, INT64_MAX, 1, f64(), &t));
	assert_described(t, "[0] lb 0 extent 0");
	assert_ok(pimtype_hvector(5, 3, INT64_MAX, t, &u));
	assert_described(u, "[0] lb 0 extent 0");
	pimtype_free(u);
	pimtype_free(t);
	assert_ok(pimtype_vector(3, 0, INT64_MAX, f64(), &t));
	assert_described(t, "[0] lb 0 extent 0");
	pimtype_free(t);
	assert_ok(pimtype_indexed(2, (const uint64_t[]){ 0, 1 },
				  (const int64_t[]){ INT64_MAX, 1 }, f64(), &t));
	assert_described(t, "+8 [8] lb 8 extent 8");
	pimtype_free(t);
}

/* around a type: itself, a byte, and itself once more if `twice` */
static int around(struct pimtype *t, int64_t at, bool twice, struct pimtype **new)
{
	const struct pimtype *const olds[] = { t, pimtype_basic(PIMTYPE_BYTE), t };

	return pimtype_struct(3, (const uint64_t[]){ 1, 1, twice },
			      (const int64_t[]){ 0, at + 2, at + 7 }, olds, new);
}

static struct pimtype *nested(bool twice, int *times)
{
	struct pimtype *t, *outer;

	assert_ok(pimtype_vector(2, 1, 3, pimtype_basic(PIMTYPE_BYTE), &t));
	for (*times = 0; *times < 200 && !around(t, *times, twice, &outer);
	     ++*times) {
		pimtype_free(t);
		t = outer;
	}
	return t;
}

static void too_deep(void **state)
{
	struct pimtype *t, *u;
	struct pimtype_piece piece[3];
	size_t nr = 3;
	int times;

	(void)state;
	t = nested(false, &times);
	assert_in_range(times, 50, 70);
	assert_refused(around(t, 0, false, &u), EINVAL, "deep");
	pimtype_free(t);
	/* few nodes, and a tree of 2^60 leaves */
	t = nested(true, &times);
	u = nested(true, &times);
	assert_in_range(times, 50, 70);
	assert_in_range(pimtype_describe(t, NULL, 0), 4000, 40000);
	assert_refused(pimtype_unpack(got, (struct pimtype_part){ 0, 1, t }, 0,
				      mem, 1), EINVAL, "more than once");
	assert_ok(pimtype_pieces((struct pimtype_part){ 0, 1, t },
				 UINT64_C(1) << 59, piece, &nr));
	assert_int_equal(nr, 3);
	assert_int_equal(around(t, 0, true, &u), -EINVAL);
	pimtype_free(u);
	pimtype_free(t);
}

/* Two that are as far apart as numbers go, which are looked at before any byte is moved. */
static void far_apart(void **state)
{
	const int64_t at[] = { 0, 16 };
	struct pimtype_piece pieces[5];
	struct pimtype_part two = { .count = 2 };
	struct pimtype *t, *pair;
	size_t nr = 5;

	(void)state;
	assert_ok(pimtype_resized(f64(), 0, INT64_MIN, &t));
	two.type = t;
	assert_ok(pimtype_unpack(got, two, 0, mem, 0));
	assert_ok(pimtype_pieces(two, 0, pieces, &nr));
	assert_int_equal(nr, 2);
	assert_true(pieces[1].offset == INT64_MIN && pieces[1].bytes == 8);
	pimtype_free(t);
	/* each of several runs */
	assert_ok(pimtype_hindexed(2, (const uint64_t[]){ 1, 2 }, at, f64(), &pair));
	assert_ok(pimtype_resized(pair, 0, INT64_MIN, &t));
	two.type = t;
	nr = 5;
	assert_ok(pimtype_pieces(two, 0, pieces, &nr));
	assert_int_equal(nr, 4);
	assert_true(pieces[3].offset == INT64_MIN + 16 && pieces[3].bytes == 16);
	pimtype_free(pair);
	pimtype_free(t);
}

/* several of a list, between whose runs lie those of the next ones */
static struct pimtype *interlaced(void)
{
	struct pimtype *list, *t;

	assert_ok(pimtype_indexed_block(3, 1, (const int64_t[]){ 0, 6, 13 }, f64(), &list));
	assert_ok(pimtype_resized(list, 0, 8, &t));
	pimtype_free(list);
	return t;
}

static unsigned long requests_of(struct pimtype_part part)
{
	unsigned long requests;
	int ret;

	allocations_start();
	ret = pimtype_unpack(got, part, 0, mem, 8);
	requests = allocations_stop();
	assert_ok(ret);
	return requests;
}

/*
 * Whether such ones have a byte twice takes memory to find out: for the list once for each type,
 * and to mark all bytes once for all that are alike.
 */
static void looked_at_once(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct pimtype *t = interlaced();
		const struct pimtype_part four = { 0, 4, t }, seven = { 0, 7, t };

		assert_int_equal(requests_of(four), i ? 1 : 2);
		assert_int_equal(requests_of(four), 0);
		for (int again = 0; again < 2; again++)
			assert_refused(pimtype_unpack(got, seven, 0, mem, 8), EINVAL,
				       "more than once");
		pimtype_free(t);
	}
}

#define LEVELS	100000

/*
 * Only what is nested once normalised has a limit: structures around structures may be one run,
 * and their elements are known to the last, or to any before.
 */
static void deep_and_flat(void **state)
{
	const uint64_t ones[] = { 1, 1 };
	const int64_t at[] = { 0, 8 };
	const struct pimtype *const bottom[] = { f64(), pimtype_basic(PIMTYPE_I64) };
	struct pimtype *t, *outer;

	(void)state;
	assert_ok(pimtype_struct(2, ones, at, bottom, &t));
	for (int i = 2; i < LEVELS; i++) {
		const struct pimtype *const olds[] = { f64(), t };

		assert_ok(pimtype_struct(2, ones, at, olds, &outer));
		pimtype_free(t);
		t = outer;
	}
	assert_described(t, "[800000] lb 0 extent 800000");
	assert_ok(pimtype_copy(wide, (struct pimtype_part){ 0, 1, t }, mem,
			       (struct pimtype_part){ 0, 9, f64() }));
	assert_refused(pimtype_copy(wide, (struct pimtype_part){ 0, 1, t }, wide,
				    (struct pimtype_part){ 0, LEVELS, f64() }),
		       EPROTO, "signature");
	pimtype_free(t);
}

static void refused(void **state)
{
	const uint64_t one[] = { 1 };
	const int64_t zero[] = { 0 };
	struct pimtype *t;
	struct pimtype_info info;
	const struct pimtype *null = NULL;
	size_t nr = 1;

	(void)state;
	assert_null(pimtype_basic((enum pimtype_basic)99));
	assert_refused(pimtype_contiguous(1, NULL, &t), EINVAL, "old is NULL");
	assert_refused(pimtype_contiguous(1, f64(), NULL), EINVAL, "type is NULL");
	assert_refused(pimtype_indexed(1, NULL, zero, f64(), &t), EINVAL,
		       "blocklengths is NULL");
	assert_refused(pimtype_indexed(1, one, NULL, f64(), &t), EINVAL,
		       "displacements is NULL");
	assert_refused(pimtype_struct(1, one, zero, &null, &t), EINVAL, "olds");
	assert_refused(pimtype_struct(1, one, zero, NULL, &t), EINVAL, "olds");
	assert_refused(pimtype_subarray(0, one, one, one, PIMTYPE_ORDER_C, f64(),
					&t), EINVAL, "ndims=0");
	assert_refused(pimtype_subarray(1, one, one, one, PIMTYPE_ORDER_C, f64(),
					&t), EINVAL, "starts=1");
	assert_refused(pimtype_subarray(1, one, one, (const uint64_t[]){ 0 },
					(enum pimtype_order)7, f64(), &t),
		       EINVAL, "order=7");
	assert_refused(pimtype_darray(2, 0, 1, one,
				      (const enum pimtype_distribution[]){
					      PIMTYPE_DISTRIBUTE_NONE },
				      (const uint64_t[]){ 0 },
				      (const uint64_t[]){ 2 }, PIMTYPE_ORDER_C,
				      f64(), &t), EINVAL, "psizes=2");
	assert_refused(pimtype_darray(2, 2, 1, one,
				      (const enum pimtype_distribution[]){
					      PIMTYPE_DISTRIBUTE_BLOCK },
				      (const uint64_t[]){ 0 },
				      (const uint64_t[]){ 2 }, PIMTYPE_ORDER_C,
				      f64(), &t), EINVAL, "rank=2");
	assert_refused(pimtype_info(NULL, &info), EINVAL, "type is NULL");
	assert_refused(pimtype_info(f64(), NULL), EINVAL, "info is NULL");
	assert_refused(pimtype_pieces((struct pimtype_part){ 0, 1, NULL }, 0, NULL,
				      &nr), EINVAL, "part: type is NULL, expected one for count=1");
	assert_refused(pimtype_pieces((struct pimtype_part){ 0, 1, f64() }, 0, NULL,
				      &nr), EINVAL, "pieces is NULL");
	assert_refused(pimtype_pieces((struct pimtype_part){ 0, 1, f64() }, 9, NULL,
				      NULL), EINVAL, "nr is NULL");
	assert_refused(pimtype_pack(mem, (struct pimtype_part){ 0, 1, f64() }, 9,
				    got, &nr), EINVAL, "position=9");
	nr = 0;
	assert_ok(pimtype_pieces((struct pimtype_part){ 0, 0, NULL }, 0, NULL, &nr));
}

static void what_does_not_agree(void **state)
{
	const struct pimtype *i64 = pimtype_basic(PIMTYPE_I64);
	const struct pimtype *packed = pimtype_basic(PIMTYPE_PACKED);
	const struct pimtype_part doubles = { 0, 4, f64() };

	(void)state;
	assert_refused(pimtype_copy(got, doubles, mem,
				    (struct pimtype_part){ 0, 5, f64() }),
		       EMSGSIZE, "from has 40 bytes");
	assert_refused(pimtype_copy(got, doubles, mem,
				    (struct pimtype_part){ 0, 4, i64 }),
		       EPROTO, "signature");
	assert_refused(pimtype_copy(got, doubles, mem, (struct pimtype_part){
			       0, 3, pimtype_basic(PIMTYPE_F32) }),
		       EPROTO, "ends inside");
	/* shorter ones are fine, and PACKED is everything */
	memset(got, 0, 64);
	assert_ok(pimtype_copy(got, doubles, mem,
			       (struct pimtype_part){ 8, 3, f64() }));
	assert_memory_equal(got, mem + 8, 24);
	assert_int_equal(got[24] | got[31], 0);
	assert_ok(pimtype_copy(got, doubles, mem,
			       (struct pimtype_part){ 0, 32, packed }));
	assert_ok(pimtype_copy(got, (struct pimtype_part){ 0, 40, packed }, mem,
			       doubles));
}

/* one pair of vectors, of blocks of so many doubles, n in all; made anew each time */
static void copy_vectors(uint64_t a, uint64_t b, uint64_t n)
{
	struct pimtype *to, *from;

	assert_ok(pimtype_vector(n / a, a, (int64_t)a + 1, f64(), &to));
	assert_ok(pimtype_vector(n / b, b, (int64_t)b + 2, f64(), &from));
	assert_ok(pimtype_copy(got, (struct pimtype_part){ 0, 1, to }, mem,
			       (struct pimtype_part){ 0, 1, from }));
	pimtype_free(to);
	pimtype_free(from);
}

static void layouts_are_kept(void **state)
{
	struct pimtype_stats s[4];

	(void)state;
	setenv("PIMDIMM_LAYOUTS", "2", 1);
	copy_vectors(2, 3, 60);
	assert_ok(pimtype_stats(&s[0]));
	copy_vectors(2, 3, 60);
	assert_ok(pimtype_stats(&s[1]));
	/* by content: the types are others */
	assert_int_equal(s[1].hits, s[0].hits + 1);
	assert_int_equal(s[1].misses, s[0].misses);
	copy_vectors(3, 2, 60);
	copy_vectors(4, 2, 60);
	copy_vectors(2, 3, 60);
	assert_ok(pimtype_stats(&s[2]));
	assert_int_equal(s[2].hits, s[1].hits);
	assert_true(s[2].evictions > s[1].evictions);
	assert_true(s[2].layouts <= 1024);
	setenv("PIMDIMM_LAYOUTS", "many", 1);
	copy_vectors(2, 3, 60);
	{
		struct pimtype *t;

		assert_ok(pimtype_vector(7, 1, 2, f64(), &t));
		assert_refused(pimtype_copy(got, (struct pimtype_part){ 0, 1, t },
					    mem, (struct pimtype_part){ 8, 1, t }),
			       EINVAL, "PIMDIMM_LAYOUTS");
		pimtype_free(t);
	}
	unsetenv("PIMDIMM_LAYOUTS");
}

static int setup(void **state)
{
	struct rng rng = { 17 };

	(void)state;
	rng_fill(&rng, mem, sizeof(mem));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal_forms),
		cmocka_unit_test(lists_have_a_length),
		cmocka_unit_test(freed_types_live_on),
		cmocka_unit_test(too_large),
		cmocka_unit_test(numbers_that_nothing_needs),
		cmocka_unit_test(too_deep),
		cmocka_unit_test(far_apart),
		cmocka_unit_test(looked_at_once),
		cmocka_unit_test(deep_and_flat),
		cmocka_unit_test(refused),
		cmocka_unit_test(what_does_not_agree),
		cmocka_unit_test(layouts_are_kept),
	};

	unit_start();
	return cmocka_run_group_tests(tests, setup, NULL);
}

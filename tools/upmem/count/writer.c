// SPDX-License-Identifier: MIT
/* Writes IR, and in it what keeps the count and tells the worker of it. */
#include <stdarg.h>
#include <string.h>

#include "tools/upmem/count/writer.h"

/* pe_self's `pace` of a tasklet, from its count on */
#define PACE		"256"

void emit(struct writer *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(w->out, format, args);
	va_end(args);
}

void emit_text(struct writer *w, struct text t)
{
	fwrite(t.at, 1, t.length, w->out);
}

static bool is_zero(const struct writer *w)
{
	return !strcmp(w->count, "0");
}

/* What is not yet added becomes part of the value. */
void count_settle(struct writer *w)
{
	if (!w->more)
		return;
	if (is_zero(w)) {
		snprintf(w->count, sizeof(w->count), "%lu", w->more);
	} else {
		emit(w, "  %%pe.n%lu = add i64 %s, %lu\n", w->names, w->count, w->more);
		snprintf(w->count, sizeof(w->count), "%%pe.n%lu", w->names++);
	}
	w->more = 0;
}

void count_restart(struct writer *w)
{
	strcpy(w->count, "0");
	w->more = 0;
}

/*
 * Jumps to where the tasklet waits for its turn, if it has executed more than @slack
 * instructions more than pe_self allows it: count @n is in pe.s<n>, its place in pe.a<n>.
 * An assembler's text, since a branch of the IR would part the block in two. A stack
 * that has no room for what follows is at its end here, not in the library.
 */
static void pace(struct writer *w, unsigned long n, unsigned int slack)
{
	static const char x86_64[] =
		"cmpq " PACE "($0), $1\\0A\\09jle 1f\\0A\\09cmpb $$0, -512(%rsp)\\0A\\09"
		"leaq 1f(%rip), %rax\\0A\\09jmp pe_pace\\0A1:\", \"r,r,~{xmm0},~{xmm1},~{xmm2},"
		"~{xmm3},~{xmm4},~{xmm5},~{xmm6},~{xmm7},~{xmm8},~{xmm9},~{xmm10},~{xmm11},"
		"~{xmm12},~{xmm13},~{xmm14},~{xmm15},~{rax},~{memory},~{dirflag},~{fpsr},~{flags}";
	static const char aarch64[] =
		"ldr x16, [$0, #" PACE "]\\0A\\09cmp $1, x16\\0A\\09b.le 1f\\0A\\09"
		"sub x16, sp, #512\\0A\\09ldrb wzr, [x16]\\0A\\09adr x16, 1f\\0A\\09"
		"b pe_pace\\0A1:\", \"r,r,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},"
		"~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},"
		"~{v27},~{v28},~{v29},~{v30},~{v31},~{x16},~{x17},~{memory},~{cc}";

	emit(w, "  %%pe.l%lu = sub i64 %%pe.s%lu, %u\n", n, n, slack);
	emit(w, "  call void asm sideeffect \"%s\"(%s %%pe.a%lu, i64 %%pe.l%lu)\n",
	     w->aarch64 ? aarch64 : x86_64, w->pointers ? "ptr" : "i64*", n, n);
}

/* Adds the count to the tasklet's; with @slack, it waits for its turn at times. */
void count_flush(struct writer *w, const unsigned int *slack)
{
	unsigned long n;

	count_settle(w);
	if (is_zero(w))
		return;
	n = w->names++;
	emit(w, "  %%pe.t%lu = load volatile i32, %s inttoptr (i64 " TASKLET " to %s), align 4\n",
	     n, w->pointers ? "ptr" : "i32*", w->pointers ? "ptr" : "i32*");
	emit(w, "  %%pe.o%lu = zext i32 %%pe.t%lu to i64\n", n, n);
	emit(w, "  %%pe.a%lu = getelementptr i64, %s inttoptr (i64 %lld to %s), i64 %%pe.o%lu\n",
	     n, w->pointers ? "ptr" : "i64*", COUNTS, w->pointers ? "ptr" : "i64*", n);
	emit(w, "  %%pe.w%lu = load i64, %s %%pe.a%lu, align 8\n", n,
	     w->pointers ? "ptr" : "i64*", n);
	emit(w, "  %%pe.s%lu = add i64 %%pe.w%lu, %s\n", n, n, w->count);
	emit(w, "  store i64 %%pe.s%lu, %s %%pe.a%lu, align 8\n", n,
	     w->pointers ? "ptr" : "i64*", n);
	if (slack)
		pace(w, n, *slack);
	count_restart(w);
}

/* Adds value %pe.x<n> of @type, times @by, with @sign, to the count. */
void count_value(struct writer *w, unsigned long n, const char *type, const char *sign,
		      unsigned int by)
{
	const char *name = "x";

	count_settle(w);
	if (strcmp(type, "i64")) {
		emit(w, "  %%pe.y%lu = zext %s %%pe.x%lu to i64\n", n, type, n);
		name = "y";
	}
	if (by != 1) {
		emit(w, "  %%pe.m%lu = mul i64 %%pe.%s%lu, %u\n", n, name, n, by);
		name = "m";
	}
	emit(w, "  %%pe.n%lu = %s i64 %s, %%pe.%s%lu\n", w->names, sign, w->count, name, n);
	snprintf(w->count, sizeof(w->count), "%%pe.n%lu", w->names++);
}

bool count_divisor(struct writer *w, const struct instruction *i)
{
	unsigned int bits = ir_bits(i->type);
	unsigned long n = w->names++;
	long long value;

	if (!bits || bits > 64 || (ir_constant(i->operand[1], &value) && value))
		return false;
	emit(w, "  %%pe.z%lu = %s %.*s %.*s%s\n", n,
	     bits == 64 ? "or" : "zext", (int)i->type.length, i->type.at,
	     (int)i->operand[1].length, i->operand[1].at, bits == 64 ? ", 0" : " to i64");
	emit(w, "  call void asm sideeffect \"cbnz $0, 1f\\0A\\09brk #0xd1\\0A1:\", \"r\"(i64 %%pe.z%lu)", n);
	return true;
}

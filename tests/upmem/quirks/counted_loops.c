// SPDX-License-Identifier: MIT
/*
 * Loops count the instructions that a DPU executes for them, exactly: those of the
 * vendor's compiler, and for a product as many steps as its smaller operand has bits.
 * quirk: tasklets=1
 */
#include <perfcounter.h>
#include <string.h>

#include "quirk.h"

#define N 1600

static int32_t words[N];
static int64_t longs[N];

__attribute__((noinline)) static void add(int32_t scalar)
{
	for (int i = 0; i < N; i++)
		words[i] += scalar;
}

__attribute__((noinline)) static void add_long(int64_t scalar)
{
	for (int i = 0; i < N; i++)
		longs[i] += scalar;
}

__attribute__((noinline)) static void add_some(int32_t *to, const int32_t *from, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		to[i] += from[i];
}

__attribute__((noinline)) static void multiply(uint32_t by)
{
	for (int i = 0; i < N; i++)
		words[i] *= by;
}

__attribute__((noinline)) static void divide(uint32_t by)
{
	for (int i = 0; i < N; i++)
		words[i] = (uint32_t)words[i] / by;
}

__attribute__((noinline)) static uint32_t sum(void)
{
	uint32_t all = 0;

	for (int i = 0; i < N; i++)
		all += words[i];
	return all;
}

__attribute__((noinline)) static void copy(const int64_t *from)
{
	for (int i = 0; i < N / 2; i++)
		longs[i] = from[i];
}

__attribute__((noinline)) static int count_bits(void)
{
	int all = 0;

	for (int i = 0; i < N; i++)
		all += __builtin_popcount(words[i]);
	return all;
}

__attribute__((noinline)) static void invert(int64_t mask)
{
	for (int i = 0; i < N; i++)
		longs[i] ^= mask;
}

__attribute__((noinline)) static void histogram(const uint8_t *values)
{
	for (int i = 0; i < N; i++)
		words[values[i]]++;
}

__attribute__((noinline)) static const uint8_t *first_zero(const uint8_t *p)
{
	while (*p)
		p++;
	return p;
}

/* no number that the compiler could count to */
static volatile unsigned int half = N / 2;

/* and no array that it knows not to be the same */
static int64_t *volatile other = longs + N / 2;

static perfcounter_t begun;

static void begin(void)
{
	begun = perfcounter_get();
}

/* a call and its loop's ends take a few more; the counter goes by steps of 16 */
static int took(unsigned int instructions)
{
	perfcounter_t n = perfcounter_get() - begun;

	return n + 16 > instructions * N && n < instructions * N + 96;
}

int main(void)
{
	perfcounter_config(COUNT_INSTRUCTIONS, true);
	begin();
	add(3);
	/* ld, lsl_add, add, sw, add, jneq */
	CHECK(took(6));
	begin();
	add_long(3);
	/* one more for the carry */
	CHECK(took(7));
	begin();
	add_some(words, words + N / 2, half);
	add_some(words + N / 2, words, half);
	/* two loads and addresses, and a jump that counts */
	CHECK(took(7));
	memset(words, 0, sizeof(words));
	begin();
	multiply(1000);
	/* 3, and 7 for a 0, which is taken for one bit, in the place of an addition */
	CHECK(took(5 + 3 + 7));
	for (int i = 0; i < N; i++)
		words[i] = 0x12345;
	begin();
	multiply(1000);
	/* 1,000 has ten bits */
	CHECK(took(5 + 3 + 16));
	for (int i = 0; i < N; i++)
		words[i] = 1 << 20;
	begin();
	divide(half / 50);
	/* a quotient of 17 bits */
	CHECK(took(5 + 3 + 8 + 17));
	CHECK(words[7] == 1 << 16);
	begin();
	CHECK(sum() == N << 16);
	/* lsl_add, lw, add, add, jneq */
	CHECK(took(5));
	begin();
	copy(other);
	copy(other);
	/* lsl_add, ld, lsl_add, sd, add, jneq */
	CHECK(took(6));
	begin();
	CHECK(count_bits() == N);
	/* lsl_add, lw, cao, add, add, jneq */
	CHECK(took(6));
	begin();
	invert(7);
	/* lsl_add, ld, two xor, sd, add, jneq */
	CHECK(took(7));
	begin();
	histogram((const uint8_t *)longs);
	/* add, lbu, lsl_add, lw, add, sw, add, jneq */
	CHECK(took(8));
	memset(words, 1, N);
	words[N / 4] = 0;
	begin();
	CHECK(first_zero((const uint8_t *)words) == (const uint8_t *)&words[N / 4]);
	/* lbu, add, jneq */
	CHECK(took(3));
	quirk_end();
	return 0;
}

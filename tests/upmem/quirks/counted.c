// SPDX-License-Identifier: MIT
/*
 * A program knows how many instructions it executed, and what it computes is right.
 * quirk: tasklets=4
 */
#include <barrier.h>
#include <perfcounter.h>
#include <pimdimm.h>
#include <stdlib.h>
#include <string.h>

#include "quirk.h"

BARRIER_INIT(barrier, NR_TASKLETS);
static volatile uint32_t turns;

/* comparisons whose flags live on over a jump */
static int order(int a, int b)
{
	return a < b ? -1 : a > b ? 1 : 0;
}

static int compare(const void *a, const void *b)
{
	return order(*(const int *)a, *(const int *)b);
}

static uint64_t loop(uint32_t n)
{
	perfcounter_t before = perfcounter_get();

	for (uint32_t i = 0; i < n; i++)
		turns++;
	return perfcounter_get() - before;
}

int main(void)
{
	int sorted[100];

	for (int i = 0; i < 100; i++)
		sorted[i] = i * 37 % 100;
	qsort(sorted, 100, sizeof(int), compare);
	for (int i = 0; i < 100; i++)
		CHECK(sorted[i] == i && order(i, 50) == (i > 50) - (i < 50));
	barrier_wait(&barrier);
	if (me() == 0) {
		uint64_t few, many;

		perfcounter_config(COUNT_INSTRUCTIONS, true);
		few = loop(1000);
		many = loop(11000);
		/* every turn costs the same: a few instructions, in steps of 16 */
		CHECK(few >= 1000 && few < 12000);
		CHECK(many - few > 10 * few - 400 && many - few < 10 * few + 400);
	}
	barrier_wait(&barrier);
	quirk_end();
	return 0;
}

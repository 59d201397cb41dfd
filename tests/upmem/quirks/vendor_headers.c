// SPDX-License-Identifier: MIT
/*
 * What the vendor's headers declare, and no more: programs have functions of their
 * own where hardware's <stdlib.h> has none, and assert() by way of other headers.
 * quirk: tasklets=2
 */
#include <mutex_pool.h>
#include <stdlib.h>
#include <vmutex.h>

#ifndef assert
#error <mutex_pool.h> and <vmutex.h> bring <assert.h> on hardware
#endif

static uint32_t state = 5;

static uint32_t rand(void)
{
	return state = state * 1103515245u + 12345u;
}

static void srand(uint64_t seed)
{
	state = (uint32_t)seed;
}

static void qsort(uint32_t *values, uint32_t nr)
{
	for (uint32_t i = 1; i < nr; i++)
		for (uint32_t j = i; j && values[j - 1] > values[j]; j--) {
			uint32_t kept = values[j];

			values[j] = values[j - 1];
			values[j - 1] = kept;
		}
}

static int bsearch(const uint32_t *values, uint32_t nr, uint32_t wanted)
{
	for (uint32_t i = 0; i < nr; i++)
		if (values[i] == wanted)
			return (int)i;
	return -1;
}

#include "quirk.h"

int main(void)
{
	uint32_t values[4];

	srand(7);
	for (uint32_t i = 0; i < 4; i++)
		values[i] = rand();
	qsort(values, 4);
	CHECK(values[0] <= values[1] && values[2] <= values[3]);
	CHECK(bsearch(values, 4, values[2]) >= 0);
	quirk_end();
	return 0;
}

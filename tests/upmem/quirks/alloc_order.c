// SPDX-License-Identifier: MIT
/*
 * Tasklets that do the same allocate abreast, as on hardware: the first blocks of all
 * lie before the second ones.
 * quirk: tasklets=16 launches=3
 */
#include <alloc.h>
#include <barrier.h>

#include "quirk.h"

BARRIER_INIT(barrier, NR_TASKLETS);
static uint8_t *first[NR_TASKLETS], *second[NR_TASKLETS], *between;

int main(void)
{
	if (me() == 0)
		mem_reset();
	barrier_wait(&barrier);
	first[me()] = mem_alloc(64);
	if (me() == 0)
		between = mem_alloc(128);
	second[me()] = mem_alloc(32);
	barrier_wait(&barrier);
	for (uint32_t t = 0; t < NR_TASKLETS; t++) {
		CHECK(first[t] < between);
		for (uint32_t u = 0; u < NR_TASKLETS; u++)
			CHECK(first[t] < second[u]);
	}
	quirk_end();
	return 0;
}

// SPDX-License-Identifier: MIT
/*
 * mem_alloc gives 8-byte aligned WRAM to all tasklets at once, and faults where
 * data, stacks and heap would exceed 64 KiB.
 * quirk: tasklets=16
 * fault: 1 mem_alloc.*heap_wram.c:[0-9]* (main)
 */
#include <alloc.h>
#include <barrier.h>

#include "quirk.h"

BARRIER_INIT(barrier, NR_TASKLETS);
static uint8_t *mine[NR_TASKLETS];

int main(void)
{
	uint32_t left = 65536;

	if (me() == 0)
		mem_reset();
	barrier_wait(&barrier);
	mine[me()] = mem_alloc(100 + me());
	CHECK((uintptr_t)mine[me()] % 8 == 0);
	barrier_wait(&barrier);
	for (uint32_t t = 0; t < NR_TASKLETS; t++)
		if (t != me())
			CHECK(mine[t] + 100 + t <= mine[me()] ||
			      mine[me()] + 100 + me() <= mine[t]);
	barrier_wait(&barrier);
	if (me() != 3)
		return 0;
	/* the stacks take 16 KiB, data and what was given some 2 */
	while (left > 65536 - 45000) {
		mem_alloc(1000);
		left -= 1000;
	}
	mem_alloc(4096);
	return 0;
}

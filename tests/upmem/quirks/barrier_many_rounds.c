// SPDX-License-Identifier: MIT
/*
 * A barrier is used again at once, more often than its bytes can count, and with
 * another one in between; a barrier of one tasklet stops nobody.
 * quirk: tasklets=24 launches=2
 */
#include <barrier.h>

#include "quirk.h"

BARRIER_INIT(odd, NR_TASKLETS);
BARRIER_INIT(even, NR_TASKLETS);
BARRIER_INIT(alone, 1);
volatile uint32_t turns;

int main(void)
{
	for (uint32_t round = 0; round < 1000; round++) {
		__atomic_fetch_add(&turns, 1, __ATOMIC_RELAXED);
		barrier_wait(&odd);
		CHECK(turns % NR_TASKLETS == 0);
		barrier_wait(&even);
		barrier_wait(&alone);
	}
	quirk_end();
	return 0;
}

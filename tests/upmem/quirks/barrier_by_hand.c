// SPDX-License-Identifier: MIT
/*
 * A barrier that the program fills in itself is one.
 * quirk: tasklets=11
 */
#include <atomic_bit.h>
#include <barrier.h>

#include "quirk.h"

ATOMIC_BIT_INIT(bit)[4];
BARRIER_INIT(start, NR_TASKLETS);
barrier_t by_hand;
volatile uint32_t arrived[8];

int main(void)
{
	if (me() == 0) {
		by_hand.wait_queue = 0xff;
		by_hand.count = NR_TASKLETS;
		by_hand.initial_count = NR_TASKLETS;
		by_hand.lock = (uint8_t)(uintptr_t)&ATOMIC_BIT_GET(bit)[1];
	}
	barrier_wait(&start);
	for (int round = 0; round < 8; round++) {
		__atomic_fetch_add(&arrived[round], 1, __ATOMIC_RELAXED);
		barrier_wait(&by_hand);
		CHECK(arrived[round] == NR_TASKLETS);
	}
	quirk_end();
	return 0;
}

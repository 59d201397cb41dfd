// SPDX-License-Identifier: MIT
/*
 * Atomic bits come in arrays, have addresses that fit a byte, and a boot clears
 * those that the launch before left taken.
 * quirk: tasklets=16 launches=3
 */
#include <atomic_bit.h>
#include <barrier.h>
#include <mutex.h>

#include "quirk.h"

ATOMIC_BIT_INIT(bits)[8];
ATOMIC_BIT_INIT(one);
BARRIER_INIT(barrier, NR_TASKLETS);
uint8_t __atomic_bit raw[2];
uint32_t sums[8], total;

int main(void)
{
	mutex_id_t ids[2] = { &raw[0], &raw[1] };

	CHECK((uint8_t)(uintptr_t)&ATOMIC_BIT_GET(bits)[0] !=
	      (uint8_t)(uintptr_t)&ATOMIC_BIT_GET(bits)[7]);
	for (uint32_t i = 0; i < 200; i++) {
		uint32_t which = i % 8;

		mutex_lock(&ATOMIC_BIT_GET(bits)[which]);
		sums[which]++;
		mutex_unlock(&ATOMIC_BIT_GET(bits)[which]);
		mutex_lock(ids[i & 1]);
		mutex_unlock(ids[i & 1]);
	}
	ATOMIC_BIT_ACQUIRE(one);
	total++;
	ATOMIC_BIT_RELEASE(one);
	barrier_wait(&barrier);
	if (me() == 0) {
		CHECK(total % NR_TASKLETS == 0);
		CHECK(sums[3] == total * 25);
		ATOMIC_BIT_ACQUIRE(one);	/* and never give it back */
	}
	quirk_end();
	return 0;
}

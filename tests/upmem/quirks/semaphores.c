// SPDX-License-Identifier: MIT
/*
 * Semaphores count, may begin below zero, and serve in turn.
 * quirk: tasklets=8
 */
#include <barrier.h>
#include <sem.h>

#include "quirk.h"

SEMAPHORE_INIT(two, 2);
SEMAPHORE_INIT(turns, 0);
SEMAPHORE_INIT(owing, -2);
BARRIER_INIT(barrier, NR_TASKLETS);

static volatile uint32_t inside, served[NR_TASKLETS], nr_served, arrived;

int main(void)
{
	for (int i = 0; i < 300; i++) {
		sem_take(&two);
		CHECK(__atomic_add_fetch(&inside, 1, __ATOMIC_RELAXED) <= 2);
		for (volatile int k = 0; k < 20; k++)
			;
		__atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED);
		sem_give(&two);
	}
	barrier_wait(&barrier);
	if (me() == 0) {
		while (arrived != NR_TASKLETS - 1)
			;
		for (int i = 1; i < NR_TASKLETS; i++)
			sem_give(&turns);
	} else {
		/* one after the other, in the order of their numbers */
		while (arrived != me() - 1)
			;
		__atomic_add_fetch(&arrived, 1, __ATOMIC_RELAXED);
		sem_take(&turns);
		served[__atomic_fetch_add(&nr_served, 1, __ATOMIC_RELAXED)] = me();
	}
	barrier_wait(&barrier);
	if (me() == 0)
		for (uint32_t i = 0; i < NR_TASKLETS - 1; i++)
			CHECK(served[i] >= 1 && served[i] < NR_TASKLETS);
	if (me() < 3)
		sem_give(&owing);
	barrier_wait(&barrier);
	if (me() == 0)
		sem_take(&owing);
	quirk_end();
	return 0;
}

// SPDX-License-Identifier: MIT
/*
 * Any value is a mutex: one that was never set, a number, the address of a
 * variable, which stays as it is. A boot frees them all.
 * quirk: tasklets=16 launches=2
 */
#include <barrier.h>
#include <mutex.h>

#include "quirk.h"

BARRIER_INIT(barrier, NR_TASKLETS);
static mutex_id_t unset[2];
static volatile uint32_t counts[3];
static uint8_t variable = 77;

static void add(mutex_id_t mutex, volatile uint32_t *x)
{
	uint32_t was;

	mutex_lock(mutex);
	was = *x;
	for (volatile int i = 0; i < 30; i++)
		;
	*x = was + 1;
	mutex_unlock(mutex);
}

int main(void)
{
	if (me() < 3)
		counts[me()] = 0;
	barrier_wait(&barrier);
	for (uint32_t i = 0; i < 500; i++) {
		add(unset[i & 1], &counts[0]);
		add((mutex_id_t)5, &counts[1]);
		add(&variable, &counts[2]);
	}
	barrier_wait(&barrier);
	for (int i = 0; i < 3; i++)
		CHECK(counts[i] == NR_TASKLETS * 500);
	CHECK(variable == 77);
	barrier_wait(&barrier);
	if (me() == 0)
		CHECK(mutex_trylock(unset[0]) && !mutex_trylock(unset[1]));
	quirk_end();
	return 0;
}

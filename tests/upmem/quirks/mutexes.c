// SPDX-License-Identifier: MIT
/*
 * Mutexes are values that are copied; try, unlock by another tasklet; pools and
 * virtual ones; readers and writers.
 * quirk: tasklets=16
 */
#include <barrier.h>
#include <mutex.h>
#include <mutex_pool.h>
#include <rwlock.h>
#include <vmutex.h>

#include "quirk.h"

MUTEX_INIT(first);
MUTEX_INIT(second);
MUTEX_POOL_INIT(pool, 4);
VMUTEX_INIT(many, 64, 1);
RWLOCK_INIT(lock);
BARRIER_INIT(barrier, NR_TASKLETS);

static volatile uint32_t counts[4], pooled[64], single[64], written;

static void add(volatile uint32_t *x)
{
	uint32_t was = *x;

	/* long enough to be preempted in between now and then */
	for (volatile int i = 0; i < 20; i++)
		;
	*x = was + 1;
}

int main(void)
{
	mutex_id_t ids[2] = { MUTEX_GET(first), MUTEX_GET(second) };

	for (uint32_t i = 0; i < 640; i++) {
		mutex_lock(ids[i & 1]);
		add(&counts[i & 1]);
		mutex_unlock(ids[i & 1]);
		mutex_pool_lock(&pool, i % 64);
		add(&pooled[i % 4]);
		mutex_pool_unlock(&pool, i % 64);
		vmutex_lock(&many, i % 64);
		add(&single[i % 64]);
		vmutex_unlock(&many, i % 64);
		rwlock_write_lock(&lock);
		add(&written);
		rwlock_write_unlock(&lock);
		rwlock_read_lock(&lock);
		CHECK(written <= NR_TASKLETS * 640);
		rwlock_read_unlock(&lock);
	}
	barrier_wait(&barrier);
	for (int i = 0; i < 64; i++)
		CHECK(single[i] == NR_TASKLETS * 10);
	CHECK(counts[0] == NR_TASKLETS * 320 && pooled[1] == NR_TASKLETS * 160);
	CHECK(written == NR_TASKLETS * 640);
	barrier_wait(&barrier);
	if (me() == 0)
		CHECK(mutex_trylock(first));
	barrier_wait(&barrier);
	if (me() == 1) {
		CHECK(!mutex_trylock(first));
		mutex_unlock(first);
		CHECK(mutex_trylock(first));
	}
	quirk_end();
	return 0;
}

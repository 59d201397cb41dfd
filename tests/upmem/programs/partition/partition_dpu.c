// SPDX-License-Identifier: MIT
/* Rows into partitions by a hash of their key: a lock of a pool for each, rows
 * stored by pointers, 4 bytes each. */
#include <alloc.h>
#include <assert.h>
#include <barrier.h>
#include <built_ins.h>
#include <defs.h>
#include <mram.h>
#include <mutex_pool.h>
#include <perfcounter.h>
#include <sem.h>
#include <stdlib.h>

#include "common.h"

__host request_t REQUEST;
__host uint32_t counts[PARTITIONS];
__host uint64_t cycles;
__host uint32_t bits;
__mram_noinit uint32_t keys[ROWS];
__mram_noinit uint32_t partitions[PARTITIONS][CAPACITY];

BARRIER_INIT(barrier, NR_TASKLETS);
MUTEX_POOL_INIT(pool, 8);
SEMAPHORE_INIT(done, 0);

static uint32_t hash(uint32_t key)
{
	return (key * 2654435761u ^ REQUEST.seed) >> 29;
}

static void put(uint32_t key)
{
	uint32_t p = hash(key), at;

	mutex_pool_lock(&pool, p);
	at = counts[p]++;
	assert(at < CAPACITY);
	partitions[p][at] = key;
	mutex_pool_unlock(&pool, p);
}

int main(void)
{
	if (me() == 0) {
		mem_reset();
		perfcounter_config(COUNT_CYCLES, true);
		for (uint32_t p = 0; p < PARTITIONS; p++)
			counts[p] = 0;
		bits = 0;
	}
	barrier_wait(&barrier);
	if (REQUEST.rows > ROWS)
		halt();
	uint32_t *cache = mem_alloc(64 * sizeof(uint32_t));

	for (uint32_t row = 64 * me(); row < REQUEST.rows; row += 64 * NR_TASKLETS) {
		uint32_t rows = REQUEST.rows - row < 64 ? REQUEST.rows - row : 64;

		mram_read(&keys[row], cache, (rows * sizeof(uint32_t) + 7) & ~7u);
		for (uint32_t k = 0; k < rows; k++)
			put(cache[k]);
	}
	sem_give(&done);
	if (me() == 0) {
		for (uint32_t t = 0; t < NR_TASKLETS; t++)
			sem_take(&done);
		for (uint32_t p = 0; p < PARTITIONS; p++)
			bits += __builtin_popcount(counts[p]) + __builtin_clz(counts[p] | 1);
		cycles = perfcounter_get();
	}
	return 0;
}

// SPDX-License-Identifier: MIT
/*
 * Transposition in place: step 1 transposes tiles, step 2 moves the tiles of each
 * pair of cycles, tasklets taking tiles from a common list under a mutex.
 */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>

#include "common.h"

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;

MUTEX_INIT(tile_mutex);
BARRIER_INIT(my_barrier, NR_TASKLETS);

static uint32_t next_tile;

static uint32_t take(void)
{
	uint32_t tile;

	mutex_lock(tile_mutex);
	tile = next_tile++;
	mutex_unlock(tile_mutex);
	return tile;
}

static uint32_t address(uint32_t tile)
{
	return (uint32_t)DPU_MRAM_HEAP_POINTER + tile * TILE * TILE * sizeof(T);
}

static void transpose(T *tile)
{
	for (unsigned int i = 0; i < TILE; i++)
		for (unsigned int j = 0; j < i; j++) {
			T swap = tile[i * TILE + j];

			tile[i * TILE + j] = tile[j * TILE + i];
			tile[j * TILE + i] = swap;
		}
}

int main(void)
{
	uint32_t tile, m;

	if (me() == 0) {
		mem_reset();
		next_tile = 0;
	}
	barrier_wait(&my_barrier);
	m = DPU_INPUT_ARGUMENTS.m;
	T *a = (T *)mem_alloc(TILE * TILE * sizeof(T));
	T *b = (T *)mem_alloc(TILE * TILE * sizeof(T));

	while ((tile = take()) < m) {
		uint32_t other = DPU_INPUT_ARGUMENTS.kernel ? m - 1 - tile : tile;

		if (other < tile)
			continue;
		mram_read((__mram_ptr void const *)address(tile), a, TILE * TILE * sizeof(T));
		mram_read((__mram_ptr void const *)address(other), b, TILE * TILE * sizeof(T));
		if (!DPU_INPUT_ARGUMENTS.kernel)
			transpose(b);
		mram_write(b, (__mram_ptr void *)address(tile), TILE * TILE * sizeof(T));
		if (other != tile)
			mram_write(a, (__mram_ptr void *)address(other), TILE * TILE * sizeof(T));
	}
	return 0;
}

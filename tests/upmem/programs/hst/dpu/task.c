// SPDX-License-Identifier: MIT
/*
 * Histogram, large: NR_HISTO histograms in WRAM, each shared by some tasklets
 * under a lock. Barriers of part of the tasklets are filled by hand, and locks are
 * bits of an array whose addresses are taken.
 */
#include <alloc.h>
#include <atomic_bit.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>

#include "common.h"

#define BLOCK (1 << BL)
#define GROUPS (NR_HISTO < NR_TASKLETS ? NR_HISTO : NR_TASKLETS)

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;

static uint32_t *histo_dpu[GROUPS];

BARRIER_INIT(my_barrier, NR_TASKLETS);
ATOMIC_BIT_INIT(laststore_lock)[GROUPS];
static barrier_t barriers[GROUPS];

static uint8_t *lock_of(unsigned int group)
{
	return (uint8_t *)&ATOMIC_BIT_GET(laststore_lock)[group];
}

static void init_group(unsigned int group)
{
	unsigned int count = 0;

	for (unsigned int t = group; t < NR_TASKLETS; t += GROUPS)
		count++;
	barriers[group].wait_queue = 0xff;
	barriers[group].count = count;
	barriers[group].initial_count = count;
	barriers[group].lock = (uint8_t)(uintptr_t)lock_of(group);
	histo_dpu[group] = (uint32_t *)mem_alloc(BINS * sizeof(uint32_t));
}

static void histogram(uint32_t *histo, mutex_id_t mutex, const T *input, unsigned int length)
{
	for (unsigned int j = 0; j < length; j++) {
		T d = (input[j] * BINS) >> DEPTH;

		mutex_lock(mutex);
		histo[d] += 1;
		mutex_unlock(mutex);
	}
}

int main(void)
{
	unsigned int tasklet_id = me();
	unsigned int group = tasklet_id % GROUPS;

	if (tasklet_id == 0) {
		mem_reset();
		for (unsigned int g = 0; g < GROUPS; g++)
			init_group(g);
	}
	barrier_wait(&my_barrier);

	uint32_t *histo = histo_dpu[group];
	uint32_t a = (uint32_t)DPU_MRAM_HEAP_POINTER;
	uint32_t b = a + DPU_INPUT_ARGUMENTS.transfer_size;
	uint32_t size = DPU_INPUT_ARGUMENTS.size;

	if (tasklet_id < GROUPS)
		for (unsigned int i = 0; i < BINS; i++)
			histo[i] = 0;
	barrier_wait(&barriers[group]);

	T *cache = (T *)mem_alloc(BLOCK);
	for (uint32_t at = tasklet_id << BL; at < size; at += BLOCK * NR_TASKLETS) {
		uint32_t bytes = at + BLOCK >= size ? size - at : BLOCK;

		mram_read((__mram_ptr void const *)(a + at), cache, (bytes + 7) & ~7u);
		histogram(histo, (mutex_id_t)lock_of(group), cache, bytes / sizeof(T));
	}
	barrier_wait(&my_barrier);

	/* all histograms into the first */
	for (unsigned int i = tasklet_id; i < BINS; i += NR_TASKLETS)
		for (unsigned int g = 1; g < GROUPS; g++)
			histo_dpu[0][i] += histo_dpu[g][i];
	barrier_wait(&my_barrier);
	if (tasklet_id == 0)
		mram_write(histo_dpu[0], (__mram_ptr void *)b, BINS * sizeof(uint32_t));
	return 0;
}

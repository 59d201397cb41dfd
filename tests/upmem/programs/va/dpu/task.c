// SPDX-License-Identifier: MIT
/* Vector addition: B = A + B, block after block. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <perfcounter.h>
#include <stdio.h>

#include "common.h"

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;
__host dpu_results_t DPU_RESULTS[NR_TASKLETS];

BARRIER_INIT(my_barrier, NR_TASKLETS);

static void vector_addition(T *b, const T *a, unsigned int length)
{
	for (unsigned int i = 0; i < length; i++)
		b[i] += a[i];
}

int main(void)
{
	unsigned int tasklet_id = me();

	if (tasklet_id == 0) {
		mem_reset();
		perfcounter_config(COUNT_CYCLES, true);
	}
	barrier_wait(&my_barrier);

	uint32_t size = DPU_INPUT_ARGUMENTS.size;
	uint32_t base_a = (uint32_t)DPU_MRAM_HEAP_POINTER;
	uint32_t base_b = base_a + DPU_INPUT_ARGUMENTS.transfer_size;
	T *cache_a = (T *)mem_alloc(BLOCK);
	T *cache_b = (T *)mem_alloc(BLOCK);

	for (uint32_t at = tasklet_id << BL; at < size;
	     at += BLOCK * NR_TASKLETS) {
		uint32_t bytes = at + BLOCK >= size ? size - at : BLOCK;
		uint32_t moved = (bytes + 7) & ~7u;

		mram_read((__mram_ptr void const *)(base_a + at), cache_a, moved);
		mram_read((__mram_ptr void const *)(base_b + at), cache_b, moved);
		vector_addition(cache_b, cache_a, bytes / sizeof(T));
		mram_write(cache_b, (__mram_ptr void *)(base_b + at), moved);
	}
	barrier_wait(&my_barrier);
	DPU_RESULTS[tasklet_id].cycles = perfcounter_get();
	return 0;
}

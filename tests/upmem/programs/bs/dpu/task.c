// SPDX-License-Identifier: MIT
/* Binary search of many keys, a word of MRAM at a time. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdio.h>

#include "common.h"

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;
__host dpu_results_t DPU_RESULTS[NR_TASKLETS];

BARRIER_INIT(my_barrier, NR_TASKLETS);

static T search(const uint32_t base, T key, int64_t size, T *word)
{
	int64_t l = 0, r = size - 1;

	while (l <= r) {
		int64_t m = l + (r - l) / 2;

		mram_read((__mram_ptr void const *)(base + (uint32_t)m * sizeof(T)), word, sizeof(T));
		if (*word == key)
			return m;
		if (*word < key)
			l = m + 1;
		else
			r = m - 1;
	}
	printf("tasklet %u: no %lld\n", me(), key);
	return -1;
}

int main(void)
{
	unsigned int tasklet_id = me();

	if (tasklet_id == 0)
		mem_reset();
	barrier_wait(&my_barrier);

	uint32_t base = (uint32_t)DPU_MRAM_HEAP_POINTER;
	uint32_t keys = base + DPU_INPUT_ARGUMENTS.input_size * sizeof(T);
	T *key = mem_alloc(sizeof(T)), *word = mem_alloc(sizeof(T));

	DPU_RESULTS[tasklet_id].found = 0;
	for (uint64_t k = tasklet_id; k < DPU_INPUT_ARGUMENTS.slice_per_dpu; k += NR_TASKLETS) {
		mram_read((__mram_ptr void const *)(keys + (uint32_t)k * sizeof(T)), key, sizeof(T));
		DPU_RESULTS[tasklet_id].found += search(base, *key, DPU_INPUT_ARGUMENTS.input_size, word);
	}
	return 0;
}

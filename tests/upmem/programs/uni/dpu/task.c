// SPDX-License-Identifier: MIT
/* Unique: of equal neighbours one is left. A tasklet must know the last element
 * before its block. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>
#include <stdbool.h>

#include "common.h"

#define BLOCK (1 << BL)

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;
__host dpu_results_t DPU_RESULTS[NR_TASKLETS];

static uint32_t message[NR_TASKLETS];
static uint32_t message_partial_count;
static __dma_aligned T last[NR_TASKLETS];

BARRIER_INIT(my_barrier, NR_TASKLETS);


static unsigned int unique(T *output, const T *input, unsigned int length, T before, bool first)
{
	unsigned int pos = 0;

	for (unsigned int j = 0; j < length; j++) {
		if (first || input[j] != before)
			output[pos++] = input[j];
		before = input[j];
		first = false;
	}
	return pos;
}

static unsigned int handshake_sync(unsigned int l_count, unsigned int tasklet_id)
{
	unsigned int p_count = 0;

	if (tasklet_id != 0) {
		handshake_wait_for(tasklet_id - 1);
		p_count = message[tasklet_id];
	}
	if (tasklet_id < NR_TASKLETS - 1) {
		message[tasklet_id + 1] = p_count + l_count;
		handshake_notify();
	}
	return p_count;
}

int main(void)
{
	unsigned int tasklet_id = me();

	if (tasklet_id == 0) {
		mem_reset();
		message_partial_count = 0;
	}
	barrier_wait(&my_barrier);

	uint32_t size = DPU_INPUT_ARGUMENTS.size;
	uint32_t a = (uint32_t)DPU_MRAM_HEAP_POINTER;
	uint32_t b = a + size;
	T *cache_a = (T *)mem_alloc(BLOCK);
	T *cache_b = (T *)mem_alloc(BLOCK);

	if (tasklet_id == 0) {
		mram_read((__mram_ptr void const *)a, cache_a, 8);
		DPU_RESULTS[NR_TASKLETS - 1].first = cache_a[0];
	}
	for (uint32_t at = tasklet_id << BL; at < size; at += BLOCK * NR_TASKLETS) {
		mram_read((__mram_ptr void const *)(a + at), cache_a, BLOCK);
		T before = 0;

		if (at)
			mram_read((__mram_ptr void const *)(a + at - sizeof(T)), &last[tasklet_id], sizeof(T));
		before = last[tasklet_id];
		uint32_t l_count = unique(cache_b, cache_a, BLOCK >> 3, before, at == 0);
		uint32_t p_count = handshake_sync(l_count, tasklet_id);

		barrier_wait(&my_barrier);
		if (l_count)
			mram_write(cache_b, (__mram_ptr void *)(b + (message_partial_count + p_count) * sizeof(T)), l_count * sizeof(T));
		barrier_wait(&my_barrier);
		if (tasklet_id == NR_TASKLETS - 1) {
			message_partial_count += p_count + l_count;
			DPU_RESULTS[tasklet_id].t_count = message_partial_count;
			DPU_RESULTS[tasklet_id].last = cache_a[(BLOCK >> 3) - 1];
		}
		barrier_wait(&my_barrier);
	}
	return 0;
}

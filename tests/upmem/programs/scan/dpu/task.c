// SPDX-License-Identifier: MIT
/* Prefix sums: within each DPU, then the sums of the DPUs before it are added. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>

#define BLOCK_SIZE (1 << BL)
#include "common.h"

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;
__host dpu_results_t DPU_RESULTS[NR_TASKLETS];

static T message[NR_TASKLETS];
static T message_partial_count;

BARRIER_INIT(my_barrier, NR_TASKLETS);

static T scan(T *output, const T *input)
{
	output[0] = input[0];
	for (unsigned int j = 1; j < REGS; j++)
		output[j] = output[j - 1] + input[j];
	return output[REGS - 1];
}

/* what the tasklets before this one have, passed on from one to the next */
static T handshake_sync(T l_count, unsigned int tasklet_id)
{
	T p_count = 0;

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

static int main_kernel1(void)
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
	T *cache_a = (T *)mem_alloc(BLOCK_SIZE);
	T *cache_b = (T *)mem_alloc(BLOCK_SIZE);

	for (uint32_t at = tasklet_id << BL; at < size; at += BLOCK_SIZE * NR_TASKLETS) {
		mram_read((__mram_ptr void const *)(a + at), cache_a, BLOCK_SIZE);
		T l_count = scan(cache_b, cache_a);
		T p_count = handshake_sync(l_count, tasklet_id);

		barrier_wait(&my_barrier);
		for (unsigned int j = 0; j < REGS; j++)
			cache_b[j] += message_partial_count + p_count;
		mram_write(cache_b, (__mram_ptr void *)(b + at), BLOCK_SIZE);
		barrier_wait(&my_barrier);
		if (tasklet_id == NR_TASKLETS - 1) {
			DPU_RESULTS[tasklet_id].t_count = message_partial_count + p_count + l_count;
			message_partial_count = DPU_RESULTS[tasklet_id].t_count;
		}
		barrier_wait(&my_barrier);
	}
	return 0;
}

static int main_kernel2(void)
{
	unsigned int tasklet_id = me();

	if (tasklet_id == 0)
		mem_reset();
	barrier_wait(&my_barrier);

	uint32_t size = DPU_INPUT_ARGUMENTS.size;
	uint32_t b = (uint32_t)DPU_MRAM_HEAP_POINTER + size;
	T *cache = (T *)mem_alloc(BLOCK_SIZE);

	for (uint32_t at = tasklet_id << BL; at < size; at += BLOCK_SIZE * NR_TASKLETS) {
		mram_read((__mram_ptr void const *)(b + at), cache, BLOCK_SIZE);
		for (unsigned int j = 0; j < REGS; j++)
			cache[j] += DPU_INPUT_ARGUMENTS.t_count;
		mram_write(cache, (__mram_ptr void *)(b + at), BLOCK_SIZE);
	}
	return 0;
}

static int (*kernels[nr_kernels])(void) = { main_kernel1, main_kernel2 };

int main(void)
{
	return kernels[DPU_INPUT_ARGUMENTS.kernel]();
}

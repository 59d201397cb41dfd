// SPDX-License-Identifier: MIT
/* Sum of a vector: each tasklet its part, then a tree of tasklets by handshakes
 * or, with SYNC=1, by barriers. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>
#include <perfcounter.h>

#include "common.h"

#define BLOCK (1 << BL)

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;
__host dpu_results_t DPU_RESULTS[NR_TASKLETS];

static T message[NR_TASKLETS];

BARRIER_INIT(my_barrier, NR_TASKLETS);

static T reduce(const T *values, unsigned int length)
{
	T sum = 0;

	for (unsigned int j = 0; j < length; j++)
		sum += values[j];
	return sum;
}

int main(void)
{
	unsigned int tasklet_id = me();
	perfcounter_t initial_time;

	if (tasklet_id == 0) {
		mem_reset();
		perfcounter_config(COUNT_CYCLES, true);
	}
	barrier_wait(&my_barrier);
	initial_time = perfcounter_get();

	uint32_t size = DPU_INPUT_ARGUMENTS.size;
	uint32_t base = (uint32_t)DPU_MRAM_HEAP_POINTER;
	T *cache = (T *)mem_alloc(BLOCK);
	T sum = 0;

	for (uint32_t at = tasklet_id << BL; at < size;
	     at += BLOCK * NR_TASKLETS) {
		uint32_t bytes = at + BLOCK >= size ? size - at : BLOCK;

		mram_read((const __mram_ptr void *)(base + at), cache, bytes);
		sum += reduce(cache, bytes >> 3);
	}
	message[tasklet_id] = sum;

#if SYNC == 0
	for (unsigned int offset = 1; offset < NR_TASKLETS; offset <<= 1) {
		if ((tasklet_id & (2 * offset - 1)) == 0) {
			if (tasklet_id + offset < NR_TASKLETS) {
				handshake_wait_for(tasklet_id + offset);
				message[tasklet_id] += message[tasklet_id + offset];
			}
		} else {
			handshake_notify();
			break;
		}
	}
#else
	for (unsigned int offset = 1; offset < NR_TASKLETS; offset <<= 1) {
		barrier_wait(&my_barrier);
		if ((tasklet_id & (2 * offset - 1)) == 0 &&
		    tasklet_id + offset < NR_TASKLETS)
			message[tasklet_id] += message[tasklet_id + offset];
	}
#endif
	DPU_RESULTS[tasklet_id].cycles = perfcounter_get() - initial_time;
	if (tasklet_id == 0)
		DPU_RESULTS[0].t_count = message[0];
	return 0;
}

// SPDX-License-Identifier: MIT
/* Time series: the window nearest to a query. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "common.h"

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;
__host dpu_result_t DPU_RESULTS[NR_TASKLETS];
__host DTYPE query[QUERY];

BARRIER_INIT(my_barrier, NR_TASKLETS);

static int64_t distance(const DTYPE *window)
{
	int64_t sum = 0;

	for (unsigned int i = 0; i < QUERY; i++) {
		int64_t d = (int64_t)window[i] - query[i];

		sum += d * d;
	}
	return sum;
}

int main(void)
{
	unsigned int tasklet_id = me();

	if (tasklet_id == 0)
		mem_reset();
	barrier_wait(&my_barrier);

	/* two blocks, so that windows may begin anywhere in the first */
	DTYPE *cache = (DTYPE *)mem_alloc(2 * QUERY * sizeof(DTYPE));
	dpu_result_t result = { .best = INT64_MAX };

	for (uint32_t at = tasklet_id * QUERY; at < DPU_INPUT_ARGUMENTS.length; at += NR_TASKLETS * QUERY) {
		mram_read((__mram_ptr void const *)(DPU_MRAM_HEAP_POINTER + at * sizeof(DTYPE)), cache, 2 * QUERY * sizeof(DTYPE));
		for (uint32_t k = 0; k < QUERY && at + k < DPU_INPUT_ARGUMENTS.length; k++) {
			int64_t d = distance(cache + k);

			if (d < result.best) {
				result.best = d;
				result.index = at + k;
			}
		}
	}
	DPU_RESULTS[tasklet_id] = result;
	return 0;
}

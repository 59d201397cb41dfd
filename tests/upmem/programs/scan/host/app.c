// SPDX-License-Identifier: MIT
/*
 * Adds up the DPUs' parts between two launches, and compares the prefix sums with
 * its own.
 */
#include <dpu.h>
#include <dpu_log.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

#define BLOCKS_PER_TASKLET 5
#define BLOCK_BYTES 512

int main(void)
{
	const uint32_t size = BLOCK_BYTES * NR_TASKLETS * BLOCKS_PER_TASKLET;
	const uint32_t length = size / sizeof(T);
	struct dpu_set_t dpu_set, dpu;
	uint32_t nr, i;

	DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
	DPU_ASSERT(dpu_load(dpu_set, "./bin/dpu_code", NULL));
	DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr));
	T *in = malloc((size_t)size * nr), *out = malloc((size_t)size * nr);
	for (size_t k = 0; k < (size_t)length * nr; k++)
		in[k] = k * k + 3;

	dpu_arguments_t arguments[nr];
	for (i = 0; i < nr; i++)
		arguments[i] = (dpu_arguments_t){ .size = size, .kernel = kernel1 };
	DPU_FOREACH(dpu_set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, &arguments[i]));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "DPU_INPUT_ARGUMENTS", 0, sizeof(arguments[0]), DPU_XFER_DEFAULT));
	DPU_FOREACH(dpu_set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, in + (size_t)length * i));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, size, DPU_XFER_DEFAULT));
	DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));

	/* the sums of the DPUs before each */
	dpu_results_t results[nr][NR_TASKLETS];
	T accum = 0;
	DPU_FOREACH(dpu_set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, results[i]));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_FROM_DPU, "DPU_RESULTS", 0, sizeof(results[0]), DPU_XFER_DEFAULT));
	for (i = 0; i < nr; i++) {
		arguments[i] = (dpu_arguments_t){ .size = size, .kernel = kernel2, .t_count = accum };
		accum += results[i][NR_TASKLETS - 1].t_count;
	}
	DPU_FOREACH(dpu_set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, &arguments[i]));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "DPU_INPUT_ARGUMENTS", 0, sizeof(arguments[0]), DPU_XFER_DEFAULT));
	DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
	DPU_FOREACH(dpu_set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, out + (size_t)length * i));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, size, size, DPU_XFER_DEFAULT));

	T sum = 0;
	int wrong = 0;
	for (size_t k = 0; k < (size_t)length * nr; k++)
		wrong += out[k] != (sum += in[k]);
	printf("%d wrong of %zu\n", wrong, (size_t)length * nr);
	free(in);
	free(out);
	DPU_ASSERT(dpu_free(dpu_set));
	return wrong != 0;
}

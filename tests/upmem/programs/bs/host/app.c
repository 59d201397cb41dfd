// SPDX-License-Identifier: MIT
/*
 * Sorted numbers for all DPUs and keys for each: every key is to be found where it
 * lies.
 */
#include <dpu.h>
#include <dpu_log.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

#define LENGTH 4099
#define KEYS 200

int main(void)
{
	struct dpu_set_t dpu_set, dpu;
	uint32_t nr, i;
	T *in = malloc(LENGTH * sizeof(T));

	DPU_ASSERT(dpu_alloc(NR_DPUS, "backend=simulator", &dpu_set));
	DPU_ASSERT(dpu_load(dpu_set, "./bin/dpu_code", NULL));
	DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr));
	T *keys = malloc((size_t)KEYS * nr * sizeof(T));
	T expected = 0, found = 0;
	for (T k = 0; k < LENGTH; k++)
		in[k] = k * 7 - 5000;
	for (uint32_t k = 0; k < KEYS * nr; k++) {
		keys[k] = in[k * 2311u % LENGTH];
		expected += k * 2311u % LENGTH;
	}
	dpu_arguments_t arguments = { LENGTH, KEYS };
	DPU_FOREACH(dpu_set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, &arguments));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "DPU_INPUT_ARGUMENTS", 0, sizeof(arguments), DPU_XFER_DEFAULT));
	DPU_FOREACH(dpu_set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, in));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, LENGTH * sizeof(T), DPU_XFER_DEFAULT));
	DPU_FOREACH(dpu_set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, keys + (size_t)KEYS * i));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, LENGTH * sizeof(T), KEYS * sizeof(T), DPU_XFER_DEFAULT));
	DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
	DPU_FOREACH(dpu_set, dpu) {
		dpu_results_t results[NR_TASKLETS];

		DPU_ASSERT(dpu_log_read(dpu, stdout));
		DPU_ASSERT(dpu_prepare_xfer(dpu, results));
		DPU_ASSERT(dpu_push_xfer(dpu, DPU_XFER_FROM_DPU, "DPU_RESULTS", 0, sizeof(results), DPU_XFER_DEFAULT));
		for (int t = 0; t < NR_TASKLETS; t++)
			found += results[t].found;
	}
	printf("%s\n", found == expected ? "Outputs are equal" : "Outputs differ!");
	free(in);
	free(keys);
	DPU_ASSERT(dpu_free(dpu_set));
	return found != expected;
}

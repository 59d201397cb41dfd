// SPDX-License-Identifier: MIT
/* Adds up the DPUs' sums, and compares them with its own. */
#include <assert.h>
#include <dpu.h>
#include <dpu_log.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

#define INPUT_SIZE 6007	/* of all DPUs but the last, which has 3 less */

int main(void)
{
	struct dpu_set_t dpu_set, dpu;
	uint32_t nr_of_dpus, i;
	T count = 0, count_host = 0;

	DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
	DPU_ASSERT(dpu_load(dpu_set, DPU_BINARY, NULL));
	DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr_of_dpus));
	assert(nr_of_dpus == NR_DPUS);

	const size_t total = (size_t)INPUT_SIZE * nr_of_dpus;
	T *A = malloc(total * sizeof(T));
	for (size_t k = 0; k < total; k++) {
		A[k] = (T)((uint64_t)k * 0x9e3779b97f4a7c15ull);
		if (k < total - 3)
			count_host = (T)((uint64_t)count_host + (uint64_t)A[k]);
	}

	dpu_arguments_t input_arguments[nr_of_dpus];
	for (i = 0; i < nr_of_dpus; i++)
		input_arguments[i].size = (INPUT_SIZE - (i == nr_of_dpus - 1 ? 3 : 0)) * sizeof(T);
	for (unsigned int rep = 0; rep < 3; rep++) {
		DPU_FOREACH(dpu_set, dpu, i) {
			DPU_ASSERT(dpu_prepare_xfer(dpu, &input_arguments[i]));
		}
		DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "DPU_INPUT_ARGUMENTS", 0, sizeof(input_arguments[0]), DPU_XFER_DEFAULT));
		DPU_FOREACH(dpu_set, dpu, i) {
			DPU_ASSERT(dpu_prepare_xfer(dpu, A + (size_t)INPUT_SIZE * i));
		}
		DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, INPUT_SIZE * sizeof(T), DPU_XFER_DEFAULT));
		DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));

		count = 0;
		dpu_results_t *results = calloc(nr_of_dpus * NR_TASKLETS, sizeof(dpu_results_t));
		DPU_FOREACH(dpu_set, dpu, i) {
			DPU_ASSERT(dpu_prepare_xfer(dpu, &results[i * NR_TASKLETS]));
		}
		DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_FROM_DPU, "DPU_RESULTS", 0, NR_TASKLETS * sizeof(dpu_results_t), DPU_XFER_DEFAULT));
		for (i = 0; i < nr_of_dpus; i++)
			count = (T)((uint64_t)count + (uint64_t)results[i * NR_TASKLETS].t_count);
		free(results);
		if (count != count_host)
			break;
	}
	printf("%s\n", count == count_host ? "Outputs are equal" : "Outputs differ!");
	free(A);
	DPU_ASSERT(dpu_free(dpu_set));
	return count == count_host ? 0 : -1;
}

// SPDX-License-Identifier: MIT
/*
 * Joins what the DPUs have left of runs of equal numbers, and compares it with its
 * own.
 */
#include <dpu.h>
#include <dpu_log.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

#define BLOCK_ELEMENTS 64

int main(void)
{
	const uint32_t length = BLOCK_ELEMENTS * NR_TASKLETS * 3;
	const uint32_t size = length * sizeof(T);
	struct dpu_set_t dpu_set, dpu;
	uint32_t nr, i;

	DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
	DPU_ASSERT(dpu_load(dpu_set, "./bin/dpu_code", NULL));
	DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr));
	T *in = malloc((size_t)size * nr), *out = malloc((size_t)size * nr);
	for (size_t k = 0; k < (size_t)length * nr; k++)
		in[k] = (T)(k / 37 + (k / 1000) * 5);

	dpu_arguments_t arguments = { .size = size };
	DPU_FOREACH(dpu_set, dpu)
		DPU_ASSERT(dpu_prepare_xfer(dpu, &arguments));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "DPU_INPUT_ARGUMENTS", 0, sizeof(arguments), DPU_XFER_DEFAULT));
	DPU_FOREACH(dpu_set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, in + (size_t)length * i));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, size, DPU_XFER_DEFAULT));
	DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));

	/* what begins as the DPU before it ended is one too many */
	size_t got = 0, expected = 0;
	int wrong = 0;
	T last = 0;
	DPU_FOREACH(dpu_set, dpu, i) {
		dpu_results_t results[NR_TASKLETS], *end = &results[NR_TASKLETS - 1];
		uint32_t skip;

		DPU_ASSERT(dpu_copy_from(dpu, "DPU_RESULTS", 0, results, sizeof(results)));
		skip = i && end->first == last;
		if (end->t_count > skip)
			DPU_ASSERT(dpu_copy_from(dpu, DPU_MRAM_HEAP_POINTER_NAME, size + skip * sizeof(T), out + got, (end->t_count - skip) * sizeof(T)));
		got += end->t_count - skip;
		last = end->last;
	}
	for (size_t k = 0; k < (size_t)length * nr; k++)
		if (!k || in[k] != in[k - 1])
			wrong += expected >= got || out[expected++] != in[k];
	wrong += got != expected;
	printf("%zu of %zu unique, %d wrong\n", got, (size_t)length * nr, wrong);
	free(in);
	free(out);
	DPU_ASSERT(dpu_free(dpu_set));
	return wrong != 0;
}

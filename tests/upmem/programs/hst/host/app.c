// SPDX-License-Identifier: MIT
/*
 * Deals the pixels out to DPUs, adds up their histograms, and compares the sum
 * with its own.
 */
#include <dpu.h>
#include <dpu_log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define LENGTH 20001

int main(void)
{
	struct dpu_set_t dpu_set, dpu;
	uint32_t nr, i;

	DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
	DPU_ASSERT(dpu_load(dpu_set, "./bin/dpu_code", NULL));
	DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr));

	const uint32_t padded = (LENGTH + 1) / 2 * 2;
	T *in = calloc((size_t)padded * nr, sizeof(T));
	uint32_t expected[BINS] = { 0 }, sum[BINS] = { 0 };
	uint32_t (*histo)[BINS] = malloc(nr * sizeof(*histo));
	for (i = 0; i < nr; i++)
		for (uint32_t k = 0; k < LENGTH; k++) {
			T value = (i * 977 + k * k) & ((1 << DEPTH) - 1);

			in[(size_t)padded * i + k] = value;
			expected[(value * BINS) >> DEPTH]++;
		}

	dpu_arguments_t arguments = { LENGTH * sizeof(T), padded * sizeof(T) };
	DPU_ASSERT(dpu_broadcast_to(dpu_set, "DPU_INPUT_ARGUMENTS", 0, &arguments, sizeof(arguments), DPU_XFER_DEFAULT));
	DPU_FOREACH(dpu_set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, in + (size_t)padded * i));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, padded * sizeof(T), DPU_XFER_DEFAULT));
	/* twice: barriers and bits must be as good as new */
	DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
	DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
	DPU_FOREACH(dpu_set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, histo[i]));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, padded * sizeof(T), BINS * sizeof(uint32_t), DPU_XFER_DEFAULT));
	for (i = 0; i < nr; i++)
		for (int k = 0; k < BINS; k++)
			sum[k] += histo[i][k];
	int wrong = memcmp(sum, expected, sizeof(sum)) != 0;
	printf("%s\n", wrong ? "Outputs differ!" : "Outputs are equal");
	free(in);
	free(histo);
	DPU_ASSERT(dpu_free(dpu_set));
	return wrong;
}

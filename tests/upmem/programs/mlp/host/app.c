// SPDX-License-Identifier: MIT
/*
 * Several layers of a perceptron: what DPUs make of one goes back to them for the
 * next.
 */
#include <dpu.h>
#include <dpu_log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define LAYERS 3

static T weight(uint32_t layer, uint32_t m, uint32_t n)
{
	return (T)((m * 7 + n * 3 + layer) % 5) - 2;
}

int main(void)
{
	struct dpu_set_t dpu_set, dpu;
	uint32_t nr, i;
	T in[N], expected[N], sum[N];

	DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
	DPU_ASSERT(dpu_load(dpu_set, "./bin/dpu_code", NULL));
	DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr));
	const uint32_t max_rows = ((N + nr - 1) / nr + 1) / 2 * 2;
	T *weights = calloc((size_t)max_rows * nr * N, sizeof(T)), *out = calloc(max_rows * nr, sizeof(T));
	dpu_arguments_t arguments[nr];
	for (i = 0; i < nr; i++) {
		uint32_t begin = max_rows * i, rows = begin < N ? N - begin : 0;

		arguments[i] = (dpu_arguments_t){ rows < max_rows ? rows : max_rows, max_rows };
	}
	for (uint32_t n = 0; n < N; n++)
		in[n] = expected[n] = (T)(n % 3);
	for (uint32_t layer = 0; layer < LAYERS; layer++) {
		for (uint32_t m = 0; m < N; m++) {
			sum[m] = 0;
			for (uint32_t n = 0; n < N; n++) {
				weights[(size_t)m * N + n] = weight(layer, m, n);
				sum[m] += weight(layer, m, n) * expected[n];
			}
		}
		for (uint32_t m = 0; m < N; m++)
			expected[m] = sum[m] > 0 ? sum[m] : 0;
		DPU_FOREACH(dpu_set, dpu, i)
			DPU_ASSERT(dpu_prepare_xfer(dpu, &arguments[i]));
		DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "DPU_INPUT_ARGUMENTS", 0, sizeof(arguments[0]), DPU_XFER_DEFAULT));
		DPU_FOREACH(dpu_set, dpu, i)
			DPU_ASSERT(dpu_prepare_xfer(dpu, weights + (size_t)max_rows * i * N));
		DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, max_rows * N * sizeof(T), DPU_XFER_DEFAULT));
		DPU_ASSERT(dpu_broadcast_to(dpu_set, DPU_MRAM_HEAP_POINTER_NAME, max_rows * N * sizeof(T), in, sizeof(in), DPU_XFER_DEFAULT));
		DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
		DPU_FOREACH(dpu_set, dpu, i)
			DPU_ASSERT(dpu_prepare_xfer(dpu, out + max_rows * i));
		DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, max_rows * N * sizeof(T) + sizeof(in), max_rows * sizeof(T), DPU_XFER_DEFAULT));
		memcpy(in, out, sizeof(in));
	}
	int wrong = memcmp(in, expected, sizeof(in)) != 0;
	printf("%s\n", wrong ? "Outputs differ!" : "Outputs are equal");
	free(weights);
	free(out);
	DPU_ASSERT(dpu_free(dpu_set));
	return wrong;
}

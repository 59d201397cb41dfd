// SPDX-License-Identifier: MIT
/* Deals the rows of a matrix out to DPUs, and compares the product with its own. */
#include <dpu.h>
#include <dpu_log.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

#define M_SIZE (NR_DPUS * 13 + 1)
#define N_SIZE 333
#define N_PAD 334
#define BLOCK_SIZE 256

int main(void)
{
	struct dpu_set_t dpu_set, dpu;
	uint32_t nr, i, wrong = 0;

	DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
	DPU_ASSERT(dpu_load(dpu_set, "./bin/dpu_code", NULL));
	DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr));
	const uint32_t max_rows = ((M_SIZE + nr - 1) / nr + 1) / 2 * 2;
	const uint32_t result_offset = max_rows * N_PAD * sizeof(T) + N_PAD * sizeof(T) + BLOCK_SIZE;
	T *a = calloc((size_t)max_rows * nr * N_PAD, sizeof(T));
	T *b = calloc(N_PAD, sizeof(T)), *c = calloc((size_t)max_rows * nr, sizeof(T));
	for (uint32_t m = 0; m < M_SIZE; m++)
		for (uint32_t n = 0; n < N_SIZE; n++)
			a[(size_t)m * N_PAD + n] = (T)((m * 7 + n) % 50);
	for (uint32_t n = 0; n < N_SIZE; n++)
		b[n] = (T)(n % 30);

	dpu_arguments_t arguments[nr];
	DPU_FOREACH(dpu_set, dpu, i) {
		uint32_t begin = max_rows * i, rows = begin < M_SIZE ? M_SIZE - begin : 0;

		arguments[i] = (dpu_arguments_t){ N_SIZE, N_PAD, rows < max_rows ? rows : max_rows, max_rows };
		DPU_ASSERT(dpu_prepare_xfer(dpu, arguments + i));
	}
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "DPU_INPUT_ARGUMENTS", 0, sizeof(dpu_arguments_t), DPU_XFER_DEFAULT));
	DPU_FOREACH(dpu_set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, a + (size_t)max_rows * i * N_PAD));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, max_rows * N_PAD * sizeof(T), DPU_XFER_DEFAULT));
	DPU_FOREACH(dpu_set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, b));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, max_rows * N_PAD * sizeof(T), N_PAD * sizeof(T), DPU_XFER_DEFAULT));
	DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
	DPU_FOREACH(dpu_set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, c + (size_t)max_rows * i));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, result_offset, max_rows * sizeof(T), DPU_XFER_DEFAULT));
	for (uint32_t m = 0; m < M_SIZE; m++) {
		T sum = 0;

		for (uint32_t n = 0; n < N_SIZE; n++)
			sum += a[(size_t)m * N_PAD + n] * b[n];
		wrong += sum != c[m];
	}
	printf("%u of %u rows wrong\n", wrong, M_SIZE);
	free(a);
	free(b);
	free(c);
	DPU_ASSERT(dpu_free(dpu_set));
	return wrong != 0;
}

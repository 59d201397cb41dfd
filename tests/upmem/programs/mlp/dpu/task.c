// SPDX-License-Identifier: MIT
/* A layer of a perceptron: rows of weights times activations, then ReLU. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <string.h>

#include "common.h"

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;
__dma_aligned T activations[N];

BARRIER_INIT(my_barrier, NR_TASKLETS);

int main(void)
{
	uint32_t weights = (uint32_t)DPU_MRAM_HEAP_POINTER;
	uint32_t in = weights + DPU_INPUT_ARGUMENTS.max_rows * N * sizeof(T);
	uint32_t out = in + N * sizeof(T);

	if (me() == 0) {
		mem_reset();
		memset(activations, 0xff, sizeof(activations));
		mram_read((__mram_ptr void const *)in, activations, sizeof(activations));
	}
	barrier_wait(&my_barrier);
	T *row = mem_alloc(N * sizeof(T)), *result = mem_alloc(8);

	for (uint32_t r = 2 * me(); r < DPU_INPUT_ARGUMENTS.rows; r += 2 * NR_TASKLETS) {
		for (uint32_t k = 0; k < 2; k++) {
			mram_read((__mram_ptr void const *)(weights + (r + k) * N * sizeof(T)), row, N * sizeof(T));
			result[k] = 0;
			for (uint32_t n = 0; n < N; n++)
				result[k] += row[n] * activations[n];
			if (result[k] < 0)
				result[k] = 0;
		}
		mram_write(result, (__mram_ptr void *)(out + r * sizeof(T)), 8);
	}
	return 0;
}

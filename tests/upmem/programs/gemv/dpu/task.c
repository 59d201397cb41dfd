// SPDX-License-Identifier: MIT
/* Matrix times vector: a tasklet does pairs of rows, as 8 bytes are two results. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdio.h>

#include "common.h"

#define BLOCK_SIZE (1 << BL)
#define ELEMENTS (BLOCK_SIZE / sizeof(T))

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;

BARRIER_INIT(my_barrier, NR_TASKLETS);

static T dot(uint32_t row, uint32_t vector, T *cache_a, T *cache_b)
{
	uint32_t n = DPU_INPUT_ARGUMENTS.n_size;
	T sum = 0;

	for (uint32_t at = 0; at < n; at += ELEMENTS) {
		uint32_t length = n - at < ELEMENTS ? n - at : ELEMENTS;

		mram_read((__mram_ptr void const *)(row + at * sizeof(T)), cache_a, BLOCK_SIZE);
		mram_read((__mram_ptr void const *)(vector + at * sizeof(T)), cache_b, BLOCK_SIZE);
		for (uint32_t j = 0; j < length; j++)
			sum += cache_a[j] * cache_b[j];
	}
	return sum;
}

int main(void)
{
	unsigned int tasklet_id = me();

	if (tasklet_id == 0)
		mem_reset();
	barrier_wait(&my_barrier);

	uint32_t pad = DPU_INPUT_ARGUMENTS.n_size_pad;
	uint32_t a = (uint32_t)DPU_MRAM_HEAP_POINTER;
	uint32_t b = a + DPU_INPUT_ARGUMENTS.max_rows * pad * sizeof(T);
	uint32_t c = b + pad * sizeof(T) + BLOCK_SIZE;
	T *cache_a = (T *)mem_alloc(BLOCK_SIZE);
	T *cache_b = (T *)mem_alloc(BLOCK_SIZE);
	T *cache_c = (T *)mem_alloc(8);

	for (uint32_t row = 2 * tasklet_id; row < DPU_INPUT_ARGUMENTS.nr_rows; row += 2 * NR_TASKLETS) {
		for (uint32_t k = 0; k < 2; k++)
			cache_c[k] = dot(a + (row + k) * pad * sizeof(T), b, cache_a, cache_b);
		mram_write(cache_c, (__mram_ptr void *)(c + row * sizeof(T)), 8);
	}
	if (tasklet_id == 0 && DPU_INPUT_ARGUMENTS.nr_rows == 0)
		printf("no rows\n");
	return 0;
}

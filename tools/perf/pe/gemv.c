// SPDX-License-Identifier: MIT
/* y = A x: the matrix, then x, then y; two rows at a time, 8 bytes of y. */
#include <defs.h>
#include <mram.h>

#include "tools/perf/pe/args.h"

#define BLOCK 1024
#define ROW (PE_COLUMNS * 4)

__host struct pe_args args;

__dma_aligned int32_t a[PE_TASKLETS][BLOCK / 4], x[PE_TASKLETS][BLOCK / 4];
__dma_aligned int32_t y[PE_TASKLETS][2];

static int32_t row_times_vector(uint32_t row, uint32_t vector)
{
	int32_t *p = a[me()], *q = x[me()];
	uint32_t sum = 0;

	for (uint32_t at = 0; at < ROW; at += BLOCK) {
		mram_read((__mram_ptr void *)(uintptr_t)(row + at), p, BLOCK);
		mram_read((__mram_ptr void *)(uintptr_t)(vector + at), q, BLOCK);
		for (uint32_t i = 0; i < BLOCK / 4; i++)
			sum += (uint32_t)p[i] * (uint32_t)q[i];
	}
	return (int32_t)sum;
}

int main(void)
{
	uint32_t heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER;
	uint32_t vector = heap + args.bytes, result = vector + ROW;

	for (uint32_t row = 2 * me(); row < args.bytes / ROW;
	     row += 2 * PE_TASKLETS) {
		for (uint32_t i = 0; i < 2; i++)
			y[me()][i] = row_times_vector(heap + (row + i) * ROW,
						      vector);
		mram_write(y[me()], (__mram_ptr void *)(uintptr_t)
			   (result + row * 4), 8);
	}
	return 0;
}

// SPDX-License-Identifier: MIT
/*
 * Deals the rows of a sparse matrix out to DPUs, and compares the product with its
 * own.
 */
#include <dpu.h>
#include <dpu_log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define ROWS 601	/* of a DPU */
#define COLS 500

static uint32_t allocated;

static uint32_t mram_heap_alloc(uint32_t size)
{
	uint32_t at = allocated;

	allocated += ROUND_UP_TO_MULTIPLE_OF_8(size);
	return at;
}

static void copyToDPU(struct dpu_set_t dpu, const void *hostPtr, uint32_t mramIdx, uint32_t size)
{
	DPU_ASSERT(dpu_copy_to(dpu, DPU_MRAM_HEAP_POINTER_NAME, mramIdx, hostPtr, ROUND_UP_TO_MULTIPLE_OF_8(size)));
}

static uint32_t row_length(uint32_t row)
{
	return row % 9 == 4 ? 0 : row * 7 % 23;
}

int main(void)
{
	struct dpu_set_t dpu_set, dpu;
	uint32_t nr, i = 0, wrong = 0;
	static float in[COLS], out[ROWS + 1];
	static uint32_t row_ptrs[ROWS + 1];
	static struct Nonzero nonzeros[ROWS * 23];
	struct DPUParams p = { .numRows = ROWS };

	DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
	DPU_ASSERT(dpu_load(dpu_set, "./bin/dpu_code", NULL));
	DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr));
	(void)mram_heap_alloc(sizeof(p));
	p.rowPtrs_m = mram_heap_alloc(sizeof(row_ptrs));
	p.inVector_m = mram_heap_alloc(sizeof(in));
	p.outVector_m = mram_heap_alloc(sizeof(out));
	p.nonzeros_m = mram_heap_alloc(sizeof(nonzeros));
	for (uint32_t c = 0; c < COLS; c++)
		in[c] = (float)(c % 17) * 0.5f;
	for (int phase = 0; phase < 2; phase++) {
		i = 0;
		DPU_FOREACH(dpu_set, dpu) {
			uint32_t n = 0;

			for (uint32_t row = 0; row < ROWS; row++) {
				float sum = 0;

				row_ptrs[row] = n;
				for (uint32_t k = 0; k < row_length(row + i); k++, n++) {
					nonzeros[n].col = (row * 31 + k * 19 + i) % COLS;
					nonzeros[n].value = (float)(k + 1);
					sum += nonzeros[n].value * in[nonzeros[n].col];
				}
				if (phase && row == 0)
					DPU_ASSERT(dpu_copy_from(dpu, DPU_MRAM_HEAP_POINTER_NAME, p.outVector_m, out, ROUND_UP_TO_MULTIPLE_OF_8(ROWS * 4)));
				wrong += phase && out[row] != sum;
			}
			row_ptrs[ROWS] = n;
			if (!phase) {
				copyToDPU(dpu, row_ptrs, p.rowPtrs_m, sizeof(row_ptrs));
				copyToDPU(dpu, nonzeros, p.nonzeros_m, n * sizeof(nonzeros[0]));
				copyToDPU(dpu, in, p.inVector_m, sizeof(in));
				copyToDPU(dpu, &p, 0, sizeof(p));
			}
			i++;
		}
		if (!phase)
			DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
	}
	printf("%u rows wrong\n", wrong);
	return wrong != 0;
}

// SPDX-License-Identifier: MIT
/* Sparse matrix (rows) times vector: rows are read one element after the other. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <perfcounter.h>
#include <seqread.h>
#include <stdio.h>

#include "common.h"

BARRIER_INIT(my_barrier, NR_TASKLETS);

int main(void)
{
	if (me() == 0)
		mem_reset();
	barrier_wait(&my_barrier);

	uint32_t heap = (uint32_t)DPU_MRAM_HEAP_POINTER;
	struct DPUParams *p = (struct DPUParams *)mem_alloc(ROUND_UP_TO_MULTIPLE_OF_8(sizeof(struct DPUParams)));

	mram_read((__mram_ptr void const *)heap, p, ROUND_UP_TO_MULTIPLE_OF_8(sizeof(struct DPUParams)));
	uint32_t rows = ((p->numRows - 1) / NR_TASKLETS / 2 + 1) * 2;
	uint32_t begin = me() * rows;
	uint32_t end = begin + rows < p->numRows ? begin + rows : p->numRows;
	if (begin >= p->numRows)
		return 0;

	seqreader_t row_reader, reader;
	seqreader_buffer_t row_buffer = seqread_alloc(), buffer = seqread_alloc();
	uint32_t *row_ptr = seqread_init(row_buffer, (__mram_ptr void *)(heap + p->rowPtrs_m + begin * 4), &row_reader);
	uint32_t first = *row_ptr;
	struct Nonzero *nonzero = seqread_init(buffer, (__mram_ptr void *)(heap + p->nonzeros_m + first * (uint32_t)sizeof(struct Nonzero)), &reader);
	uint64_t *in = mem_alloc(8);
	float *out = mem_alloc(8);

	for (uint32_t row = begin; row < end; row++) {
		float sum = 0;

		row_ptr = seqread_get(row_ptr, sizeof(uint32_t), &row_reader);
		for (uint32_t n = *row_ptr - first; n > 0; n--) {
			mram_read((__mram_ptr void const *)((heap + p->inVector_m + nonzero->col * 4) & ~7u), in, 8);
			sum += nonzero->value * ((float *)in)[nonzero->col & 1];
			nonzero = seqread_get(nonzero, sizeof(*nonzero), &reader);
		}
		first = *row_ptr;
		out[row & 1] = sum;
		if ((row & 1) || row + 1 == end)
			mram_write(out, (__mram_ptr void *)(heap + p->outVector_m + (row & ~1u) * 4), 8);
	}
	if (me() == 0)
		printf("%u rows\n", p->numRows);
	return 0;
}

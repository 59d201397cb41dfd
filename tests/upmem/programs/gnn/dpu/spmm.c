// SPDX-License-Identifier: MIT
/* Sums rows of features over the entries of a tile, a row a tasklet. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <string.h>

#include "common.h"

__host struct spmm_args DPU_INPUT_ARGUMENTS;

BARRIER_INIT(heap_barrier, NR_TASKLETS);

static uint32_t heap(uint32_t at)
{
	return (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + at;
}

static void add_row(uint32_t row, const uint32_t *starts, T *sum, T *x, struct entry *entry)
{
	const struct spmm_args *args = &DPU_INPUT_ARGUMENTS;
	uint32_t bytes = args->columns * sizeof(T);

	memset(sum, 0, bytes);
	for (uint32_t i = starts[row]; i < starts[row + 1]; i++) {
		mram_read((__mram_ptr void *)(uintptr_t)heap(args->tile + sizeof(uint32_t) * (ROWS + 2) + i * sizeof(*entry)),
			  entry, sizeof(*entry));
		mram_read((__mram_ptr void *)(uintptr_t)heap(args->features + entry->column * bytes), x, bytes);
		for (uint32_t j = 0; j < args->columns; j++)
			sum[j] += (T)entry->value * x[j];
	}
	mram_write(sum, (__mram_ptr void *)(uintptr_t)heap(args->sums + row * bytes), bytes);
}

int main(void)
{
	uint32_t bytes = DPU_INPUT_ARGUMENTS.columns * sizeof(T);
	uint32_t *starts;
	struct entry *entry;
	T *sum, *x;

	if (me() == 0)
		mem_reset();
	barrier_wait(&heap_barrier);
	starts = mem_alloc(sizeof(uint32_t) * (ROWS + 2));
	entry = mem_alloc(sizeof(*entry));
	sum = mem_alloc(bytes);
	x = mem_alloc(bytes);
	mram_read((__mram_ptr void *)(uintptr_t)heap(DPU_INPUT_ARGUMENTS.tile), starts, sizeof(uint32_t) * (ROWS + 2));
	for (uint32_t row = me(); row < ROWS; row += NR_TASKLETS)
		add_row(row, starts, sum, x, entry);
	return 0;
}

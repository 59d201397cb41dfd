// SPDX-License-Identifier: MIT
/* Reduction: the sum of all elements. */
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "tools/perf/pe/args.h"

#define BLOCK 1024

__host struct pe_args args;
__host uint64_t total;

__dma_aligned uint32_t block[PE_TASKLETS][BLOCK / 4];
static uint64_t sums[PE_TASKLETS];

BARRIER_INIT(summed, PE_TASKLETS);

int main(void)
{
	uint32_t heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER;
	uint32_t *x = block[me()];
	uint64_t sum = 0;

	for (uint32_t at = me() * BLOCK; at < args.bytes;
	     at += PE_TASKLETS * BLOCK) {
		mram_read((__mram_ptr void *)(uintptr_t)(heap + at), x, BLOCK);
		for (uint32_t i = 0; i < BLOCK / 4; i++)
			sum += x[i];
	}
	sums[me()] = sum;
	barrier_wait(&summed);
	if (me() == 0) {
		sum = 0;
		for (uint32_t t = 0; t < PE_TASKLETS; t++)
			sum += sums[t];
		total = sum;
	}
	return 0;
}

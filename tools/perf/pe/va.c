// SPDX-License-Identifier: MIT
/* Vector addition: C = A + B. */
#include <defs.h>
#include <mram.h>

#include "tools/perf/pe/args.h"

#define BLOCK 1024

__host struct pe_args args;

__dma_aligned uint32_t a[PE_TASKLETS][BLOCK / 4], b[PE_TASKLETS][BLOCK / 4];

int main(void)
{
	uint32_t heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER;
	uint32_t bytes = args.bytes;
	uint32_t *x = a[me()], *y = b[me()];

	for (uint32_t at = heap + me() * BLOCK; at < heap + bytes;
	     at += PE_TASKLETS * BLOCK) {
		mram_read((__mram_ptr void *)(uintptr_t)at, x, BLOCK);
		mram_read((__mram_ptr void *)(uintptr_t)(at + bytes), y, BLOCK);
		for (uint32_t i = 0; i < BLOCK / 4; i++)
			y[i] += x[i];
		mram_write(y, (__mram_ptr void *)(uintptr_t)(at + 2 * bytes),
			   BLOCK);
	}
	return 0;
}

// SPDX-License-Identifier: MIT
/* MRAM DMA in the longest transfers there are. */
#include <defs.h>
#include <mram.h>

#include "tools/perf/pe/args.h"

#define BLOCK 2048
#define WORDS (BLOCK / sizeof(uint64_t))

__host struct pe_args args;
/* reading: of every transfer one word, another one each time */
__host uint64_t sums[PE_TASKLETS];

__dma_aligned uint64_t block[PE_TASKLETS][WORDS];

/* the first word of each block tells its place and pass */
static void write_all(uint32_t pass)
{
	uint32_t heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER;
	uint64_t *from = block[me()];

	for (uint32_t at = me() * BLOCK; at < args.bytes;
	     at += PE_TASKLETS * BLOCK) {
		from[0] = (uint64_t)pass << 32 | at;
		mram_write(from, (__mram_ptr void *)(uintptr_t)(heap + at),
			   BLOCK);
	}
}

static uint64_t read_all(void)
{
	uint32_t heap = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER;
	uint64_t *to = block[me()], sum = 0;

	for (uint32_t at = me() * BLOCK; at < args.bytes;
	     at += PE_TASKLETS * BLOCK) {
		mram_read((__mram_ptr void *)(uintptr_t)(heap + at), to, BLOCK);
		sum += to[at / BLOCK % WORDS];
	}
	return sum;
}

int main(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < WORDS; i++)
		block[me()][i] = i * (me() + 1);
	for (uint32_t pass = 0; pass < args.passes; pass++) {
		if (args.write)
			write_all(pass);
		else
			sum += read_all();
	}
	sums[me()] = sum;
	return 0;
}

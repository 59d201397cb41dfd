// SPDX-License-Identifier: MIT
/*
 * Copies of messages within MRAM, as R03's figure 9 has them: by words, by transfers, and by
 * the longest of these, which take the place of its rows; by some of the tasklets.
 */
#include <defs.h>
#include <mram.h>

#include "tools/perf/pe/copies.h"

__host struct copies_args args;

static __dma_aligned uint8_t block[COPIES_TASKLETS][2048];

/* A size that the compiler knows; tasklets take turns. */
#define COPY(name, unit)							\
	static void copy_##name(uint32_t from, uint32_t to)			\
	{									\
		uint8_t *through = block[me()];					\
										\
		for (uint32_t at = me() * (unit); at < args.bytes;		\
		     at += args.tasklets * (unit)) {				\
			mram_read((__mram_ptr void *)(uintptr_t)(from + at), through, unit); \
			mram_write(through, (__mram_ptr void *)(uintptr_t)(to + at), unit); \
		}								\
	}
COPY(word, 8)
COPY(dma, 256)
COPY(row, 2048)

static void (*const ways[])(uint32_t from, uint32_t to) = {
	[COPIES_WORD] = copy_word,
	[COPIES_DMA] = copy_dma,
	[COPIES_ROW] = copy_row,
};

int main(void)
{
	uint32_t from = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER;

	if (me() >= args.tasklets)
		return 0;
	for (uint32_t round = 0; round < args.rounds; round++)
		ways[args.way](from, from + COPIES_MAX);
	return 0;
}

// SPDX-License-Identifier: MIT
/*
 * What hardware's compiler has built in, called by name.
 * quirk: tasklets=3
 */
#include <alloc.h>
#include <mram.h>
#include <seqread.h>

#include "quirk.h"

#define ITEMS 200

/* programs declare it themselves */
int __builtin_dpu_seqread_get(int, unsigned int, void *, const unsigned int);

__mram_noinit uint64_t there[NR_TASKLETS][ITEMS];

static void fill(__mram_ptr uint64_t *to)
{
	__dma_aligned uint64_t word;

	for (uint64_t i = 0; i < ITEMS; i++) {
		word = i * i;
		__builtin_dpu_sdma(&word, &to[i], sizeof(word));
	}
}

int main(void)
{
	__mram_ptr uint64_t *mine = there[me()];
	__dma_aligned uint64_t pair[2];
	seqreader_t reader;
	uint64_t *item;

	CHECK(__builtin_dpu_tid() == me());
	fill(mine);
	__builtin_dpu_ldma(pair, &mine[7], sizeof(pair));
	CHECK(pair[0] == 49 && pair[1] == 64);
	item = seqread_init(seqread_alloc(), mine, &reader);
	for (uint64_t i = 0; i < ITEMS; i++) {
		CHECK(*item == i * i);
		item = (uint64_t *)__builtin_dpu_seqread_get((uintptr_t)item,
			sizeof(*item), &reader, SEQREAD_CACHE_SIZE);
	}
	quirk_end();
	return 0;
}

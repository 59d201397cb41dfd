/* SPDX-License-Identifier: MIT */
/* Each MRAM byte is read once and written once: fold, then lane broadcast. */
#include "rows.h"

/*
 * Tiles of an item: while one is folded the one before it is stored, and the last
 * one by itself. Twins share lines, which must not be gone when the second comes.
 */
#define ITEM_TILES	64
#define TWIN_TILES	2

void pc_rows_allreduce(struct pc_call *call, uint32_t set, uint64_t word,
		       uint64_t n)
{
	_Alignas(64) uint8_t rows[2][64 * PC_ROWS];
	struct pc_rows_done done = { .n = 0 };
	uint64_t tile_words = pc_rows_words(call);

	for (unsigned int k = 0; n; k ^= 1) {
		uint64_t words = n < tile_words ? n : tile_words;

		pc_rows_reduce(call, set, word, words, rows[k],
			       done.n ? &done : NULL);
		if (call->fold.host_domain) {
			call->sys->kernels->transpose(rows[k], rows[k],
						      pc_rows(call, words));
			pc_count(&call->transfers, pc_rows(call, words));
		}
		done = (struct pc_rows_done){ rows[k], word, words };
		word += words;
		n -= words;
	}
	pc_rows_spread(call, set, done.word, done.n, done.rows, true);
}

int pc_allreduce_direct(struct pc_call *call)
{
	uint64_t tiles = call->shape->twins ? TWIN_TILES : ITEM_TILES;

	pc_for_each_tile(call, call->words, tiles * pc_rows_words(call),
			 pc_rows_allreduce);
	return 0;
}

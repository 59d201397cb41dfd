/* SPDX-License-Identifier: MIT */
#include "call.h"

/* what a worker takes at a time at least, so that handing out costs nothing */
#define GRAIN_BYTES (64 << 10)

static void tile_work(void *ctx, uint64_t first, uint64_t count)
{
	struct pc_call *call = ctx;
	uint64_t words = call->words;

	for (uint64_t i = first; i < first + count; i++) {
		uint64_t word = i % call->tiles * call->tile_words;
		uint64_t n = words - word;

		if (n > call->tile_words)
			n = call->tile_words;
		call->item(call, (uint32_t)(i / call->tiles), word, n);
	}
}

void pc_for_each_tile(struct pc_call *call, uint64_t words, uint64_t tile_words,
		      void (*item)(struct pc_call *call, uint32_t set,
				   uint64_t word, uint64_t n))
{
	const struct pc_shape *s = call->shape;
	uint64_t tile_bytes, grain;

	if (tile_words > words)
		tile_words = words;
	call->words = words;
	call->tile_words = tile_words;
	call->tiles = (words + tile_words - 1) / tile_words;
	call->item = item;
	tile_bytes = call->bytes * s->egs * 8 / call->tiles;
	grain = tile_bytes < GRAIN_BYTES ? GRAIN_BYTES / (tile_bytes + 1) + 1 : 1;
	pd_workers_run(call->sys->workers, s->sets * call->tiles, grain,
		       tile_work, call);
}

uint64_t pc_streams(const struct pc_call *call, uint32_t eg, uint64_t first,
		    uint64_t gap, uint64_t step, unsigned int streams,
		    uint64_t n, uint8_t *ptr[8])
{
	uint64_t run = pd_run(call->sys, first);
	uint64_t last = (streams - 1) * gap;

	ptr[0] = pd_block(call->sys, eg, first);
	for (unsigned int j = 1; j < streams; j++) {
		if (last < run) {	/* all begin in one run */
			ptr[j] = ptr[j - 1] + pc_step(call, gap);
		} else {
			uint64_t left = pd_run(call->sys, first + j * gap);

			n = left < n * step ? (left + step - 1) / step : n;
			ptr[j] = pd_block(call->sys, eg, first + j * gap);
		}
	}
	run -= last < run ? last : 0;
	return run < n * step ? (run + step - 1) / step : n;
}

/* SPDX-License-Identifier: MIT */
/* Each block is loaded once; every destination block is one lane broadcast. */
#include "call.h"

#define TILE_WORDS 256

static void load_tile(struct pc_call *call, uint8_t *tile, uint32_t eg,
		      uint64_t word, uint64_t n)
{
	pc_count(&call->blocks_read, n);
	while (n) {
		uint8_t *from[8];
		uint64_t run = pc_streams(call, eg, word, 0, 1, 1, n, from);

		call->kernels->load(tile, from[0], pc_step(call, 1), run);
		tile += 64 * run;
		word += run;
		n -= run;
	}
}

/* the chunks of group e's lanes, to every lane of group `eg` */
static void spread_tile(struct pc_call *call, const uint8_t *tile, uint32_t eg,
			uint32_t e, uint64_t word, uint64_t n,
			const struct pc_ahead *ahead)
{
	const struct pc_lanes *lanes = &call->shape->lanes;
	unsigned int nl = lanes->nl;

	pc_count(&call->blocks_written, n * nl);
	while (n) {
		uint64_t first = call->dst + e * nl * call->words + word;
		uint8_t *to[8];
		uint64_t run = pc_streams(call, eg, first, call->words, 1, nl,
					  n, to);

		call->kernels->spread(lanes, to, nl, pc_step(call, 1), tile,
				      run, call->stores, ahead);
		ahead = NULL;
		tile += 64 * run;
		word += run;
		n -= run;
	}
}

/* what the next tile reads of group e of the set */
static void look_ahead(const struct pc_call *call, uint32_t set, uint32_t e,
		       uint64_t word, uint64_t n, struct pc_ahead *ahead)
{
	ahead->streams = 0;
	if (call->small || word + 2 * n > call->words)
		return;
	ahead->streams = 1;
	ahead->step = pc_step(call, 1);
	ahead->n = pc_streams(call, pc_eg(call, set, e), call->src + word + n,
			      0, 1, 1, n, ahead->ptr);
}

/* the source groups [s, end), neighbours in every destination */
static void gather_from(struct pc_call *call, uint32_t set, uint32_t s,
			uint32_t end, uint64_t word, uint64_t n)
{
	_Alignas(64) uint8_t tile[64 * TILE_WORDS];

	for (uint32_t e = s; e < end; e++)
		load_tile(call, tile + 64 * n * (e - s), pc_eg(call, set, e),
			  call->src + word, n);
	for (uint32_t t = 0; t < call->shape->egs; t++) {
		for (uint32_t e = s; e < end; e++) {
			struct pc_ahead ahead = { .streams = 0 };

			if (!t)
				look_ahead(call, set, e, word, n, &ahead);
			spread_tile(call, tile + 64 * n * (e - s),
				    pc_eg(call, set, t), e, word, n, &ahead);
		}
	}
}

/* sources of an item: of short chunks several, to be worth a visit to a group */
static uint32_t sources(const struct pc_call *call)
{
	return pc_egs_together(call, TILE_WORDS / call->words);
}

static void item(struct pc_call *call, uint32_t set, uint32_t part,
		 uint64_t word, uint64_t n)
{
	uint32_t count = sources(call);
	uint32_t s = (call->src == call->dst ? 1 : 0) + part * count;
	uint32_t end = s + count;

	gather_from(call, set, s, end < call->shape->egs ? end : call->shape->egs,
		    word, n);
}

static void item_first(struct pc_call *call, uint32_t set, uint64_t word,
		       uint64_t n)
{
	gather_from(call, set, 0, 1, word, n);
}

/*
 * The chunk that a source of an in-place call lies in is overwritten with what
 * the first group's lanes send, so that group comes last.
 */
int pc_allgather_direct(struct pc_call *call)
{
	bool in_place = call->src == call->dst;
	uint32_t egs = call->shape->egs - in_place;
	uint32_t count = sources(call);

	pc_for_each_part(call, call->words, TILE_WORDS, 0,
			 (egs + count - 1) / count, item);
	if (in_place)
		pc_for_each_tile(call, call->words, TILE_WORDS, item_first);
	return 0;
}

// SPDX-License-Identifier: MIT
/* Each block is loaded once; every destination block is one lane broadcast. */
#include "collectives/call/algorithm.h"
#include "collectives/call/call.h"

/* a stretch of memory in each destination; half as long ones take up to a fifth longer */
#define TILE_BLOCKS 512

static void allgather_load(struct pc_call *call, uint8_t *tile, uint32_t eg,
			   uint64_t word, uint64_t n)
{
	pc_count(&call->counts.blocks_read, pc_blocks(call, n));
	while (n) {
		uint8_t *from[8];
		uint64_t run = pc_streams(call, eg, word, 0, 1, 1, n, from);

		call->req->moves->load(tile, from[0], call->work.apart,
				       pc_blocks(call, run));
		tile += 64 * pc_blocks(call, run);
		word += run;
		n -= run;
	}
}

/* the chunks of group e's lanes, to every lane of group `eg`, and of the one that it
 * shares lines with, if that is of the set */
static void allgather_spread(struct pc_call *call, const uint8_t *tile,
			     uint32_t eg, uint32_t e, uint64_t word, uint64_t n,
			     const struct pc_ahead *ahead)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	unsigned int nl = lanes->nl;

	while (n) {
		uint64_t first =
			call->req->dst + e * nl * call->req->words + word;
		uint8_t *to[8];
		uint64_t run = pc_streams(call, eg, first, call->req->words, 1,
					  nl, n, to);

		if (call->req->shape->pairs)
			call->req->moves->spread_pairs(
				lanes, to, pc_step(call, 1), tile, tile, run,
				call->work.stores, ahead);
		else
			call->req->moves->spread(
				lanes, to, nl, call->work.apart, tile,
				pc_blocks(call, run), call->work.stores, ahead);
		ahead = NULL;
		tile += 64 * pc_blocks(call, run);
		word += run;
		n -= run;
	}
}

/* what the next tile reads of group e of the set, or NULL */
static const struct pc_ahead *ahead_of_tile(const struct pc_call *call,
					    uint32_t set, uint32_t e,
					    uint64_t word, uint64_t n,
					    struct pc_ahead *ahead)
{
	if (call->req->small || word + 2 * n > call->req->words)
		return NULL;
	ahead->streams = 1;
	ahead->first = call->req->sys->asks_first;
	ahead->step = call->work.apart;
	ahead->n = pc_blocks(call, pc_streams(call, pc_eg(call, set, e),
					      call->req->src + word + n, 0, 1,
					      1, n, ahead->ptr));
	return ahead;
}

/* groups, or twos of them that share lines */
static uint32_t allgather_destinations(const struct pc_call *call)
{
	return call->req->shape->pairs ? call->req->shape->egs / 2
				       : call->req->shape->egs;
}

/* the source groups [s, end), neighbours in every destination */
static void gather_from(struct pc_call *call, uint32_t set, uint32_t s,
			uint32_t end, uint64_t word, uint64_t n)
{
	_Alignas(64) uint8_t tile[64 * TILE_BLOCKS];
	uint64_t blocks = pc_blocks(call, n), bytes = 64 * blocks;

	for (uint32_t e = s; e < end; e++)
		allgather_load(call, tile + bytes * (e - s),
			       pc_eg(call, set, e), call->req->src + word, n);
	for (uint32_t i = 0; i < allgather_destinations(call); i++) {
		uint32_t t = call->req->shape->pairs ? pc_pair(call, i) : i;

		for (uint32_t e = s; e < end; e++) {
			struct pc_ahead ahead;

			allgather_spread(call, tile + bytes * (e - s),
					 pc_eg(call, set, t), e, word, n,
					 i ? NULL
					   : ahead_of_tile(call, set, e, word,
							   n, &ahead));
		}
	}
	pc_count(&call->counts.blocks_written,
		 (uint64_t)(end - s) * call->req->shape->egs *
			 call->req->shape->lanes.nl * blocks);
}

static uint64_t allgather_tile_words(const struct pc_call *call)
{
	return call->work.paired ? TILE_BLOCKS / 2 : TILE_BLOCKS;
}

/* sources of an item: of short chunks several, to be worth a visit to a group */
static uint32_t sources_together(const struct pc_call *call)
{
	return pc_egs_together(call,
			       allgather_tile_words(call) / call->req->words);
}

static void allgather_item(struct pc_call *call, uint32_t set, uint32_t part,
			   uint64_t word, uint64_t n)
{
	uint32_t count = sources_together(call);
	uint32_t s = (call->req->src == call->req->dst ? 1 : 0) + part * count;
	uint32_t end = s + count;

	gather_from(call, set, s,
		    end < call->req->shape->egs ? end : call->req->shape->egs,
		    word, n);
}

static void allgather_first(struct pc_call *call, uint32_t set, uint64_t word,
			    uint64_t n)
{
	gather_from(call, set, 0, 1, word, n);
}

/*
 * The chunk that a source of an in-place call lies in is overwritten with what
 * the first group's lanes send, so that group comes last.
 */
static int allgather_direct_run(struct pc_call *call)
{
	bool in_place = call->req->src == call->req->dst;
	uint32_t egs = call->req->shape->egs - in_place, count;

	pc_pair_up(call);
	count = sources_together(call);

	pc_for_each_part(call, call->req->words, allgather_tile_words(call), 0,
			 (egs + count - 1) / count, allgather_item);
	if (in_place)
		pc_for_each_tile(call, call->req->words,
				 allgather_tile_words(call), allgather_first);
	return 0;
}

const struct pc_algorithm pc_allgather_direct = {
	.collective = PC_ALLGATHER,
	.name = "direct",
	.desc = "lane broadcast of each block to all entangled groups",
	.serves = PC_ALL_SIZES,
	.run = allgather_direct_run,
};

// SPDX-License-Identifier: MIT
/*
 * Lane exchange between every two entangled groups of a set: the nl chunks that
 * group s holds for the lanes of group t become, in registers, the nl chunks
 * that t receives of the lanes of s.
 */
#include "collectives/call/algorithm.h"
#include "collectives/call/call.h"

/* words of a chunk an item moves between every two groups: many, as memory is slower the more
 * often reading and writing go on elsewhere */
#define TILE_WORDS	2048

/* words of a chunk so short that processors lose the trail of where reading goes on */
#define SHORT_WORDS	64

/* the nl chunks at `base` of group `eg` that belong to group e's lanes */
static uint64_t chunk_streams(const struct pc_call *call, uint32_t eg,
			      uint64_t base, uint32_t e, uint64_t word,
			      uint64_t n, uint8_t *ptr[8])
{
	unsigned int nl = call->req->shape->lanes.nl;

	return pc_streams(call, eg, base + e * nl * call->req->words + word,
			  call->req->words, 1, nl, n, ptr);
}

/* what s holds for group t, which comes next */
static const struct pc_ahead *ahead_of_pair(const struct pc_call *call,
					    uint32_t set, uint32_t s,
					    uint32_t t, uint64_t word,
					    uint64_t n, struct pc_ahead *ahead)
{
	ahead->streams = call->req->shape->lanes.nl;
	ahead->first = call->req->sys->asks_first;
	ahead->step = call->work.apart;
	ahead->n = pc_blocks(call, chunk_streams(call, pc_eg(call, set, s),
						 call->req->src, t, word, n,
						 ahead->ptr));
	return ahead;
}

static void alltoall_move_pair(struct pc_call *call, uint32_t set, uint32_t s,
			       uint32_t t, uint64_t word, uint64_t n)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	uint64_t end = word + n;
	const struct pc_ahead *ahead = NULL;
	struct pc_ahead room;

	if (!call->req->small && n <= SHORT_WORDS &&
	    t + 1 < call->req->shape->egs)
		ahead = ahead_of_pair(call, set, s, t + 1, word, n, &room);

	while (word < end) {
		uint8_t *from[8], *to[8];

		n = chunk_streams(call, pc_eg(call, set, s), call->req->src, t,
				  word, end - word, from);
		n = chunk_streams(call, pc_eg(call, set, t), call->req->dst, s,
				  word, n, to);
		call->req->moves->exchange(lanes, to, call->work.apart, from,
					   call->work.apart, pc_blocks(call, n),
					   call->work.stores, ahead);
		word += n;
	}
}

static void alltoall_swap_pair(struct pc_call *call, uint32_t set, uint32_t s,
			       uint32_t t, uint64_t word, uint64_t n)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	uint64_t end = word + n;

	while (word < end) {
		uint8_t *a[8], *b[8];

		n = chunk_streams(call, pc_eg(call, set, s), call->req->src, t,
				  word, end - word, a);
		n = chunk_streams(call, pc_eg(call, set, t), call->req->src, s,
				  word, n, b);
		call->req->moves->swap(lanes, a, b, call->work.apart,
				       pc_blocks(call, n));
		word += n;
	}
}

static void alltoall_count(struct pc_call *call, uint64_t pairs, uint64_t n)
{
	uint64_t blocks =
		pairs * pc_blocks(call, n) * call->req->shape->lanes.nl;

	pc_count(&call->counts.blocks_read, blocks);
	pc_count(&call->counts.blocks_written, blocks);
}

static void alltoall_item(struct pc_call *call, uint32_t set, uint32_t s,
			  uint64_t word, uint64_t n)
{
	uint32_t egs = call->req->shape->egs;

	for (uint32_t t = 0; t < egs; t++)
		alltoall_move_pair(call, set, s, t, word, n);
	alltoall_count(call, egs, n);
}

/* in place, a pair of groups exchanges its chunks both ways at once */
static void alltoall_item_in_place(struct pc_call *call, uint32_t set,
				   uint32_t s, uint64_t word, uint64_t n)
{
	uint32_t egs = call->req->shape->egs;

	alltoall_move_pair(call, set, s, s, word, n);
	for (uint32_t t = s + 1; t < egs; t++)
		alltoall_swap_pair(call, set, s, t, word, n);
	alltoall_count(call, 1 + 2 * (egs - 1 - s), n);
}

/*
 * The lines of two groups that share them, as they lie: the chunks for groups t and
 * t + pairs, whole ones.
 */
static const struct pc_ahead *ahead_of_pairs(const struct pc_call *call, uint32_t set,
					     uint32_t s, uint32_t t, struct pc_ahead *ahead)
{
	uint64_t words = call->req->shape->lanes.nl * call->req->words;
	uint32_t pairs = call->req->shape->pairs;

	ahead->streams = 2;
	ahead->first = call->req->sys->asks_first;
	ahead->step = 64;
	ahead->n = words;
	for (uint32_t i = 0; i < 2; i++)
		ahead->n = pc_streams(call, pc_eg(call, set, s),
				      call->req->src + (t + i * pairs) * words, 0, 1, 1,
				      ahead->n, ahead->ptr + i);
	ahead->n *= 2;
	return ahead;
}

/* two groups that share lines, and two others or the same that do. `next`: the group whose
 * chunks come after, or more than there are */
static void alltoall_move_pairs(struct pc_call *call, uint32_t set, uint32_t s,
				uint32_t t, uint32_t next, uint64_t word, uint64_t n)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	uint32_t pairs = call->req->shape->pairs;
	const struct pc_ahead *ahead = NULL;
	struct pc_ahead room;

	if (!call->req->small && n == call->req->words && n <= SHORT_WORDS &&
	    next < call->req->shape->egs)
		ahead = ahead_of_pairs(call, set, s, next, &room);

	for (uint64_t end = word + n; word < end; word += n) {
		uint8_t *from[2][8], *to[2][8];

		n = end - word;
		for (uint32_t i = 0; i < 2; i++) {
			n = chunk_streams(call, pc_eg(call, set, s),
					  call->req->src, t + i * pairs, word,
					  n, from[i]);
			n = chunk_streams(call, pc_eg(call, set, t),
					  call->req->dst, s + i * pairs, word,
					  n, to[i]);
		}
		call->req->moves->exchange_pairs(lanes, to, from,
						 pc_step(call, 1), n,
						 call->work.stores, ahead);
	}
}

/* alltoall_item() of two groups that share lines */
static void alltoall_item_pairs(struct pc_call *call, uint32_t set,
				uint32_t part, uint64_t word, uint64_t n)
{
	uint32_t s = pc_pair(call, part), egs = call->req->shape->egs;

	for (uint32_t t = 0; t < egs / 2; t++)
		alltoall_move_pairs(call, set, s, pc_pair(call, t),
				    pc_pair(call, t + 1), word, n);
	alltoall_count(call, 2 * egs, n);
}

static int alltoall_direct_run(struct pc_call *call)
{
	bool in_place = call->req->src == call->req->dst;
	uint32_t egs = call->req->shape->egs;

	pc_pair_up(call);
	if (call->req->shape->pairs && !in_place)
		pc_for_each_part(call, call->req->words, TILE_WORDS, 0, egs / 2,
				 alltoall_item_pairs);
	else
		pc_for_each_part(call, call->req->words, TILE_WORDS, 0, egs,
				 in_place ? alltoall_item_in_place
					  : alltoall_item);
	return 0;
}

const struct pc_algorithm pc_alltoall_direct = {
	.collective = PC_ALLTOALL,
	.name = "direct",
	.desc = "lane exchange between pairs of entangled groups, in registers",
	.serves = PC_ALL_SIZES,
	.run = alltoall_direct_run,
};

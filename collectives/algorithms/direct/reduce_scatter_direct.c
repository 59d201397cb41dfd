// SPDX-License-Identifier: MIT
/*
 * Lane exchange, domain transfer, vertical folds over registers and source
 * entangled groups in rank order, domain transfer back.
 */
#include "collectives/call/algorithm.h"
#include "collectives/call/call.h"

/*
 * Words of a tile, and its blocks in all: small enough for the first cache, yet
 * where a group has few lanes an item walks far enough in each entangled group
 * to be worth the new page.
 */
#define TILE_WORDS	128
#define TILE_BLOCKS	256

/*
 * A fold in registers needs no tile but its accumulator. An item that takes many
 * entangled groups in turn comes back to each when its page tables have left the
 * caches: it walks farther in each, and so does one that takes twins together.
 */
#define FAR_WORDS	512
#define MANY_EGS	8

/* Words of neighbouring chunks that are folded at a visit to a source. */
#define SHORT_WORDS	128

_Static_assert(64 * TILE_WORDS <= PC_FOLD_BYTES, "a fold takes a tile's row");
_Static_assert(PC_FOLD_ACC_BYTES <= 64 * FAR_WORDS, "an accumulator may be wide");

/*
 * A visit to `sources` groups of a set from s on, for the n words at `word` of the
 * chunks that belong to group t's lanes.
 */
struct visit {
	uint32_t set, s, sources, t;
	uint64_t word, n;
};

/* nl chunks of each source, from the visit's word `at` on */
static uint64_t visit_streams(const struct pc_call *call, const struct visit *v,
			      uint64_t at, uint8_t *ptr[8])
{
	unsigned int nl = call->req->shape->lanes.nl;
	uint64_t first =
		call->req->src + v->t * nl * call->req->words + v->word + at;
	uint64_t n = v->n - at;

	for (uint32_t i = 0; i < v->sources; i++)
		n = pc_streams(call, pc_eg(call, v->set, v->s + i), first,
			       call->req->words, 1, nl, n, ptr + i * nl);
	return n;
}

/* whether lines that an item reads may be gone when the next one comes: not where
 * that is the other one of two groups that share them */
static bool whole_lines(const struct pc_call *call)
{
	return call->work.paired || pc_folds_pairs(call) || pd_stride(call->req->sys) == 64;
}

/* destinations of an item: of short chunks several, to be worth a visit to a source */
static uint32_t choose_destinations(const struct pc_call *call)
{
	if (!call->req->fold.reduce || !whole_lines(call))
		return 1;
	return pc_egs_together(call, SHORT_WORDS / call->req->words);
}

static uint32_t chosen_destinations(const struct pc_call *call)
{
	const uint32_t *chosen = call->work.own;

	return *chosen;
}

/* what comes after a visit: the next sources, chosen_destinations or tile, or NULL */
static const struct pc_ahead *ahead_of_visit(const struct pc_call *call,
					     struct visit v,
					     struct pc_ahead *ahead)
{
	struct pc_next next = pc_next_visit(call, v.s, v.sources, pc_groups_beside(call));

	v.s = next.e;
	v.sources = next.sources;
	if (next.next_tile) {
		v.t += chosen_destinations(call);
		if (v.t >= call->req->shape->egs) {
			v.t = 0;
			v.word += v.n;
		}
	}
	if (v.word + v.n > call->req->words)
		return NULL;
	if (next.half) {
		v.n /= 2;
		v.word += (next.half - 1) * v.n;
	}
	ahead->streams = v.sources * call->req->shape->lanes.nl;
	ahead->first = call->req->sys->asks_first;
	ahead->step = call->work.apart;
	ahead->n = pc_blocks(call, visit_streams(call, &v, 0, ahead->ptr));
	if (next.lines)
		pc_ask_lines(ahead);
	return ahead;
}

/* fold the visited sources, the first of the set or not, into acc; and those that share
 * lines with them, unless `pairs` is 0, so many bytes on */
static void fold_sources(struct pc_call *call, uint8_t *acc, size_t pairs,
			 const struct visit *v)
{
	_Alignas(64) uint8_t tile[64 * TILE_BLOCKS];
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	const struct pc_fold *fold = &call->req->fold;
	const struct pc_ahead *ahead = NULL;
	struct pc_ahead room;
	uint64_t blocks = pc_blocks(call, v->n), at = 0;

	if (!call->req->small)
		ahead = ahead_of_visit(call, *v, &room);
	while (at < v->n) {
		uint8_t *from[8];
		uint64_t run = visit_streams(call, v, at, from);
		uint64_t row = 64 * pc_blocks(call, at);

		if (fold->reduce)
			fold->reduce(lanes, v->sources * lanes->nl, acc + row,
				     from, call->work.apart,
				     pc_blocks(call, run), pairs, !v->s, ahead, NULL);
		else
			call->req->moves->collect(lanes, tile + row, blocks, from,
						  call->work.apart,
						  pc_blocks(call, run),
						  fold->host_domain, ahead,
						  NULL);
		at += run;
	}
	if (!fold->reduce)
		pc_fold_tile(fold, acc, tile, lanes->nl, 64 * blocks, !v->s);
}

static void store_tile(struct pc_call *call, const uint8_t *acc, uint32_t eg,
		       uint64_t word, uint64_t n)
{
	while (n) {
		uint8_t *to[8];
		uint64_t run = pc_streams(call, eg, word, 0, 1, 1, n, to);

		call->req->moves->store(to[0], call->work.apart, acc,
					pc_blocks(call, run),
					call->req->fold.host_domain,
					call->work.stores);
		acc += 64 * pc_blocks(call, run);
		word += run;
		n -= run;
	}
}

/* fold into the chosen_destinations [t, end), whose chunks are neighbours */
static void reduce_to(struct pc_call *call, uint32_t set, uint32_t t,
		      uint32_t end, uint64_t word, uint64_t n)
{
	_Alignas(64) uint8_t acc[64 * FAR_WORDS];
	uint64_t row = pc_blocks(call, n), blocks = (end - t) * row;
	size_t pairs = pc_folds_pairs(call) ? 64 * blocks : 0;
	uint64_t read =
		call->req->shape->egs * call->req->shape->lanes.nl * blocks;
	struct visit v = { .set = set, .word = word, .n = n };

	for (; v.s < call->req->shape->egs; v.s = pc_visited_next(call, v.s, v.sources)) {
		v.sources = pc_sources(call, v.s);
		for (v.t = t; v.t < end; v.t++)
			fold_sources(call, acc + 64 * row * (v.t - t), pairs, &v);
	}
	if (pairs)
		pc_fold_next(&call->req->fold, acc, acc + pairs, pairs);
	pc_fold_last(&call->req->fold, acc, acc, 64 * blocks);
	for (uint32_t d = t; d < end; d++)
		store_tile(call, acc + 64 * row * (d - t), pc_eg(call, set, d),
			   call->req->dst + word, n);
	pc_count(&call->counts.blocks_read, read);
	pc_count(&call->counts.blocks_written, blocks);
	if (call->req->fold.host_domain)
		pc_count(&call->counts.transfers, read + blocks);
}

static void reduce_scatter_item(struct pc_call *call, uint32_t set,
				uint32_t part, uint64_t word, uint64_t n)
{
	uint32_t count = chosen_destinations(call);
	uint32_t t = (call->req->src == call->req->dst ? 1 : 0) + part * count;
	uint32_t end = t + count;

	reduce_to(call, set, t,
		  end < call->req->shape->egs ? end : call->req->shape->egs,
		  word, n);
}

static void reduce_scatter_first(struct pc_call *call, uint32_t set,
				 uint64_t word, uint64_t n)
{
	reduce_to(call, set, 0, 1, word, n);
}

static uint64_t reduce_scatter_tile_words(const struct pc_call *call)
{
	uint64_t words = TILE_BLOCKS / call->req->shape->lanes.nl;
	bool many = whole_lines(call) && call->req->shape->egs >= MANY_EGS;

	if (words > TILE_WORDS)
		words = TILE_WORDS;
	if (call->req->fold.reduce && (call->work.paired || many))
		words = FAR_WORDS;
	else if (call->req->fold.reduce)
		words = words < TILE_WORDS ? TILE_WORDS : 2 * TILE_WORDS;
	/* of two accumulators each has half of the room */
	return words >> (call->work.paired || pc_folds_pairs(call));
}

/*
 * In place the result overwrites chunk 0, which only the first destination
 * reads: it comes first, and no other reads these words again.
 */
static int reduce_scatter_direct_run(struct pc_call *call)
{
	bool in_place = call->req->src == call->req->dst;
	uint32_t egs = call->req->shape->egs - in_place;
	uint32_t count;
	uint64_t words;

	pc_pair_up(call);
	count = choose_destinations(call);
	words = reduce_scatter_tile_words(call);
	call->work.own = &count;
	if (in_place)
		pc_for_each_tile(call, call->req->words, words,
				 reduce_scatter_first);
	pc_for_each_part(call, call->req->words, words, 0,
			 (egs + count - 1) / count, reduce_scatter_item);
	call->work.own = NULL;
	return 0;
}

const struct pc_algorithm pc_reduce_scatter_direct = {
	.collective = PC_REDUCE_SCATTER,
	.name = "direct",
	.desc = "lane exchange, domain transfer, folds in registers, back",
	.serves = PC_ALL_TYPES,
	.run = reduce_scatter_direct_run,
};

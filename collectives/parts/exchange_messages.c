// SPDX-License-Identifier: MIT
/* Steps of messages between entangled groups: folded or copied, tile by tile. */
#include "collectives/parts/exchange_messages.h"

#define TILE_WORDS	128
/* tiles that a worker takes at a time, so that handing out costs nothing */
#define GRAIN		8

_Static_assert(64 * TILE_WORDS <= PC_FOLD_BYTES, "a fold takes a tile's row");

/* the blocks from a place on; returns how many of n lie evenly apart */
static uint64_t place_blocks(const struct pc_call *call, struct pc_place at,
			     uint64_t n, uint8_t *ptr[8])
{
	return pc_streams(call, at.eg, at.word, 0, 1, 1, n, ptr);
}

static struct pc_place place_further(struct pc_place at, uint64_t words)
{
	at.word += words;
	return at;
}

/* what is read next: n words, or a tile of them */
static void ahead_of_place(const struct pc_call *call, struct pc_place at,
			   uint64_t n, struct pc_ahead *ahead)
{
	*ahead = (struct pc_ahead){
		.streams = n > 0,
		.first = call->req->sys->asks_first,
		.step = pc_step(call, 1),
	};
	if (n)
		ahead->n = place_blocks(
			call, at, n < TILE_WORDS ? n : TILE_WORDS, ahead->ptr);
}

/* fold n words into those that there are, or begin with them */
static void step_fold_words(const struct pc_step *step, uint8_t *acc,
			    struct pc_place at, uint64_t n, bool first,
			    const struct pc_ahead *ahead)
{
	_Alignas(64) uint8_t tile[64 * TILE_WORDS];
	const struct pc_call *call = step->call;
	const struct pc_fold *fold = &call->req->fold;
	uint64_t done = 0;

	while (done < n) {
		uint8_t *from[8];
		uint64_t run = place_blocks(call, place_further(at, done),
					    n - done, from);

		if (fold->reduce)
			fold->reduce(&step->lanes, 1, acc + 64 * done, from,
				     pc_step(call, 1), run, 0, first, ahead, NULL);
		else
			call->req->moves->collect(
				&step->lanes, tile + 64 * done, n, from,
				pc_step(call, 1), run, fold->host_domain, ahead,
				NULL);
		done += run;
	}
	if (!fold->reduce)
		pc_fold_tile(fold, acc, tile, 1, 64 * n, first);
}

static void step_store(const struct pc_call *call, const uint8_t *tile,
		       struct pc_place at, uint64_t n)
{
	while (n) {
		uint8_t *to[8];
		uint64_t run = place_blocks(call, at, n, to);

		call->req->moves->store(to[0], pc_step(call, 1), tile, run,
					call->req->fold.host_domain,
					call->work.stores);
		tile += 64 * run;
		at.word += run;
		n -= run;
	}
}

static void step_fold_tile(const struct pc_step *step,
			   const struct pc_message *m, uint64_t word,
			   uint64_t n)
{
	_Alignas(64) uint8_t acc[PC_FOLD_ACC_BYTES];
	struct pc_place first = place_further(m->first, word);
	struct pc_place second = place_further(m->second, word);
	struct pc_call *call = step->call;
	struct pc_ahead ahead;

	ahead_of_place(call, second, n, &ahead);
	step_fold_words(step, acc, first, n, true, &ahead);
	ahead_of_place(call, place_further(first, n), m->words - word - n,
		       &ahead);
	step_fold_words(step, acc, second, n, false, &ahead);
	pc_fold_last(&call->req->fold, acc, acc, 64 * n);
	step_store(call, acc, place_further(m->to, word), n);
	pc_count(&call->counts.blocks_read, 2 * n);
	if (call->req->fold.host_domain)
		pc_count(&call->counts.transfers, 3 * n);
}

static void step_copy_tile(const struct pc_step *step,
			   const struct pc_message *m, uint64_t word,
			   uint64_t n)
{
	struct pc_place from = place_further(m->first, word);
	struct pc_place to = place_further(m->to, word);
	struct pc_call *call = step->call;
	uint64_t left = n;

	while (left) {
		uint8_t *src[8], *dst[8];
		uint64_t run = place_blocks(call, from, left, src);

		run = place_blocks(call, to, run, dst);
		call->req->moves->exchange(&step->lanes, dst, pc_step(call, 1),
					   src, pc_step(call, 1), run,
					   call->work.stores, NULL);
		from = place_further(from, run);
		to = place_further(to, run);
		left -= run;
	}
	pc_count(&call->counts.blocks_read, n);
}

static void step_work(void *ctx, uint64_t first, uint64_t count)
{
	struct pc_step step = *(const struct pc_step *)ctx;
	struct pc_call *shared = step.call;
	struct pc_call call = pc_call_copy(shared);

	step.call = &call;
	for (uint64_t i = first; i < first + count; i++) {
		uint64_t word = i % step.tiles * TILE_WORDS;
		struct pc_message m;
		uint64_t n;

		step.message(&step, i / step.tiles, &m);
		if (word >= m.words)
			continue;
		n = m.words - word < TILE_WORDS ? m.words - word : TILE_WORDS;
		if (step.fold)
			step_fold_tile(&step, &m, word, n);
		else
			step_copy_tile(&step, &m, word, n);
		pc_count(&call.counts.blocks_written, n);
	}
	pc_call_add(shared, &call);
}

void pc_step_run(struct pc_step *step)
{
	pc_lanes_init(&step->lanes, 0);
	step->tiles = (step->words + TILE_WORDS - 1) / TILE_WORDS;
	pd_workers_run(step->call->req->sys->workers,
		       step->messages * step->tiles, GRAIN, step_work, step);
}

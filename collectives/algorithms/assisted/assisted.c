// SPDX-License-Identifier: MIT
/* Staging, pulls and pushes, turned folds and stores of the PE-assisted algorithms. */
#include <errno.h>

#include "collectives/call/args.h"
#include "collectives/algorithms/assisted/assisted.h"
#include "runtime/base/error.h"
#include "collectives/call/ops.h"
#include "runtime/ranks/owner.h"
#include "collectives/algorithms/assisted/reorder.h"
#include "collectives/parts/staging.h"

/* words of an entangled group that are pulled or pushed at a time */
#define MOVE_WORDS	1024

/* blocks of a tile */
#define TILE_BLOCKS	256

_Static_assert(64 * PC_FOLD_WORDS <= PC_FOLD_BYTES, "a fold takes a tile's row");

struct pc_assisted pc_assisted(const struct pc_call *call, enum pc_steps steps,
			       uint64_t chunk, uint64_t from)
{
	return (struct pc_assisted){
		.steps = steps,
		.turns = pc_isa_turns(call->req->sys->isa),
		.chunk = chunk,
		.from = from,
	};
}

int pc_assisted_vectors(struct pc_call *call, enum pc_steps steps,
			uint64_t from,
			int (*rows)(struct pc_call *call,
				    struct pc_assisted *own),
			pc_tile_fn tail)
{
	unsigned int nl = call->req->shape->lanes.nl;
	uint64_t words = call->req->bytes / 8, rest = words % nl;
	struct pc_assisted own = pc_assisted(call, steps, words / nl, from);
	int ret = 0;

	call->work.own = &own;
	if (own.chunk)
		ret = rows(call, &own);
	if (!ret && rest)
		pc_for_each_tile(call, rest, rest, tail);
	call->work.own = NULL;
	return ret;
}

int pc_stage_blocks(struct pc_call *call, struct pc_assisted *own, uint64_t in,
		    uint64_t nr, uint64_t out)
{
	uint64_t in_bytes = call->req->hc->cube.nr_pes / 8 * in * 64;
	int ret = pc_staging(call, in_bytes + nr * out * 64);

	if (ret)
		return ret;
	own->in = (struct pc_blocks){call->req->hc->staging, in};
	own->out = (struct pc_blocks){
		(uint8_t *)call->req->hc->staging + in_bytes, out};
	return 0;
}

int pc_assist(struct pc_call *call, uint64_t from, uint64_t to, uint64_t rows)
{
	uint64_t start = pd_now_ns();
	const struct pd_rank_set *ranks = &call->req->hc->ranks;
	int ret = pd_pes_help(call->req->sys, ranks);

	if (ret)
		return ret;
	pc_reorder(call, from, to, rows, pc_own(call)->chunk);
	ret = pd_pes_helped(call->req->sys, ranks);
	pc_phase_end(call->phase_ns, PC_PHASE_REORDER, start);
	return ret;
}

/* all entangled groups' words between MRAM and host memory */
struct assisted_transfer {
	struct pc_call *call;
	const struct pc_blocks *blocks;
	uint64_t word, tiles;
	bool to_mram;
	struct pc_lanes lanes;	/* each for itself */
};

static void assisted_transfer_words(const struct assisted_transfer *x,
				    uint32_t eg, uint64_t word, uint64_t n)
{
	const struct pc_call *call = x->call;

	while (n) {
		uint8_t *staged = pc_staged(x->blocks, eg, word), *mram[8];
		uint64_t run = pc_streams(call, eg, x->word + word, 0, 1, 1, n,
					  mram);

		if (x->to_mram)
			call->req->moves->store(mram[0], pc_step(call, 1),
						staged, run, true,
						call->work.stores);
		else
			call->req->moves->collect(&x->lanes, staged, 0, mram,
						  pc_step(call, 1), run, true,
						  NULL, NULL);
		word += run;
		n -= run;
	}
}

static void assisted_transfer_work(void *ctx, uint64_t first, uint64_t count)
{
	const struct assisted_transfer *x = ctx;

	for (uint64_t i = first; i < first + count; i++) {
		uint64_t word = i % x->tiles * MOVE_WORDS;
		uint64_t left = x->blocks->words - word;

		assisted_transfer_words(x, (uint32_t)(i / x->tiles), word,
					left < MOVE_WORDS ? left : MOVE_WORDS);
	}
}

static void assisted_transfer(struct pc_call *call,
			      const struct pc_blocks *blocks, uint64_t word,
			      bool to_mram)
{
	uint64_t egs = call->req->hc->cube.nr_pes / 8, words = blocks->words;
	uint64_t start = pd_now_ns();
	struct assisted_transfer x = {
		.call = call,
		.blocks = blocks,
		.word = word,
		.tiles = (words + MOVE_WORDS - 1) / MOVE_WORDS,
		.to_mram = to_mram,
	};

	if (!words)
		return;
	pc_lanes_init(&x.lanes, 0);
	pd_workers_run(call->req->sys->workers, egs * x.tiles,
		       words < MOVE_WORDS ? MOVE_WORDS / words : 1,
		       assisted_transfer_work, &x);
	pc_count(&call->counts.transfers, egs * words);
	pc_count(to_mram ? &call->counts.blocks_written
			 : &call->counts.blocks_read,
		 egs * words);
	pc_count(to_mram ? &call->counts.host_read : &call->counts.host_written,
		 64 * egs * words);
	pc_phase_end(call->phase_ns, to_mram ? PC_PHASE_PUSH : PC_PHASE_PULL,
		     start);
}

void pc_pull_blocks(struct pc_call *call)
{
	const struct pc_assisted *own = pc_own(call);

	assisted_transfer(call, &own->in, own->from, false);
}

void pc_push_blocks(struct pc_call *call, uint64_t word)
{
	assisted_transfer(call, &pc_own(call)->out, word, true);
}

uint64_t pc_fold_words(const struct pc_call *call)
{
	uint64_t words = TILE_BLOCKS / call->req->shape->lanes.nl;

	return words < PC_FOLD_WORDS ? words : PC_FOLD_WORDS;
}

/* n words from `word` on of the chunks of one entangled group, row by rank */
static void assisted_align(const struct pc_call *call, uint32_t eg,
			   uint64_t word, uint64_t n, uint8_t *tile)
{
	static const enum pc_turn how[] = { PC_TURN_HOST, PC_TURN_IN,
					    PC_TURN_PIM };
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	const struct pc_assisted *own = pc_own(call);
	bool staged = own->steps == PC_STEPS_PR;

	for (uint64_t at = 0, run; at < n; at += run) {
		uint8_t *from[8];

		run = n - at;
		for (unsigned int k = 0; staged && k < lanes->nl; k++)
			from[k] = pc_staged(&own->in, eg,
					    word + k * own->chunk);
		if (!staged)
			run = pc_streams(call, eg, own->from + word + at,
					 own->chunk, 1, lanes->nl, n - at,
					 from);
		own->turns->align(lanes, how[own->steps], tile + 64 * at, n,
				  from, staged ? 64 : pc_step(call, 1), run);
	}
}

static void assisted_count_fold(struct pc_call *call, uint64_t blocks)
{
	enum pc_steps steps = pc_own(call)->steps;

	if (steps == PC_STEPS_PR)
		pc_count(&call->counts.host_read, 64 * blocks);
	else
		pc_count(&call->counts.blocks_read, blocks);
	if (steps == PC_STEPS_PR_IM)
		pc_count(&call->counts.transfers, blocks);
}

void pc_fold_turned(struct pc_call *call, uint32_t set, uint64_t row,
		    uint64_t word, uint64_t n, uint8_t acc[PC_FOLD_ACC_BYTES])
{
	_Alignas(64) uint8_t tile[64 * TILE_BLOCKS];
	uint64_t nl = call->req->shape->lanes.nl;
	uint64_t first = row * nl * pc_own(call)->chunk + word;

	for (uint32_t s = 0; s < call->req->shape->egs; s++) {
		assisted_align(call, pc_eg(call, set, s), first, n, tile);
		pc_fold_tile(&call->req->fold, acc, tile, (unsigned int)nl,
			     64 * n, !s);
	}
	pc_fold_last(&call->req->fold, acc, acc, 64 * n);
	assisted_count_fold(call, call->req->shape->egs * nl * n);
}

void pc_spread_turned(struct pc_call *call, const uint8_t *tile, uint32_t eg,
		      uint64_t row, uint64_t word, uint64_t n)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	const struct pc_assisted *own = pc_own(call);
	bool pim = own->steps == PC_STEPS_PR_IM_CM;

	for (unsigned int k = 0; k < lanes->nl; k++) {
		uint64_t to = call->req->dst +
			      (row * lanes->nl + k) * own->chunk + word;

		for (uint64_t at = 0, run; at < n; at += run) {
			uint8_t *dst[8];

			run = pc_streams(call, eg, to + at, 0, 1, 1, n - at,
					 dst);
			own->turns->move(lanes, pim ? PC_TURN_PIM : PC_TURN_OUT,
					 k, dst[0], pc_step(call, 1),
					 tile + 64 * at, 64, run,
					 call->work.stores);
		}
	}
	pc_count(&call->counts.blocks_written, lanes->nl * n);
	if (!pim)
		pc_count(&call->counts.transfers, lanes->nl * n);
}

int pc_check_bytes_alone(const struct pc_algorithm *self,
			 const struct pc_args *args)
{
	unsigned int index;

	if (pc_type_size(args->type) == 1 && pc_op_builtin(args->op, &index))
		return 0;
	return pd_error(
		EOPNOTSUPP,
		"algorithm=%s does not serve %s with type=%s and op=%s, expected i8 or u8 and a built-in operation: others need a domain transfer",
		self->name, pc_collective_name(args->id),
		pc_type_name(args->type), pc_op_name(args->op));
}

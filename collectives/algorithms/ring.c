// SPDX-License-Identifier: MIT
/*
 * Allreduce round a ring, as the paper compares topologies (PID-Comm, figure
 * 23a): reduce-scatter steps, then allgather steps, each through MRAM.
 *
 * Steps of a ring through all members, lane after lane, would use one lane of
 * every burst, since each lane would have another chunk to send. So rings run
 * side by side in the lanes: each holds the members of one lane rank, one in
 * each of the group's ne entangled groups, and cuts the vector into ne chunks,
 * chunk c being the words from c * words / ne on. In step k, group e sends chunk
 * e - k (mod ne) to group e + 1, which folds its own into it. After ne - 1 steps
 * group c - 1 holds chunk c of every lane. It folds the lanes by lane exchange
 * and gives all of them the result; ne - 1 more steps hand it round.
 *
 * The order of a fold of chunk c is thus, for each lane rank, that of entangled
 * groups c, c + 1, ... ne - 1, 0, ... c - 1; then lane ranks in order. What is
 * written is rounded: F16 and BF16 round at every step, and once after all lanes.
 */
#include <errno.h>

#include "collectives/algorithms/table.h"
#include "collectives/call/args.h"
#include "runtime/base/error.h"
#include "collectives/parts/exchange_messages.h"
#include "collectives/call/ops.h"
#include "collectives/parts/rows.h"

/* the lanes' last step */
struct ring_closing {
	struct pc_call *call;
	const struct pc_shape *shape;	/* of the groups; the call's has one
					 * entangled group a set */
	uint64_t tile_words, tiles;	/* of the longest chunk */
};

/* first word of chunk c, or for c == egs the end */
static uint64_t chunk_at(const struct pc_call *call, uint32_t egs, uint32_t c)
{
	return call->req->words * c / egs;
}

static uint64_t longest_chunk(const struct pc_call *call, uint32_t egs)
{
	return (call->req->words + egs - 1) / egs;
}

static uint32_t ring_around(const struct pc_shape *shape, uint32_t e)
{
	return e % shape->egs;
}

/* chunk c on its way from the e-th entangled group of a set to the next */
static void ring_hop(const struct pc_call *call, uint32_t set, uint32_t e,
		     uint32_t c, struct pc_message *m)
{
	uint32_t egs = call->req->shape->egs;
	uint64_t word = chunk_at(call, egs, c);
	uint32_t next = pc_eg(call, set, ring_around(call->req->shape, e + 1));

	*m = (struct pc_message){
		.first = {pc_eg(call, set, e), call->req->dst + word},
		.second = {next, call->req->src + word},
		.to = {next, call->req->dst + word},
		.words = chunk_at(call, egs, c + 1) - word,
	};
}

static void ring_reduce_message(const struct pc_step *step, uint64_t index,
				struct pc_message *m)
{
	const struct pc_call *call = step->call;
	const struct pc_shape *shape = call->req->shape;
	uint32_t e = (uint32_t)(index % shape->egs);
	uint32_t c = ring_around(shape, e + shape->egs - step->number);

	ring_hop(call, (uint32_t)(index / shape->egs), e, c, m);
	if (!step->number)
		m->first.word += call->req->src - call->req->dst;
}

static void ring_gather_message(const struct pc_step *step, uint64_t index,
				struct pc_message *m)
{
	const struct pc_call *call = step->call;
	const struct pc_shape *shape = call->req->shape;
	uint32_t e = (uint32_t)(index % shape->egs);
	uint32_t c = ring_around(shape, e + 1 + shape->egs - step->number);

	ring_hop(call, (uint32_t)(index / shape->egs), e, c, m);
}

/* all steps of one half */
static void ring_go_round(struct pc_call *call, bool fold,
			  void (*message)(const struct pc_step *, uint64_t,
					  struct pc_message *))
{
	struct pc_step step = {
		.call = call,
		.messages = call->req->hc->cube.nr_pes / 8,
		.words = longest_chunk(call, call->req->shape->egs),
		.message = message,
		.fold = fold,
	};

	for (; step.number < call->req->shape->egs - 1; step.number++)
		pc_step_run(&step);
}

static void ring_close_tile(const struct ring_closing *closing, uint32_t set,
			    uint32_t e, uint64_t tile)
{
	const struct pc_shape *shape = closing->shape;
	struct pc_call *call = closing->call;
	uint32_t c = ring_around(shape, e + 1);
	uint64_t word = chunk_at(call, shape->egs, c) +
			tile * closing->tile_words;
	uint64_t end = chunk_at(call, shape->egs, c + 1);
	uint64_t n = closing->tile_words;

	if (word >= end)
		return;
	pc_rows_allreduce(call, shape->base[set] + shape->off[e], word,
			  end - word < n ? end - word : n);
}

static void ring_close_work(void *ctx, uint64_t first, uint64_t count)
{
	struct ring_closing closing = *(const struct ring_closing *)ctx;
	struct pc_call *shared = closing.call;
	struct pc_call call = pc_call_copy(shared);
	uint32_t egs = closing.shape->egs;

	closing.call = &call;
	for (uint64_t i = first; i < first + count; i++) {
		uint32_t at = (uint32_t)(i / closing.tiles);

		ring_close_tile(&closing, at / egs, at % egs,
				i % closing.tiles);
	}
	pc_call_add(shared, &call);
}

/* fold the lanes of the chunks at `from` and spread the results over them */
static void ring_close(struct pc_call *call, uint64_t from)
{
	const struct pc_shape *groups = call->req->shape;
	uint64_t tile_words = pc_rows_words(call);
	uint64_t words = longest_chunk(call, groups->egs);
	struct ring_closing closing = {
		.shape = groups,
		.tile_words = tile_words,
		.tiles = (words + tile_words - 1) / tile_words,
	};
	struct pc_request lanes = *call->req;
	struct pc_shape singles;
	struct pc_call part;

	pc_shape_singles(&lanes.hc->cube, &groups->lanes, &singles);
	lanes.shape = &singles;
	lanes.src = from;
	part = pc_call_derive(call, &lanes);
	closing.call = &part;
	pd_workers_run(lanes.sys->workers, singles.sets * closing.tiles, 1,
		       ring_close_work, &closing);
	pc_call_add(call, &part);
}

static int ring_run(struct pc_call *call)
{
	const struct pc_shape *shape = call->req->shape;

	if (shape->members == 1)
		return pc_allreduce_direct.run(call);
	ring_go_round(call, true, ring_reduce_message);
	if (shape->lanes.nl > 1)
		ring_close(call,
			   shape->egs > 1 ? call->req->dst : call->req->src);
	ring_go_round(call, false, ring_gather_message);
	return 0;
}

static int ring_check(const struct pc_algorithm *self,
		      const struct pc_args *args)
{
	unsigned int index;

	if (pc_op_builtin(args->op, &index))
		return 0;
	return pd_error(
		EOPNOTSUPP,
		"algorithm=%s does not serve user-defined operations: it folds in an order other than that of ranks, and they need not commute",
		self->name);
}

const struct pc_algorithm pc_allreduce_ring = {
	.collective = PC_ALLREDUCE,
	.name = "ring",
	.desc = "reduce-scatter, then allgather, step by step through MRAM",
	.serves = "all sizes, types and built-in operations",
	.run = ring_run,
	.check = ring_check,
};

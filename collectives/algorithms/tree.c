// SPDX-License-Identifier: MIT
/*
 * Allreduce up a binomial tree to rank 0 and down again, as the paper compares
 * topologies (PID-Comm, figure 23a). In the round of distance d = 1, 2, 4, ...
 * rank r, a multiple of 2d, receives the whole vector of rank r + d, where there
 * is one, and folds it behind its own; then rank r sends to r + d, d going back
 * to 1. Every round goes through MRAM.
 *
 * Lanes are the lowest bits of a rank: the first rounds are inside entangled
 * groups. In a burst half of the lanes, then a quarter, then an eighth belong to
 * tree_receivers, and the rest moves for nothing; to give them something to do would
 * make the tree a hypercube. What is left in them is of no use to anybody.
 *
 * A rank folds what ranks r to r + d - 1 have with what r + d to r + 2d - 1 have:
 * in rank order, so that operations need not commute, but not from the left. What
 * is written is rounded: F16 and BF16 round in every round.
 */
#include "collectives/algorithms/table.h"
#include "collectives/parts/exchange_messages.h"
#include "collectives/parts/rows.h"

#define DOWN_TILE_WORDS 128

/* byte l of a word stays where it is */
static const struct pd_pick lane_stays = {
	.idx = 0x0706050403020100,
	.mask = ~UINT64_C(0),
	.mult = 1,
};

/* the lane bit of a member's rank, as if each entangled group were a set and
 * two lanes that differ in it a group */
static void pair_lanes(const struct pc_call *call, unsigned int bit,
		       struct pc_lanes *pair)
{
	pc_lanes_init(pair, call->req->shape->lanes.shift[bit] / 8);
}

/*
 * A pair's two words make one register, which is folded with the other lane's:
 * its low lanes are what the lower rank receives for one word, its high lanes
 * what it receives for the other.
 */
static void tree_up_lanes(struct pc_call *call, unsigned int bit, uint64_t from)
{
	struct pc_request lanes = *call->req;
	struct pc_shape singles;
	struct pc_lanes pair;
	struct pc_call part;

	pair_lanes(call, bit, &pair);
	pair.pick[0] = lane_stays;
	pc_shape_singles(&lanes.hc->cube, &pair, &singles);
	lanes.shape = &singles;
	lanes.src = from;
	part = pc_call_derive(call, &lanes);
	pc_allreduce_direct.run(&part);
	pc_call_add(call, &part);
}

static void tree_down_tile(struct pc_call *call, uint32_t set, uint64_t word,
			   uint64_t n)
{
	_Alignas(64) uint8_t tile[64 * DOWN_TILE_WORDS];
	uint64_t end = word + n;

	while (word < end) {
		uint8_t *at[8];
		uint64_t run = pc_streams(call, pc_eg(call, set, 0),
					  call->req->dst + word, 0, 1, 1,
					  end - word, at);

		call->req->moves->load(tile, at[0], pc_step(call, 1), run);
		call->req->moves->spread(&call->req->shape->lanes, at, 1,
					 pc_step(call, 1), tile, run,
					 call->work.stores, NULL);
		word += run;
	}
	pc_count(&call->counts.blocks_read, n);
	pc_count(&call->counts.blocks_written, n);
}

static void tree_down_lanes(struct pc_call *call, unsigned int bit)
{
	struct pc_request lanes = *call->req;
	struct pc_lanes pair, lane;
	struct pc_shape singles;
	struct pc_call part;

	pair_lanes(call, bit, &pair);
	pc_lanes_init(&lane, 0);
	lane.pick[0] = pair.pick[0];
	pc_shape_singles(&lanes.hc->cube, &lane, &singles);
	lanes.shape = &singles;
	part = pc_call_derive(call, &lanes);
	pc_for_each_tile(&part, lanes.words, DOWN_TILE_WORDS, tree_down_tile);
	pc_call_add(call, &part);
}

/* receivers of a set, when entangled groups `distance` apart tree_pair */
static uint32_t tree_receivers(const struct pc_shape *shape, uint32_t distance)
{
	return (shape->egs + distance - 1) / (2 * distance);
}

/* has group e, about to send or receive for the first time in the round of this
 * distance or having done so before, written its tree_partial result? */
static bool has_written(const struct pc_call *call, uint32_t e,
			uint32_t distance)
{
	const struct pc_shape *shape = call->req->shape;

	return shape->lanes.nl > 1 ||
	       (distance > 1 && e + 1 < shape->egs);
}

/* the whole vectors of a pair: e, and the one that lies `distance` behind it */
static void tree_pair(const struct pc_step *step, uint64_t index, uint32_t *set,
		      uint32_t *e)
{
	uint32_t each = tree_receivers(step->call->req->shape, step->number);

	*set = (uint32_t)(index / each);
	*e = (uint32_t)(index % each) * 2 * step->number;
}

static struct pc_place tree_partial(const struct pc_call *call, uint32_t set,
				    uint32_t e, uint32_t distance)
{
	return (struct pc_place){
		.eg = pc_eg(call, set, e),
		.word = has_written(call, e, distance) ? call->req->dst
						       : call->req->src,
	};
}

static void tree_up_message(const struct pc_step *step, uint64_t index,
			    struct pc_message *m)
{
	const struct pc_call *call = step->call;
	uint32_t set, e;

	tree_pair(step, index, &set, &e);
	m->first = tree_partial(call, set, e, step->number);
	m->second = tree_partial(call, set, e + step->number, step->number);
	m->to = (struct pc_place){pc_eg(call, set, e), call->req->dst};
	m->words = call->req->words;
}

static void tree_down_message(const struct pc_step *step, uint64_t index,
			      struct pc_message *m)
{
	const struct pc_call *call = step->call;
	uint32_t set, e;

	tree_pair(step, index, &set, &e);
	m->first = (struct pc_place){pc_eg(call, set, e), call->req->dst};
	m->to = (struct pc_place){pc_eg(call, set, e + step->number),
				  call->req->dst};
	m->words = call->req->words;
}

/* a round between entangled groups */
static void tree_between_groups(struct pc_call *call, uint32_t distance,
				bool up)
{
	struct pc_step step = {
		.call = call,
		.number = distance,
		.messages = call->req->shape->sets *
			    tree_receivers(call->req->shape, distance),
		.words = call->req->words,
		.message = up ? tree_up_message : tree_down_message,
		.fold = up,
	};

	pc_step_run(&step);
}

static int tree_run(struct pc_call *call)
{
	const struct pc_shape *shape = call->req->shape;
	unsigned int bits = shape->lanes.bits;
	uint32_t distance;

	if (shape->members == 1)
		return pc_allreduce_direct.run(call);
	for (unsigned int bit = 0; bit < bits; bit++)
		tree_up_lanes(call, bit, bit ? call->req->dst : call->req->src);
	for (distance = 1; distance < shape->egs; distance *= 2)
		tree_between_groups(call, distance, true);
	while (distance /= 2)
		tree_between_groups(call, distance, false);
	while (bits)
		tree_down_lanes(call, --bits);
	return 0;
}

const struct pc_algorithm pc_allreduce_tree = {
	.collective = PC_ALLREDUCE,
	.name = "tree",
	.desc = "pairs of PEs up to rank 0 and down, round by round through MRAM",
	.serves = PC_ALL_TYPES,
	.run = tree_run,
};

// SPDX-License-Identifier: MIT
/*
 * Alltoall with the help of PEs: they reorder, the host exchanges between entangled
 * groups what is turned in host memory (PID-Comm, section V-A), in registers between
 * two domain transfers (V-B), or in registers in the PIM domain, where lanes are
 * bytes (V-C); and they reorder again.
 */
#include "collectives/algorithms/assisted/assisted.h"
#include "collectives/call/algorithm.h"

#define TILE_WORDS	512

static int alltoall_reorder_around(struct pc_call *call, bool reorders,
				   void (*exchange)(struct pc_call *call))
{
	uint64_t rows = call->req->shape->egs;
	int ret = 0;

	if (reorders)
		ret = pc_assist(call, call->req->src, call->req->dst, rows);
	if (ret)
		return ret;
	exchange(call);
	return pc_assist(call, call->req->dst, call->req->dst, rows);
}

/*
 * PEs reorder into dst, the host exchanges what lies at own->from between
 * entangled groups, PEs reorder in place. There is no need for other MRAM.
 */
static int alltoall_assisted(struct pc_call *call, enum pc_steps steps,
			     void (*exchange)(struct pc_call *call))
{
	bool reorders = call->req->shape->lanes.nl > 1;
	uint64_t words = call->req->bytes / 8;
	struct pc_assisted own =
		pc_assisted(call, steps, call->req->words,
			    reorders ? call->req->dst : call->req->src);
	int ret = 0;

	call->work.own = &own;
	if (steps == PC_STEPS_PR)
		ret = pc_stage_blocks(call, &own, words,
				      call->req->hc->cube.nr_pes / 8, words);
	if (!ret)
		ret = alltoall_reorder_around(call, reorders, exchange);
	call->work.own = NULL;
	return ret;
}

/* one pair of entangled groups and one chunk of the row */
struct turned_pair {
	uint32_t s, t;		/* entangled groups */
	unsigned int k;
	uint64_t at_s, at_t;	/* words in MRAM of what goes to the other */
	uint64_t to_t;		/* where it goes, if not in place */
};

static void alltoall_move_turned(struct pc_call *call,
				 const struct turned_pair *p, uint64_t n,
				 enum pc_turn how)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	const struct pc_assisted *own = pc_own(call);

	for (uint64_t at = 0, run; at < n; at += run) {
		uint8_t *from[8], *to[8];

		run = pc_streams(call, p->s, p->at_s + at, 0, 1, 1, n - at,
				 from);
		run = pc_streams(call, p->t, p->to_t + at, 0, 1, 1, run, to);
		own->turns->move(lanes, how, p->k, to[0], pc_step(call, 1),
				 from[0], pc_step(call, 1), run,
				 call->work.stores);
	}
}

static void alltoall_swap_turned(struct pc_call *call,
				 const struct turned_pair *p, uint64_t n,
				 enum pc_turn how)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	const struct pc_assisted *own = pc_own(call);

	for (uint64_t at = 0, run; at < n; at += run) {
		uint8_t *a[8], *b[8];

		run = pc_streams(call, p->s, p->at_s + at, 0, 1, 1, n - at, a);
		run = pc_streams(call, p->t, p->at_t + at, 0, 1, 1, run, b);
		own->turns->swap(lanes, how, p->k, a[0], b[0], pc_step(call, 1),
				 run);
	}
}

static void alltoall_count(struct pc_call *call, uint64_t blocks)
{
	pc_count(&call->counts.blocks_read, blocks);
	pc_count(&call->counts.blocks_written, blocks);
	if (pc_own(call)->steps == PC_STEPS_PR_IM)
		pc_count(&call->counts.transfers, 2 * blocks);
}

/* all that entangled group number s exchanges with t, or only sends to it */
static void alltoall_exchange_turned(struct pc_call *call, uint32_t set,
				     uint32_t s, uint32_t t, uint64_t word,
				     uint64_t n)
{
	const struct pc_assisted *own = pc_own(call);
	bool in_place = own->from == call->req->dst;
	enum pc_turn how =
		own->steps == PC_STEPS_PR_IM ? PC_TURN_BOTH : PC_TURN_PIM;
	unsigned int nl = call->req->shape->lanes.nl;

	for (unsigned int k = 0; k < nl; k++) {
		struct turned_pair p = {
			.s = pc_eg(call, set, s),
			.t = pc_eg(call, set, t),
			.k = k,
			.at_s = own->from + (t * nl + k) * own->chunk + word,
			.at_t = own->from + (s * nl + k) * own->chunk + word,
			.to_t = call->req->dst + (s * nl + k) * own->chunk +
				word,
		};

		if (in_place && s != t)
			alltoall_swap_turned(call, &p, n, how);
		else
			alltoall_move_turned(call, &p, n, how);
	}
	alltoall_count(call, nl * n * (in_place && s != t ? 2 : 1));
}

static void alltoall_turn(struct pc_call *call, uint32_t set, uint32_t s,
			  uint64_t word, uint64_t n)
{
	uint32_t first = pc_own(call)->from == call->req->dst ? s : 0;

	for (uint32_t t = first; t < call->req->shape->egs; t++)
		alltoall_exchange_turned(call, set, s, t, word, n);
}

static void alltoall_in_registers(struct pc_call *call)
{
	uint64_t start = pd_now_ns();

	pc_for_each_part(call, pc_own(call)->chunk, TILE_WORDS, 0,
			 call->req->shape->egs, alltoall_turn);
	pc_phase_end(call->phase_ns, PC_PHASE_REGISTERS, start);
}

static void alltoall_turn_staged(struct pc_call *call, uint32_t set, uint32_t s,
				 uint64_t word, uint64_t n)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	const struct pc_assisted *own = pc_own(call);
	uint64_t blocks = call->req->shape->egs * lanes->nl * n;

	for (uint32_t t = 0; t < call->req->shape->egs; t++) {
		for (unsigned int k = 0; k < lanes->nl; k++) {
			uint64_t from = (t * lanes->nl + k) * own->chunk + word;
			uint64_t to = (s * lanes->nl + k) * own->chunk + word;

			own->turns->move(
				lanes, PC_TURN_HOST, k,
				pc_staged(&own->out, pc_eg(call, set, t), to),
				64,
				pc_staged(&own->in, pc_eg(call, set, s), from),
				64, n, PD_STORES_PLAIN);
		}
	}
	pc_count(&call->counts.host_read, 64 * blocks);
	pc_count(&call->counts.host_written, 64 * blocks);
}

static void alltoall_through_host(struct pc_call *call)
{
	uint64_t start;

	pc_pull_blocks(call);
	start = pd_now_ns();
	pc_for_each_part(call, pc_own(call)->chunk, TILE_WORDS, 0,
			 call->req->shape->egs, alltoall_turn_staged);
	pc_phase_end(call->phase_ns, PC_PHASE_HOST, start);
	pc_push_blocks(call, call->req->dst);
}

static int alltoall_pr_run(struct pc_call *call)
{
	return alltoall_assisted(call, PC_STEPS_PR, alltoall_through_host);
}

const struct pc_algorithm pc_alltoall_pr = {
	.collective = PC_ALLTOALL,
	.name = "pr",
	.desc = "PEs reorder, pull, turn blocks in host memory, push, PEs reorder",
	.serves = PC_ALL_SIZES,
	.run = alltoall_pr_run,
	.assisted = true,
};

static int alltoall_pr_im_run(struct pc_call *call)
{
	return alltoall_assisted(call, PC_STEPS_PR_IM, alltoall_in_registers);
}

const struct pc_algorithm pc_alltoall_pr_im = {
	.collective = PC_ALLTOALL,
	.name = "pr+im",
	.desc = "PEs reorder, turn in registers between domain transfers, PEs reorder",
	.serves = PC_ALL_SIZES,
	.run = alltoall_pr_im_run,
	.assisted = true,
};

static int alltoall_pr_im_cm_run(struct pc_call *call)
{
	return alltoall_assisted(call, PC_STEPS_PR_IM_CM,
				 alltoall_in_registers);
}

const struct pc_algorithm pc_alltoall_pr_im_cm = {
	.collective = PC_ALLTOALL,
	.name = "pr+im+cm",
	.desc = "PEs reorder, turn in registers in the PIM domain, PEs reorder",
	.serves = PC_ALL_SIZES,
	.run = alltoall_pr_im_cm_run,
	.assisted = true,
};

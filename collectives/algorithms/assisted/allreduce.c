// SPDX-License-Identifier: MIT
/*
 * Allreduce with the help of PEs: they reorder, the host folds turned blocks and
 * stores the result to all members by turns, through host memory, in registers between
 * two domain transfers, or in registers in the PIM domain; and they reorder again.
 */
#include "collectives/algorithms/assisted/assisted.h"
#include "collectives/call/algorithm.h"
#include "collectives/parts/rows.h"

static void allreduce_spread(struct pc_call *call, const uint8_t *tile,
			     uint32_t set, uint64_t word, uint64_t n)
{
	for (uint32_t t = 0; t < call->req->shape->egs; t++)
		pc_spread_turned(call, tile, pc_eg(call, set, t), 0, word, n);
}

static void allreduce_turned(struct pc_call *call, uint32_t set, uint64_t word,
			     uint64_t n)
{
	_Alignas(64) uint8_t acc[PC_FOLD_ACC_BYTES];

	pc_fold_turned(call, set, 0, word, n, acc);
	allreduce_spread(call, acc, set, word, n);
}

static void allreduce_fold_staged(struct pc_call *call, uint32_t set,
				  uint64_t word, uint64_t n)
{
	_Alignas(64) uint8_t acc[PC_FOLD_ACC_BYTES];

	pc_fold_turned(call, set, 0, word, n, acc);
	call->req->moves->load(pc_staged(&pc_own(call)->out, set, word), acc,
			       64, n);
	pc_count(&call->counts.host_written, 64 * n);
}

static void allreduce_spread_staged(struct pc_call *call, uint32_t set,
				    uint64_t word, uint64_t n)
{
	const struct pc_shape *s = call->req->shape;

	allreduce_spread(call, pc_staged(&pc_own(call)->out, set, word), set,
			 word, n);
	pc_count(&call->counts.host_read, 64 * s->egs * s->lanes.nl * n);
}

static void allreduce_through_host(struct pc_call *call)
{
	uint64_t chunk = pc_own(call)->chunk, words = pc_fold_words(call);
	uint64_t start;

	pc_pull_blocks(call);
	start = pd_now_ns();
	pc_for_each_tile(call, chunk, words, allreduce_fold_staged);
	start = pc_phase_end(call->phase_ns, PC_PHASE_HOST, start);
	pc_for_each_tile(call, chunk, words, allreduce_spread_staged);
	pc_phase_end(call->phase_ns, PC_PHASE_PUSH, start);
}

static void allreduce_in_registers(struct pc_call *call)
{
	uint64_t start = pd_now_ns();

	pc_for_each_tile(call, pc_own(call)->chunk, pc_fold_words(call),
			 allreduce_turned);
	pc_phase_end(call->phase_ns, PC_PHASE_REGISTERS, start);
}

/* whole chunks of the vector */
static int allreduce_chunks(struct pc_call *call, struct pc_assisted *own)
{
	unsigned int nl = call->req->shape->lanes.nl;
	int ret = 0;

	if (own->steps == PC_STEPS_PR)
		ret = pc_stage_blocks(call, own, nl * own->chunk,
				      call->req->shape->sets, own->chunk);
	if (ret)
		return ret;
	if (nl > 1)
		ret = pc_assist(call, call->req->src, call->req->dst, 1);
	if (ret)
		return ret;
	if (own->steps == PC_STEPS_PR)
		allreduce_through_host(call);
	else
		allreduce_in_registers(call);
	return pc_assist(call, call->req->dst, call->req->dst, 1);
}

/* the words left over */
static void allreduce_rest(struct pc_call *call, uint32_t set, uint64_t word,
			   uint64_t n)
{
	uint64_t before = call->req->shape->lanes.nl * pc_own(call)->chunk;

	pc_rows_allreduce(call, set, before + word, n);
}

/*
 * The vector is a row of as many chunks as a group has lanes. PEs reorder it
 * into dst, the host folds it and stores the result to all by turns, PEs reorder.
 * The last words, fewer than lanes, go the direct way.
 */
static int allreduce_assisted(struct pc_call *call, enum pc_steps steps)
{
	return pc_assisted_vectors(call, steps,
				   call->req->shape->lanes.nl > 1
					   ? call->req->dst
					   : call->req->src,
				   allreduce_chunks, allreduce_rest);
}

static int allreduce_pr_run(struct pc_call *call)
{
	return allreduce_assisted(call, PC_STEPS_PR);
}

const struct pc_algorithm pc_allreduce_pr = {
	.collective = PC_ALLREDUCE,
	.name = "pr",
	.desc = "PEs reorder, pull, fold in host memory, push turned, PEs reorder",
	.serves = PC_ALL_TYPES,
	.run = allreduce_pr_run,
	.assisted = true,
};

static int allreduce_pr_im_run(struct pc_call *call)
{
	return allreduce_assisted(call, PC_STEPS_PR_IM);
}

const struct pc_algorithm pc_allreduce_pr_im = {
	.collective = PC_ALLREDUCE,
	.name = "pr+im",
	.desc = "PEs reorder, domain transfer, fold and turn in registers, back, PEs reorder",
	.serves = PC_ALL_TYPES,
	.run = allreduce_pr_im_run,
	.assisted = true,
};

static int allreduce_pr_im_cm_run(struct pc_call *call)
{
	return allreduce_assisted(call, PC_STEPS_PR_IM_CM);
}

const struct pc_algorithm pc_allreduce_pr_im_cm = {
	.collective = PC_ALLREDUCE,
	.name = "pr+im+cm",
	.desc = "PEs reorder, fold and turn in the PIM domain, PEs reorder",
	.serves = PC_BYTES_ALONE,
	.run = allreduce_pr_im_cm_run,
	.check = pc_check_bytes_alone,
	.assisted = true,
};

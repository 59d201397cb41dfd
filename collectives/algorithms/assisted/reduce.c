// SPDX-License-Identifier: MIT
/*
 * Reduce with the help of PEs: they reorder, the host folds turned blocks, in host
 * memory, in registers after a domain transfer, or in the PIM domain with a domain
 * transfer of the result alone; and PEs put back what they reordered.
 */
#include "collectives/algorithms/assisted/assisted.h"
#include "collectives/call/algorithm.h"
#include "collectives/parts/rows.h"

/* Lane of rank j holds words of chunk j, which go to its place in the buffer. */
static void reduce_to_buffers(struct pc_call *call, const uint8_t *tile,
			      uint32_t set, uint64_t word, uint64_t n)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	uint64_t chunk = pc_own(call)->chunk;
	struct pc_lanes single;
	uint8_t *to[8];

	for (uint32_t lane = 0; lane < 8; lane++)
		to[lane] =
			call->req->bufs[pc_group(call->req->shape, set, lane)] +
			8 * (lanes->rank[lane] * chunk + word);
	pc_lanes_init(&single, 0);
	call->req->moves->rows_out(&single, to, tile, n, 1);
	pc_count(&call->counts.host_written, 64 * n);
}

static void reduce_turned(struct pc_call *call, uint32_t set, uint64_t word,
			  uint64_t n)
{
	_Alignas(64) uint8_t acc[PC_FOLD_ACC_BYTES];

	pc_fold_turned(call, set, 0, word, n, acc);
	if (pc_own(call)->steps == PC_STEPS_PR_IM_CM) {
		call->req->sys->blocks->transpose(acc, acc, n);
		pc_count(&call->counts.transfers, n);
	}
	reduce_to_buffers(call, acc, set, word, n);
}

/* whole chunks of the vector */
static int reduce_chunks(struct pc_call *call, struct pc_assisted *own)
{
	bool staged = own->steps == PC_STEPS_PR;
	uint64_t start;
	int ret = 0;

	if (staged)
		ret = pc_stage_blocks(call, own,
				      call->req->shape->lanes.nl * own->chunk,
				      0, 0);
	if (ret)
		return ret;
	ret = pc_assist(call, call->req->src, call->req->src, 1);
	if (ret)
		return ret;
	if (staged)
		pc_pull_blocks(call);
	start = pd_now_ns();
	pc_for_each_tile(call, own->chunk, pc_fold_words(call), reduce_turned);
	pc_phase_end(call->phase_ns,
		     staged ? PC_PHASE_HOST : PC_PHASE_REGISTERS, start);
	return pc_assist(call, call->req->src, call->req->src, 1);
}

/* the words left over */
static void reduce_rest(struct pc_call *call, uint32_t set, uint64_t word,
			uint64_t n)
{
	uint64_t before = call->req->shape->lanes.nl * pc_own(call)->chunk;

	pc_rows_to_buffers(call, set, before + word, n);
}

/*
 * The vector is a row of as many chunks as a group has lanes. PEs reorder it at
 * src, the host folds it into the groups' buffers, PEs put it back. The last
 * words, fewer than lanes, go the direct way.
 */
static int reduce_assisted(struct pc_call *call, enum pc_steps steps)
{
	return pc_assisted_vectors(call, steps, call->req->src, reduce_chunks,
				   reduce_rest);
}

static int reduce_pr_run(struct pc_call *call)
{
	return reduce_assisted(call, PC_STEPS_PR);
}

const struct pc_algorithm pc_reduce_pr = {
	.collective = PC_REDUCE,
	.name = "pr",
	.desc = "PEs reorder, pull, fold turned blocks in host memory",
	.serves = PC_ALL_TYPES,
	.run = reduce_pr_run,
	.assisted = true,
};

static int reduce_pr_im_run(struct pc_call *call)
{
	return reduce_assisted(call, PC_STEPS_PR_IM);
}

const struct pc_algorithm pc_reduce_pr_im = {
	.collective = PC_REDUCE,
	.name = "pr+im",
	.desc = "PEs reorder, domain transfer, turn and fold in registers",
	.serves = PC_ALL_TYPES,
	.run = reduce_pr_im_run,
	.assisted = true,
};

static int reduce_pr_im_cm_run(struct pc_call *call)
{
	return reduce_assisted(call, PC_STEPS_PR_IM_CM);
}

const struct pc_algorithm pc_reduce_pr_im_cm = {
	.collective = PC_REDUCE,
	.name = "pr+im+cm",
	.desc = "PEs reorder, turn and fold in the PIM domain, transfer the result",
	.serves = PC_BYTES_ALONE,
	.run = reduce_pr_im_cm_run,
	.check = pc_check_bytes_alone,
	.assisted = true,
};

// SPDX-License-Identifier: MIT
/*
 * Reduce_scatter with the help of PEs: they reorder, the host folds the turned
 * blocks that each entangled group receives, in host memory, in registers between
 * two domain transfers, or in registers in the PIM domain, and PEs put back what they
 * reordered.
 */
#include <errno.h>

#include "collectives/algorithms/assisted/assisted.h"
#include "collectives/call/algorithm.h"
#include "collectives/call/args.h"
#include "runtime/base/error.h"

/* n words of an entangled group's result, to MRAM or to what is pushed */
static void reduce_scatter_store(struct pc_call *call, const uint8_t *acc,
				 uint32_t eg, uint64_t word, uint64_t n)
{
	const struct pc_assisted *own = pc_own(call);
	bool transpose = own->steps == PC_STEPS_PR_IM;

	if (own->steps == PC_STEPS_PR) {
		call->req->moves->load(pc_staged(&own->out, eg, word), acc, 64,
				       n);
		pc_count(&call->counts.host_written, 64 * n);
		return;
	}
	pc_count(&call->counts.blocks_written, n);
	if (transpose)
		pc_count(&call->counts.transfers, n);
	while (n) {
		uint8_t *to[8];
		uint64_t run = pc_streams(call, eg, call->req->dst + word, 0, 1,
					  1, n, to);

		call->req->moves->store(to[0], pc_step(call, 1), acc, run,
					transpose, call->work.stores);
		acc += 64 * run;
		word += run;
		n -= run;
	}
}

static void reduce_scatter_turned(struct pc_call *call, uint32_t set,
				  uint32_t t, uint64_t word, uint64_t n)
{
	_Alignas(64) uint8_t acc[PC_FOLD_ACC_BYTES];

	pc_fold_turned(call, set, t, word, n, acc);
	reduce_scatter_store(call, acc, pc_eg(call, set, t), word, n);
}

static void reduce_scatter_fold(struct pc_call *call, enum pc_steps steps)
{
	uint64_t start;

	if (steps == PC_STEPS_PR)
		pc_pull_blocks(call);
	start = pd_now_ns();
	pc_for_each_part(call, pc_own(call)->chunk, pc_fold_words(call), 0,
			 call->req->shape->egs, reduce_scatter_turned);
	pc_phase_end(call->phase_ns,
		     steps == PC_STEPS_PR ? PC_PHASE_HOST : PC_PHASE_REGISTERS,
		     start);
	if (steps == PC_STEPS_PR)
		pc_push_blocks(call, call->req->dst);
}

static int reduce_scatter_reorder_around(struct pc_call *call)
{
	uint64_t rows = call->req->shape->egs;
	int ret = pc_assist(call, call->req->src, call->req->src, rows);

	if (ret)
		return ret;
	reduce_scatter_fold(call, pc_own(call)->steps);
	return pc_assist(call, call->req->src, call->req->src, rows);
}

/*
 * PEs reorder, the host folds what every entangled group receives, PEs reorder
 * back: dst is only a chunk long, so it is done at src, which is then as it was.
 */
static int reduce_scatter_assisted(struct pc_call *call, enum pc_steps steps)
{
	struct pc_assisted own =
		pc_assisted(call, steps, call->req->words, call->req->src);
	int ret = 0;

	call->work.own = &own;
	if (steps == PC_STEPS_PR)
		ret = pc_stage_blocks(call, &own, call->req->bytes / 8,
				      call->req->hc->cube.nr_pes / 8,
				      own.chunk);
	if (!ret)
		ret = reduce_scatter_reorder_around(call);
	call->work.own = NULL;
	return ret;
}

/* In place the result would overwrite what is still to be put back. */
static int reduce_scatter_check_apart(const struct pc_algorithm *self,
				      const struct pc_args *args)
{
	if (!args->bytes || args->src != args->dst)
		return 0;
	return pd_error(
		EOPNOTSUPP,
		"algorithm=%s does not serve reduce_scatter with src=dst=%llu, expected them apart: PEs reorder src and put it back",
		self->name, (unsigned long long)args->src);
}

static int reduce_scatter_check_bytes(const struct pc_algorithm *self,
				      const struct pc_args *args)
{
	int ret = reduce_scatter_check_apart(self, args);

	return ret ? ret : pc_check_bytes_alone(self, args);
}

static int reduce_scatter_pr_run(struct pc_call *call)
{
	return reduce_scatter_assisted(call, PC_STEPS_PR);
}

const struct pc_algorithm pc_reduce_scatter_pr = {
	.collective = PC_REDUCE_SCATTER,
	.name = "pr",
	.desc = "PEs reorder, pull, fold turned blocks in host memory, push",
	.serves = PC_ALL_TYPES ", not in place",
	.run = reduce_scatter_pr_run,
	.check = reduce_scatter_check_apart,
	.assisted = true,
};

static int reduce_scatter_pr_im_run(struct pc_call *call)
{
	return reduce_scatter_assisted(call, PC_STEPS_PR_IM);
}

const struct pc_algorithm pc_reduce_scatter_pr_im = {
	.collective = PC_REDUCE_SCATTER,
	.name = "pr+im",
	.desc = "PEs reorder, domain transfer, turn and fold in registers, back",
	.serves = PC_ALL_TYPES ", not in place",
	.run = reduce_scatter_pr_im_run,
	.check = reduce_scatter_check_apart,
	.assisted = true,
};

static int reduce_scatter_pr_im_cm_run(struct pc_call *call)
{
	return reduce_scatter_assisted(call, PC_STEPS_PR_IM_CM);
}

const struct pc_algorithm pc_reduce_scatter_pr_im_cm = {
	.collective = PC_REDUCE_SCATTER,
	.name = "pr+im+cm",
	.desc = "PEs reorder, turn and fold in registers in the PIM domain",
	.serves = PC_BYTES_ALONE ", not in place",
	.run = reduce_scatter_pr_im_cm_run,
	.check = reduce_scatter_check_bytes,
	.assisted = true,
};

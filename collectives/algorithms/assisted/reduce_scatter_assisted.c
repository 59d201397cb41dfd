/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "collectives/call/args.h"
#include "runtime/base/error.h"
#include "collectives/algorithms/assisted/reduce_scatter_assisted.h"

/* n words of an entangled group's result, to MRAM or to what is pushed */
static void put(struct pc_call *call, const uint8_t *acc, uint32_t eg,
		uint64_t word, uint64_t n)
{
	const struct pc_assisted *own = pc_own(call);
	bool transpose = own->steps == PC_STEPS_PR_IM;

	if (own->steps == PC_STEPS_PR) {
		call->kernels->load(pc_staged(&own->out, eg, word), acc, 64, n);
		pc_count(&call->host_written, 64 * n);
		return;
	}
	pc_count(&call->blocks_written, n);
	if (transpose)
		pc_count(&call->transfers, n);
	while (n) {
		uint8_t *to[8];
		uint64_t run = pc_streams(call, eg, call->dst + word, 0, 1, 1,
					  n, to);

		call->kernels->store(to[0], pc_step(call, 1), acc, run,
				     transpose, call->stores);
		acc += 64 * run;
		word += run;
		n -= run;
	}
}

static void item(struct pc_call *call, uint32_t set, uint32_t t, uint64_t word,
		 uint64_t n)
{
	_Alignas(64) uint8_t acc[PC_FOLD_ACC_BYTES];

	pc_fold_turned(call, set, t, word, n, acc);
	put(call, acc, pc_eg(call, set, t), word, n);
}

static void fold(struct pc_call *call, enum pc_steps steps)
{
	uint64_t start;

	if (steps == PC_STEPS_PR)
		pc_pull_blocks(call);
	start = pc_phase_now();
	pc_for_each_part(call, pc_own(call)->chunk, pc_fold_words(call), 0,
			 call->shape->egs, item);
	pc_phase_end(call->phase_ns, steps == PC_STEPS_PR ? PC_PHASE_HOST :
							   PC_PHASE_REGISTERS,
		     start);
	if (steps == PC_STEPS_PR)
		pc_push_blocks(call, call->dst);
}

static int run(struct pc_call *call)
{
	uint64_t rows = call->shape->egs;
	int ret = pc_assist(call, call->src, call->src, rows);

	if (ret)
		return ret;
	fold(call, pc_own(call)->steps);
	return pc_assist(call, call->src, call->src, rows);
}

int pc_reduce_scatter_assisted(struct pc_call *call, enum pc_steps steps)
{
	struct pc_assisted own = pc_assisted(call, steps, call->words,
					     call->src);
	int ret = 0;

	call->own = &own;
	if (steps == PC_STEPS_PR)
		ret = pc_stage_blocks(call, &own, call->bytes / 8,
				      call->hc->nr_pes / 8, own.chunk);
	if (!ret)
		ret = run(call);
	call->own = NULL;
	return ret;
}

int pc_reduce_scatter_check(const struct pc_args *args, enum pc_steps steps)
{
	const char *name = pc_steps_name(steps);

	if (args->bytes && args->src == args->dst)
		return pd_error(EOPNOTSUPP,
				"algorithm=%s does not serve reduce_scatter with src=dst=%llu, expected them apart: PEs reorder src and put it back",
				name, (unsigned long long)args->src);
	return pc_assisted_check(args, steps);
}

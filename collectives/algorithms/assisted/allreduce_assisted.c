/* SPDX-License-Identifier: MIT */
#include "collectives/algorithms/assisted/allreduce_assisted.h"
#include "collectives/parts/rows.h"

static void spread(struct pc_call *call, const uint8_t *tile, uint32_t set,
		   uint64_t word, uint64_t n)
{
	for (uint32_t t = 0; t < call->shape->egs; t++)
		pc_spread_turned(call, tile, pc_eg(call, set, t), 0, word, n);
}

static void item(struct pc_call *call, uint32_t set, uint64_t word, uint64_t n)
{
	_Alignas(64) uint8_t acc[PC_FOLD_ACC_BYTES];

	pc_fold_turned(call, set, 0, word, n, acc);
	spread(call, acc, set, word, n);
}

static void fold_staged(struct pc_call *call, uint32_t set, uint64_t word,
			uint64_t n)
{
	_Alignas(64) uint8_t acc[PC_FOLD_ACC_BYTES];

	pc_fold_turned(call, set, 0, word, n, acc);
	call->kernels->load(pc_staged(&pc_own(call)->out, set, word), acc, 64,
			    n);
	pc_count(&call->host_written, 64 * n);
}

static void spread_staged(struct pc_call *call, uint32_t set, uint64_t word,
			  uint64_t n)
{
	const struct pc_shape *s = call->shape;

	spread(call, pc_staged(&pc_own(call)->out, set, word), set, word, n);
	pc_count(&call->host_read, 64 * s->egs * s->lanes.nl * n);
}

static void through_host(struct pc_call *call)
{
	uint64_t chunk = pc_own(call)->chunk, words = pc_fold_words(call);
	uint64_t start;

	pc_pull_blocks(call);
	start = pc_phase_now();
	pc_for_each_tile(call, chunk, words, fold_staged);
	start = pc_phase_end(call->phase_ns, PC_PHASE_HOST, start);
	pc_for_each_tile(call, chunk, words, spread_staged);
	pc_phase_end(call->phase_ns, PC_PHASE_PUSH, start);
}

static void in_registers(struct pc_call *call)
{
	uint64_t start = pc_phase_now();

	pc_for_each_tile(call, pc_own(call)->chunk, pc_fold_words(call), item);
	pc_phase_end(call->phase_ns, PC_PHASE_REGISTERS, start);
}

/* whole chunks of the vector */
static int rows(struct pc_call *call, struct pc_assisted *own)
{
	unsigned int nl = call->shape->lanes.nl;
	int ret = 0;

	if (own->steps == PC_STEPS_PR)
		ret = pc_stage_blocks(call, own, nl * own->chunk,
				      call->shape->sets, own->chunk);
	if (ret)
		return ret;
	if (nl > 1)
		ret = pc_assist(call, call->src, call->dst, 1);
	if (ret)
		return ret;
	if (own->steps == PC_STEPS_PR)
		through_host(call);
	else
		in_registers(call);
	return pc_assist(call, call->dst, call->dst, 1);
}

/* the words left over */
static void tail(struct pc_call *call, uint32_t set, uint64_t word, uint64_t n)
{
	uint64_t before = call->shape->lanes.nl * pc_own(call)->chunk;

	pc_rows_allreduce(call, set, before + word, n);
}

int pc_allreduce_assisted(struct pc_call *call, enum pc_steps steps)
{
	return pc_assisted_vectors(call, steps,
				   call->shape->lanes.nl > 1 ? call->dst :
							       call->src,
				   rows, tail);
}

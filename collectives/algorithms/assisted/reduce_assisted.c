/* SPDX-License-Identifier: MIT */
#include "collectives/algorithms/assisted/reduce_assisted.h"
#include "collectives/parts/rows.h"

/* Lane of rank j holds words of chunk j, which go to its place in the buffer. */
static void put(struct pc_call *call, const uint8_t *tile, uint32_t set,
		uint64_t word, uint64_t n)
{
	const struct pc_lanes *lanes = &call->shape->lanes;
	uint64_t chunk = pc_own(call)->chunk;
	struct pc_lanes single;
	uint8_t *to[8];

	for (uint32_t lane = 0; lane < 8; lane++)
		to[lane] = call->bufs[pc_group(call->shape, set, lane)] +
			   8 * (lanes->rank[lane] * chunk + word);
	pc_lanes_init(&single, 0);
	call->kernels->rows_out(&single, to, tile, n, 1);
	pc_count(&call->host_written, 64 * n);
}

static void item(struct pc_call *call, uint32_t set, uint64_t word, uint64_t n)
{
	_Alignas(64) uint8_t acc[PC_FOLD_ACC_BYTES];

	pc_fold_turned(call, set, 0, word, n, acc);
	if (pc_own(call)->steps == PC_STEPS_PR_IM_CM) {
		call->sys->kernels->transpose(acc, acc, n);
		pc_count(&call->transfers, n);
	}
	put(call, acc, set, word, n);
}

/* whole chunks of the vector */
static int rows(struct pc_call *call, struct pc_assisted *own)
{
	bool staged = own->steps == PC_STEPS_PR;
	uint64_t start;
	int ret = 0;

	if (staged)
		ret = pc_stage_blocks(call, own,
				      call->shape->lanes.nl * own->chunk, 0, 0);
	if (ret)
		return ret;
	ret = pc_assist(call, call->src, call->src, 1);
	if (ret)
		return ret;
	if (staged)
		pc_pull_blocks(call);
	start = pc_phase_now();
	pc_for_each_tile(call, own->chunk, pc_fold_words(call), item);
	pc_phase_end(call->phase_ns, staged ? PC_PHASE_HOST :
					      PC_PHASE_REGISTERS, start);
	return pc_assist(call, call->src, call->src, 1);
}

/* the words left over */
static void tail(struct pc_call *call, uint32_t set, uint64_t word, uint64_t n)
{
	uint64_t before = call->shape->lanes.nl * pc_own(call)->chunk;

	pc_rows_to_buffers(call, set, before + word, n);
}

int pc_reduce_assisted(struct pc_call *call, enum pc_steps steps)
{
	return pc_assisted_vectors(call, steps, call->src, rows, tail);
}

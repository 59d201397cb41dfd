/* SPDX-License-Identifier: MIT */
/*
 * PEs reorder, pull, long moves of turned blocks in host memory, push, PEs
 * reorder. PID-Comm, section V-A.
 */
#include "collectives/algorithms/assisted/alltoall_assisted.h"

#define TILE_WORDS	512

static void item(struct pc_call *call, uint32_t set, uint32_t s, uint64_t word,
		 uint64_t n)
{
	const struct pc_lanes *lanes = &call->shape->lanes;
	const struct pc_assisted *own = pc_own(call);
	uint64_t blocks = call->shape->egs * lanes->nl * n;

	for (uint32_t t = 0; t < call->shape->egs; t++) {
		for (unsigned int k = 0; k < lanes->nl; k++) {
			uint64_t from = (t * lanes->nl + k) * own->chunk + word;
			uint64_t to = (s * lanes->nl + k) * own->chunk + word;

			own->turns->move(lanes, PC_TURN_HOST, k,
					 pc_staged(&own->out,
						   pc_eg(call, set, t), to),
					 64,
					 pc_staged(&own->in,
						   pc_eg(call, set, s), from),
					 64, n, PD_STORES_PLAIN);
		}
	}
	pc_count(&call->host_read, 64 * blocks);
	pc_count(&call->host_written, 64 * blocks);
}

static void exchange(struct pc_call *call)
{
	uint64_t start;

	pc_pull_blocks(call);
	start = pc_phase_now();
	pc_for_each_part(call, pc_own(call)->chunk, TILE_WORDS, 0,
			 call->shape->egs, item);
	pc_phase_end(call->phase_ns, PC_PHASE_HOST, start);
	pc_push_blocks(call, call->dst);
}

int pc_alltoall_pr(struct pc_call *call)
{
	return pc_alltoall_assisted(call, PC_STEPS_PR, exchange);
}

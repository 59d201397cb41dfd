// SPDX-License-Identifier: MIT
/* Each MRAM byte is read once and written once: fold, then lane broadcast. */
#include "collectives/call/algorithm.h"
#include "collectives/parts/rows.h"

/* tiles of an item: while one is folded the one before it is stored, and the last
 * one by itself */
#define ITEM_TILES	64

static void fold_register(const struct pc_call *call, uint32_t set, uint8_t *acc)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	uint8_t *from[8];

	for (uint32_t e = 0; e < call->req->shape->egs; e++) {
		pc_streams(call, pc_eg(call, set, e), call->req->src, 1, 1,
			   lanes->nl, 1, from);
		call->req->fold.reduce(lanes, lanes->nl, acc, from, 0, 1, 0, !e,
				       NULL, NULL);
	}
}

static void spread_register(const struct pc_call *call, uint32_t set,
			    const uint8_t *acc)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	uint8_t *to[8];

	for (uint32_t e = 0; e < call->req->shape->egs; e++) {
		pc_streams(call, pc_eg(call, set, e), call->req->dst, 1, 1,
			   lanes->nl, 1, to);
		call->req->moves->spread(lanes, to, lanes->nl, 0, acc, 1,
					 PD_STORES_PLAIN, NULL);
	}
}

/* A vector of one register: it takes less than what longer ones prepare. */
static void allreduce_one_register(struct pc_call *call, uint32_t set,
				   uint64_t word, uint64_t n)
{
	_Alignas(64) uint8_t acc[64];
	uint64_t blocks = call->req->shape->egs * n;

	(void)word;
	fold_register(call, set, acc);
	if (call->req->fold.host_domain) {
		call->req->sys->blocks->transpose(acc, acc, 1);
		pc_count(&call->counts.transfers, blocks + 1);
	}
	spread_register(call, set, acc);
	pc_count(&call->counts.blocks_read, blocks);
	pc_count(&call->counts.blocks_written, blocks);
}

static int allreduce_direct_run(struct pc_call *call)
{
	bool one = call->req->words == call->req->shape->lanes.nl &&
		   call->req->fold.reduce &&
		   call->work.stores != PD_STORES_AROUND;

	if (!one)
		pc_pair_up(call);
	pc_for_each_tile(call, call->req->words, ITEM_TILES * pc_rows_words(call),
			 one ? allreduce_one_register : pc_rows_allreduce);
	return 0;
}

const struct pc_algorithm pc_allreduce_direct = {
	.collective = PC_ALLREDUCE,
	.name = "direct",
	.desc = "folds in registers, then lane broadcast: one read, one write",
	.serves = PC_ALL_TYPES,
	.run = allreduce_direct_run,
};

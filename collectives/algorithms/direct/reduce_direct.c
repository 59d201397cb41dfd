// SPDX-License-Identifier: MIT
/* The first half of allreduce; the registers' words go to the host buffers. */
#include "collectives/call/algorithm.h"
#include "collectives/parts/rows.h"

/* tiles of an item: while one is folded the lines of the one before it are stored, and
 * those of the last one by themselves */
#define ITEM_TILES	64

static int reduce_direct_run(struct pc_call *call)
{
	pc_pair_up(call);
	pc_for_each_tile(call, call->req->words, ITEM_TILES * pc_rows_words(call),
			 pc_rows_to_buffers);
	return 0;
}

const struct pc_algorithm pc_reduce_direct = {
	.collective = PC_REDUCE,
	.name = "direct",
	.desc = "folds in registers, whole lines to the host buffers",
	.serves = PC_ALL_TYPES,
	.run = reduce_direct_run,
};

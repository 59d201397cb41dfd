// SPDX-License-Identifier: MIT
/*
 * The second half of allreduce: nl words of a host buffer make one register,
 * which is transposed once and broadcast over lanes and entangled groups.
 */
#include "collectives/call/algorithm.h"
#include "collectives/parts/rows.h"

/* the words of a set's buffers as registers in the PIM domain */
static void load_rows(struct pc_call *call, uint32_t set, uint64_t word, uint64_t n,
		      uint8_t *rows)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	uint64_t count = pc_rows(call, n);
	unsigned int groups = 8 / lanes->nl;
	const uint8_t *from[8];

	for (unsigned int g = 0; g < groups; g++)
		from[g] = call->req->bufs[set * groups + g] + 8 * word;
	call->req->moves->rows_in(lanes, rows, from, count,
			       n - (count - 1) * lanes->nl);
	call->req->sys->blocks->transpose(rows, rows, count);
	pc_count(&call->counts.host_read, 8 * n * groups);
	pc_count(&call->counts.transfers, count);
}

static void broadcast_item(struct pc_call *call, uint32_t set, uint64_t word,
			   uint64_t n)
{
	_Alignas(64) uint8_t rows[64 * PC_ROWS];

	for (unsigned int twin = 0; twin <= call->work.paired; twin++)
		load_rows(call, pc_twin(call, set, twin), word, n,
			  rows + 64 * twin * pc_rows(call, n));
	pc_rows_spread(call, set, word, n, rows, false);
}

static int broadcast_direct_run(struct pc_call *call)
{
	pc_pair_up(call);
	/* nothing is read: as far in each entangled group as a tile allows */
	pc_for_each_tile(call, call->req->words,
			 PC_ROWS * call->req->shape->lanes.nl >> call->work.paired,
			 broadcast_item);
	return 0;
}

const struct pc_algorithm pc_broadcast_direct = {
	.collective = PC_BROADCAST,
	.name = "direct",
	.desc = "one domain transfer for all members, then lane broadcast",
	.serves = PC_ALL_SIZES,
	.run = broadcast_direct_run,
};

// SPDX-License-Identifier: MIT
/*
 * The second half of allreduce: nl words of a host buffer make one register,
 * which is transposed once and broadcast over lanes and entangled groups.
 */
#include "collectives/call/algorithm.h"
#include "collectives/parts/rows.h"

static void broadcast_item(struct pc_call *call, uint32_t set, uint64_t word,
			   uint64_t n)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	_Alignas(64) uint8_t rows[64 * PC_ROWS];
	uint64_t count = pc_rows(call, n);
	unsigned int groups = 8 / lanes->nl;
	const uint8_t *from[8];

	for (unsigned int g = 0; g < groups; g++)
		from[g] = call->req->bufs[set * groups + g] + 8 * word;
	call->req->moves->rows_in(lanes, rows, from, count,
			       n - (count - 1) * lanes->nl);
	call->req->sys->blocks->transpose(rows, rows, count);
	pc_rows_spread(call, set, word, n, rows, false);
	pc_count(&call->counts.host_read, 8 * n * groups);
	pc_count(&call->counts.transfers, count);
}

static int broadcast_direct_run(struct pc_call *call)
{
	/* nothing is read: as far in each entangled group as a tile allows */
	pc_for_each_tile(call, call->req->words,
			 PC_ROWS * call->req->shape->lanes.nl, broadcast_item);
	return 0;
}

const struct pc_algorithm pc_broadcast_direct = {
	.collective = PC_BROADCAST,
	.name = "direct",
	.desc = "one domain transfer for all members, then lane broadcast",
	.serves = PC_ALL_SIZES,
	.run = broadcast_direct_run,
};

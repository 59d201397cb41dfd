// SPDX-License-Identifier: MIT
/*
 * Between the pieces of the groups' host buffers and MRAM: 8x8 qwords and 8x8
 * bytes are transposed in registers, so that both sides move whole lines. There
 * is nothing that host staging could add, so `conventional` does as these do.
 */
#include "collectives/call/algorithm.h"
#include "collectives/parts/staging.h"

static uint8_t *buffer_piece(const struct pc_call *call, uint32_t group,
			     uint32_t rank)
{
	return call->req->bufs[group] + rank * call->req->bytes;
}

static int scatter_direct_run(struct pc_call *call)
{
	pc_scatter_pieces(call, buffer_piece);
	return 0;
}

const struct pc_algorithm pc_scatter_direct = {
	.collective = PC_SCATTER,
	.name = "direct",
	.desc = "qword and byte transposition in registers",
	.serves = PC_ALL_SIZES,
	.run = scatter_direct_run,
};

static int gather_direct_run(struct pc_call *call)
{
	pc_gather_pieces(call, buffer_piece);
	return 0;
}

const struct pc_algorithm pc_gather_direct = {
	.collective = PC_GATHER,
	.name = "direct",
	.desc = "byte and qword transposition in registers",
	.serves = PC_ALL_SIZES,
	.run = gather_direct_run,
};

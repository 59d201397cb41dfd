/* SPDX-License-Identifier: MIT */
/*
 * Between the pieces of the groups' host buffers and MRAM: 8x8 qwords and 8x8
 * bytes are transposed in registers, so that both sides move whole lines. There
 * is nothing that host staging could add, so `conventional` is the same.
 */
#include "collectives/parts/staging.h"

static uint8_t *piece(const struct pc_call *call, uint32_t group, uint32_t rank)
{
	return call->bufs[group] + rank * call->bytes;
}

int pc_scatter(struct pc_call *call)
{
	pc_scatter_pieces(call, piece);
	return 0;
}

int pc_gather(struct pc_call *call)
{
	pc_gather_pieces(call, piece);
	return 0;
}

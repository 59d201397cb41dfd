/* SPDX-License-Identifier: MIT */
/* Pull each group's chunks side by side, push the whole to every member. */
#include "collectives/parts/staging.h"

/* the group's vector: all that is staged */
static uint8_t *gathered(const struct pc_call *call, uint32_t group,
			 uint32_t rank)
{
	(void)rank;
	return (uint8_t *)call->hc->staging + group * call->bytes;
}

static uint8_t *own_chunk(const struct pc_call *call, uint32_t group,
			  uint32_t rank)
{
	return gathered(call, group, rank) + 8 * call->words * rank;
}

int pc_allgather_conventional(struct pc_call *call)
{
	int ret = pc_staging(call, pc_results_bytes(call));

	if (ret)
		return ret;
	pc_pull(call, call->src, call->words, own_chunk);
	pc_push(call, call->dst, call->bytes / 8, gathered);
	return 0;
}

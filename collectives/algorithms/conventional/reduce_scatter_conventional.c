/* SPDX-License-Identifier: MIT */
/* Pull, reduce in host memory, push to each member its chunk of the result. */
#include "collectives/parts/staging.h"

static uint8_t *own_chunk(const struct pc_call *call, uint32_t group,
			  uint32_t rank)
{
	return pc_staged_result(call, group, rank) + 8 * call->words * rank;
}

int pc_reduce_scatter_conventional(struct pc_call *call)
{
	int ret = pc_staging(call, pc_vectors_bytes(call) +
				   pc_results_bytes(call));

	if (ret)
		return ret;
	pc_reduce_staged(call, pc_staged_result);
	pc_push(call, call->dst, call->words, own_chunk);
	return 0;
}

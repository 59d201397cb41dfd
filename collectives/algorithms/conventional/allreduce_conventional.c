/* SPDX-License-Identifier: MIT */
/* Pull, reduce in host memory, push the result to every member. */
#include "collectives/parts/staging.h"

int pc_allreduce_conventional(struct pc_call *call)
{
	int ret = pc_staging(call, pc_vectors_bytes(call) +
				   pc_results_bytes(call));

	if (ret)
		return ret;
	pc_reduce_staged(call, pc_staged_result);
	pc_push(call, call->dst, call->words, pc_staged_result);
	return 0;
}

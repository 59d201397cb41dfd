/* SPDX-License-Identifier: MIT */
/* Pull, reduce in host memory. */
#include "collectives/parts/staging.h"

int pc_reduce_conventional(struct pc_call *call)
{
	int ret = pc_staging(call, pc_vectors_bytes(call));

	if (!ret)
		pc_reduce_staged(call, pc_group_buffer);
	return ret;
}

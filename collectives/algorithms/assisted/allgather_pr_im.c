/* SPDX-License-Identifier: MIT */
/* One domain transfer a block read, one a block written; PEs reorder. */
#include "collectives/algorithms/assisted/allgather_assisted.h"

int pc_allgather_pr_im(struct pc_call *call)
{
	return pc_allgather_assisted(call, PC_STEPS_PR_IM);
}

/* SPDX-License-Identifier: MIT */
/* Blocks are turned and stored as they lie; PEs reorder. */
#include "collectives/algorithms/assisted/allgather_assisted.h"

int pc_allgather_pr_im_cm(struct pc_call *call)
{
	return pc_allgather_assisted(call, PC_STEPS_PR_IM_CM);
}

/* SPDX-License-Identifier: MIT */
/* Pull, push every block turned to all, PEs reorder. */
#include "collectives/algorithms/assisted/allgather_assisted.h"

int pc_allgather_pr(struct pc_call *call)
{
	return pc_allgather_assisted(call, PC_STEPS_PR);
}

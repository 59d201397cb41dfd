/* SPDX-License-Identifier: MIT */
/*
 * PEs reorder; registers go from one entangled group to another, turned between
 * two domain transfers; PEs reorder. PID-Comm, section V-B.
 */
#include "collectives/algorithms/assisted/alltoall_assisted.h"

int pc_alltoall_pr_im(struct pc_call *call)
{
	return pc_alltoall_assisted(call, PC_STEPS_PR_IM, pc_alltoall_registers);
}

/* SPDX-License-Identifier: MIT */
/*
 * PEs reorder; registers are turned in the PIM domain, where lanes are bytes;
 * PEs reorder. PID-Comm, section V-C.
 */
#include "collectives/algorithms/assisted/alltoall_assisted.h"

int pc_alltoall_pr_im_cm(struct pc_call *call)
{
	return pc_alltoall_assisted(call, PC_STEPS_PR_IM_CM,
				    pc_alltoall_registers);
}

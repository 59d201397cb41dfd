/* SPDX-License-Identifier: MIT */
/*
 * The same without domain transfers: bytes are elements in either domain.
 */
#include "collectives/algorithms/assisted/allreduce_assisted.h"

int pc_allreduce_pr_im_cm(struct pc_call *call)
{
	return pc_allreduce_assisted(call, PC_STEPS_PR_IM_CM);
}

int pc_allreduce_pr_im_cm_check(const struct pc_args *args)
{
	return pc_assisted_check(args, PC_STEPS_PR_IM_CM);
}

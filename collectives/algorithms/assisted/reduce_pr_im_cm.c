/* SPDX-License-Identifier: MIT */
/* The same in the PIM domain: a domain transfer of the result alone. */
#include "collectives/algorithms/assisted/reduce_assisted.h"

int pc_reduce_pr_im_cm(struct pc_call *call)
{
	return pc_reduce_assisted(call, PC_STEPS_PR_IM_CM);
}

int pc_reduce_pr_im_cm_check(const struct pc_args *args)
{
	return pc_assisted_check(args, PC_STEPS_PR_IM_CM);
}

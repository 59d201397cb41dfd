/* SPDX-License-Identifier: MIT */
/*
 * PEs reorder; the host turns and folds in registers after a domain transfer, and
 * stores after another one; PEs put back.
 */
#include "collectives/algorithms/assisted/reduce_scatter_assisted.h"

int pc_reduce_scatter_pr_im(struct pc_call *call)
{
	return pc_reduce_scatter_assisted(call, PC_STEPS_PR_IM);
}

int pc_reduce_scatter_pr_im_check(const struct pc_args *args)
{
	return pc_reduce_scatter_check(args, PC_STEPS_PR_IM);
}

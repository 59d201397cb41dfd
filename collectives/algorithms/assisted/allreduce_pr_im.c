/* SPDX-License-Identifier: MIT */
/*
 * PEs reorder; the host folds in registers after a domain transfer, and stores to
 * all by turns after another one; PEs reorder.
 */
#include "collectives/algorithms/assisted/allreduce_assisted.h"

int pc_allreduce_pr_im(struct pc_call *call)
{
	return pc_allreduce_assisted(call, PC_STEPS_PR_IM);
}

int pc_allreduce_pr_im_check(const struct pc_args *args)
{
	return pc_assisted_check(args, PC_STEPS_PR_IM);
}

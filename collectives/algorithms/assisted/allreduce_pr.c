/* SPDX-License-Identifier: MIT */
/*
 * PEs reorder, pull, fold turned blocks in host memory, push to all, PEs reorder.
 */
#include "collectives/algorithms/assisted/allreduce_assisted.h"

int pc_allreduce_pr(struct pc_call *call)
{
	return pc_allreduce_assisted(call, PC_STEPS_PR);
}

int pc_allreduce_pr_check(const struct pc_args *args)
{
	return pc_assisted_check(args, PC_STEPS_PR);
}

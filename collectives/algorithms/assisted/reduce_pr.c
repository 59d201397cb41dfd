/* SPDX-License-Identifier: MIT */
/* PEs reorder, pull, fold turned blocks in host memory; PEs put back. */
#include "collectives/algorithms/assisted/reduce_assisted.h"

int pc_reduce_pr(struct pc_call *call)
{
	return pc_reduce_assisted(call, PC_STEPS_PR);
}

int pc_reduce_pr_check(const struct pc_args *args)
{
	return pc_assisted_check(args, PC_STEPS_PR);
}

/* SPDX-License-Identifier: MIT */
/*
 * PEs reorder, pull, fold turned blocks in host memory, push; PEs put back.
 */
#include "collectives/algorithms/assisted/reduce_scatter_assisted.h"

int pc_reduce_scatter_pr(struct pc_call *call)
{
	return pc_reduce_scatter_assisted(call, PC_STEPS_PR);
}

int pc_reduce_scatter_pr_check(const struct pc_args *args)
{
	return pc_reduce_scatter_check(args, PC_STEPS_PR);
}

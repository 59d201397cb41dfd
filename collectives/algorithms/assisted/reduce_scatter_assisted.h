/* SPDX-License-Identifier: MIT */
/* What the PE-assisted ways of reduce_scatter share. */
#ifndef PC_REDUCE_SCATTER_ASSISTED_H
#define PC_REDUCE_SCATTER_ASSISTED_H

#include "collectives/algorithms/assisted/assisted.h"

/*
 * PEs reorder, the host folds what every entangled group receives, PEs reorder
 * back: dst is only a chunk long, so it is done at src, which is then as it was.
 */
int pc_reduce_scatter_assisted(struct pc_call *call, enum pc_steps steps);

/*
 * In place the result would overwrite what is still to be put back. With
 * PC_STEPS_PR_IM_CM, bytes alone.
 */
int pc_reduce_scatter_check(const struct pc_args *args, enum pc_steps steps);

#endif /* PC_REDUCE_SCATTER_ASSISTED_H */

/* SPDX-License-Identifier: MIT */
/* What the PE-assisted ways of reduce share. */
#ifndef PC_REDUCE_ASSISTED_H
#define PC_REDUCE_ASSISTED_H

#include "collectives/algorithms/assisted/assisted.h"

/*
 * The vector is a row of as many chunks as a group has lanes. PEs reorder it at
 * src, the host folds it into the groups' buffers, PEs put it back. The last
 * words, fewer than lanes, go the direct way.
 */
int pc_reduce_assisted(struct pc_call *call, enum pc_steps steps);

#endif /* PC_REDUCE_ASSISTED_H */

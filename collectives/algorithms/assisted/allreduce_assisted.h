/* SPDX-License-Identifier: MIT */
/* What the PE-assisted ways of allreduce share. */
#ifndef PC_ALLREDUCE_ASSISTED_H
#define PC_ALLREDUCE_ASSISTED_H

#include "collectives/algorithms/assisted/assisted.h"

/*
 * The vector is a row of as many chunks as a group has lanes. PEs reorder it
 * into dst, the host folds it and stores the result to all by turns, PEs reorder.
 * The last words, fewer than lanes, go the direct way.
 */
int pc_allreduce_assisted(struct pc_call *call, enum pc_steps steps);

#endif /* PC_ALLREDUCE_ASSISTED_H */

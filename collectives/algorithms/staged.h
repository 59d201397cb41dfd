/* SPDX-License-Identifier: MIT */
/*
 * What several hosts do that work each on its own MRAM: all meet in host memory. These are
 * in no table, as one process has no use for them.
 */
#ifndef PC_STAGED_H
#define PC_STAGED_H

#include "collectives/call/algorithm.h"

extern const struct pc_algorithm pc_staged_alltoall, pc_staged_reduce_scatter,
	pc_staged_allreduce, pc_staged_allgather, pc_staged_scatter, pc_staged_gather,
	pc_staged_reduce, pc_staged_broadcast;

/* A collective's. */
const struct pc_algorithm *pc_algorithm_staged(enum pc_collective id);
/*
 * A reduce or broadcast of hosts that reach each other's MRAM, where few have the groups'
 * buffers: all work on all of it, and on vectors in memory that all map.
 */
const struct pc_algorithm *pc_algorithm_shared(enum pc_collective id);

#endif /* PC_STAGED_H */

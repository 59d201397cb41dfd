/* SPDX-License-Identifier: MIT */
/*
 * All algorithms, each of which ends its own source with its descriptor: which
 * there are and in what order is policy, apart from the code that moves bytes.
 */
#ifndef PC_TABLE_H
#define PC_TABLE_H

#include <stddef.h>

#include "collectives/call/algorithm.h"

/* in the order in which `auto` prefers those of one collective */
#define PC_ALGORITHMS(algorithm)			\
	algorithm(pc_alltoall_direct)			\
	algorithm(pc_alltoall_conventional)		\
	algorithm(pc_alltoall_pr)			\
	algorithm(pc_alltoall_pr_im)			\
	algorithm(pc_alltoall_pr_im_cm)			\
	algorithm(pc_reduce_scatter_direct)		\
	algorithm(pc_reduce_scatter_conventional)	\
	algorithm(pc_reduce_scatter_pr)			\
	algorithm(pc_reduce_scatter_pr_im)		\
	algorithm(pc_reduce_scatter_pr_im_cm)		\
	algorithm(pc_allreduce_direct)			\
	algorithm(pc_allreduce_conventional)		\
	algorithm(pc_allreduce_ring)			\
	algorithm(pc_allreduce_tree)			\
	algorithm(pc_allreduce_pr)			\
	algorithm(pc_allreduce_pr_im)			\
	algorithm(pc_allreduce_pr_im_cm)		\
	algorithm(pc_allgather_direct)			\
	algorithm(pc_allgather_conventional)		\
	algorithm(pc_allgather_pr)			\
	algorithm(pc_allgather_pr_im)			\
	algorithm(pc_allgather_pr_im_cm)		\
	algorithm(pc_scatter_direct)			\
	algorithm(pc_scatter_conventional)		\
	algorithm(pc_gather_direct)			\
	algorithm(pc_gather_conventional)		\
	algorithm(pc_reduce_direct)			\
	algorithm(pc_reduce_conventional)		\
	algorithm(pc_reduce_pr)				\
	algorithm(pc_reduce_pr_im)			\
	algorithm(pc_reduce_pr_im_cm)			\
	algorithm(pc_broadcast_direct)			\
	algorithm(pc_broadcast_conventional)

#define PC_DECLARE_ALGORITHM(name)	extern const struct pc_algorithm name;
PC_ALGORITHMS(PC_DECLARE_ALGORITHM)

/* the table, in this order */
const struct pc_algorithm *const *pc_algorithms(size_t *count);

/* what `auto` runs: the first of its collective */
const struct pc_algorithm *pc_algorithm_auto(enum pc_collective id);

/*
 * The collective's algorithm of this name. NULL if it has none; `known` tells
 * whether any collective has.
 */
const struct pc_algorithm *pc_algorithm_find(enum pc_collective id,
					     const char *name, bool *known);

#endif /* PC_TABLE_H */

/* SPDX-License-Identifier: MIT */
/* Which algorithms there are: policy, apart from the code that moves bytes. */
#ifndef PC_ALGORITHMS_H
#define PC_ALGORITHMS_H

#include <stdbool.h>
#include <stddef.h>

enum pc_collective {
	PC_ALLTOALL,
	PC_REDUCE_SCATTER,
	PC_ALLREDUCE,
	PC_ALLGATHER,
	PC_SCATTER,
	PC_GATHER,
	PC_REDUCE,
	PC_BROADCAST,
	PC_NR_COLLECTIVES,
};

struct pc_args;
struct pc_call;

/* one algorithm of one collective */
struct pidcomm_algorithm {
	enum pc_collective id;
	const char *collective;
	const char *name;
	const char *desc;	/* one line */
	const char *serves;	/* sizes, types and operations */
	int (*run)(struct pc_call *call);
	/* 0, or -EOPNOTSUPP and a sentence for a checked call that it does not
	 * serve; NULL: it serves all */
	int (*check)(const struct pc_args *args);
	bool assisted;		/* PEs do part of it */
};

/* the table, in the order in which `auto` prefers them */
const struct pidcomm_algorithm *pidcomm_algorithms(size_t *count);

const char *pc_collective_name(enum pc_collective id);

/* what `auto` runs */
const struct pidcomm_algorithm *pc_algorithm_auto(enum pc_collective id);

/* one file an algorithm */
int pc_alltoall_direct(struct pc_call *call);
int pc_alltoall_conventional(struct pc_call *call);
int pc_reduce_scatter_direct(struct pc_call *call);
int pc_reduce_scatter_conventional(struct pc_call *call);
int pc_allreduce_direct(struct pc_call *call);
int pc_allreduce_conventional(struct pc_call *call);
int pc_allreduce_ring(struct pc_call *call);
int pc_allreduce_ring_check(const struct pc_args *args);
int pc_allreduce_tree(struct pc_call *call);
int pc_allgather_direct(struct pc_call *call);
int pc_allgather_conventional(struct pc_call *call);
int pc_scatter(struct pc_call *call);
int pc_gather(struct pc_call *call);
int pc_reduce_direct(struct pc_call *call);
int pc_reduce_conventional(struct pc_call *call);
int pc_broadcast_direct(struct pc_call *call);
int pc_broadcast_conventional(struct pc_call *call);

/* with help of PEs */
int pc_alltoall_pr(struct pc_call *call);
int pc_alltoall_pr_im(struct pc_call *call);
int pc_alltoall_pr_im_cm(struct pc_call *call);
int pc_reduce_scatter_pr(struct pc_call *call);
int pc_reduce_scatter_pr_check(const struct pc_args *args);
int pc_reduce_scatter_pr_im(struct pc_call *call);
int pc_reduce_scatter_pr_im_check(const struct pc_args *args);
int pc_reduce_scatter_pr_im_cm(struct pc_call *call);
int pc_reduce_scatter_pr_im_cm_check(const struct pc_args *args);
int pc_allreduce_pr(struct pc_call *call);
int pc_allreduce_pr_check(const struct pc_args *args);
int pc_allreduce_pr_im(struct pc_call *call);
int pc_allreduce_pr_im_check(const struct pc_args *args);
int pc_allreduce_pr_im_cm(struct pc_call *call);
int pc_allreduce_pr_im_cm_check(const struct pc_args *args);
int pc_allgather_pr(struct pc_call *call);
int pc_allgather_pr_im(struct pc_call *call);
int pc_allgather_pr_im_cm(struct pc_call *call);
int pc_reduce_pr(struct pc_call *call);
int pc_reduce_pr_check(const struct pc_args *args);
int pc_reduce_pr_im(struct pc_call *call);
int pc_reduce_pr_im_check(const struct pc_args *args);
int pc_reduce_pr_im_cm(struct pc_call *call);
int pc_reduce_pr_im_cm_check(const struct pc_args *args);

#endif /* PC_ALGORITHMS_H */

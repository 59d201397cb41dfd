/* SPDX-License-Identifier: MIT */
/* Jobs of ranks, done in the order in which they join the ranks' queues. */
#ifndef HOST_QUEUE_H
#define HOST_QUEUE_H

#include <pthread.h>

#include "tools/upmem/host/core/error.h"
#include "tools/upmem/host/core/set.h"

struct slot;

/*
 * Something to do with ranks when its turn has come in the queues of all of
 * them. It is embedded in what says the details.
 */
struct op {
	enum job_type type;
	dpu_error_t (*run)(struct op *op);
	void (*free)(struct op *op);	/* asynchronous ones, when done */
	struct members on;
	bool async;
	bool detached;		/* its queues do not wait for its end */
	bool callback;		/* runs a function of the user's */
	bool aftermath;		/* set by run(): another op's failure says more */
	/* the queue's own */
	bool cancelled;
	uint32_t waiting;	/* ranks where it is not first */
	dpu_error_t status;
	struct slot *slots;
	struct op *next;
	pthread_cond_t turn;
};

/* wait for the op's turn, do it on this thread; op is the caller's */
dpu_error_t op_do(struct op *op);
/* leave it to a thread of the library, which frees it; frees it on failure */
dpu_error_t op_queue(struct op *op);
/* wait for all jobs; the first error of asynchronous ones, which is forgotten */
dpu_error_t op_sync(const struct members *on);
/* wait for callbacks that left the ranks' queues */
void op_wait_detached(const struct members *on);
/* whether this thread runs a callback that the rank's queue waits for */
bool op_owned(const struct dpu_rank_t *rank);

#endif /* HOST_QUEUE_H */

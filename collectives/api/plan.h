/* SPDX-License-Identifier: MIT */
/* Prepared calls, and those of them that run behind. */
#ifndef PC_PLAN_H
#define PC_PLAN_H

#include <pthread.h>

#include "collectives/call/args.h"

/* where a started plan stands; guarded by its queue's lock */
enum pc_request_state {
	PC_REQUEST_IDLE,	/* not started, or its end has been told */
	PC_REQUEST_WAITING,
	PC_REQUEST_ENDED,	/* its end has not been told */
	PC_REQUEST_LOST,	/* outstanding in the process that forked this one */
};

struct pidcomm_request {
	struct pidcomm_plan *plan;
	enum pc_request_state state;
	bool temporary;		/* the plan goes when its end has been told */
	int result;
	char message[512];	/* pimdimm_errmsg() of a failure */
	struct pidcomm_stats stats;
	struct pidcomm_request *next;	/* outstanding, in order */
};

struct pidcomm_plan {
	struct pidcomm *hc;
	struct pc_args args;
	char axes[PIDCOMM_MAX_DIMS + 1];
	void **bufs;
	struct pc_shape shape;
	uint32_t *tables;
	const struct pc_algorithm *algorithm;
	struct pidcomm_request request;
};

/* 0, -EINVAL or -ENOMEM */
int pc_plan_make(struct pidcomm *hc, struct pc_args args,
		 struct pidcomm_plan **plan);

/* the outstanding requests of a hypercube, and the thread that runs them */
struct pc_queue;

/*
 * -EBUSY and a sentence if the call touches what an outstanding request uses;
 * else wait until none is running, so that the caller may run its own.
 */
int pc_queue_wait(struct pidcomm *hc, const struct pc_args *args,
		  uint32_t members);

static inline int pc_queue_enter(struct pidcomm *hc, const struct pc_args *args,
				 uint32_t members)
{
	return hc->queue ? pc_queue_wait(hc, args, members) : 0;
}

/* whether the plan has been started and its end has not been told */
bool pc_plan_outstanding(const struct pidcomm_plan *plan);

/* Wait for all requests and forget them; for pidcomm_destroy(). */
void pc_queue_destroy(struct pidcomm *hc);

#endif /* PC_PLAN_H */

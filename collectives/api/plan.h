/* SPDX-License-Identifier: MIT */
/* Prepared calls, and the requests of those that have been started. */
#ifndef PC_PLAN_H
#define PC_PLAN_H

#include "collectives/api/queue.h"
#include "collectives/typed/typed.h"

struct pidcomm_request {
	struct pc_job job;
	struct pidcomm_plan *plan;
	bool temporary;		/* the plan goes when its end has been told */
};

struct pidcomm_plan {
	struct pidcomm *hc;
	struct pc_args args;
	char axes[PIDCOMM_MAX_DIMS + 1];
	void **bufs;
	struct pc_shape shape;
	uint32_t *tables;
	struct pc_typed *typed;	/* instead of all of these from args on; or NULL */
	const struct pc_algorithm *algorithm;	/* NULL: auto */
	struct pidcomm_request request;
};

/* 0, -EINVAL or -ENOMEM */
int pc_plan_make(struct pidcomm *hc, struct pc_args args,
		 struct pidcomm_plan **plan);

/* the same of a typed call, which becomes the plan's, or is freed on failure */
int pc_plan_typed(struct pidcomm *hc, struct pc_typed *typed,
		  struct pidcomm_plan **plan);

/* Start a plan that goes with its request. */
int pc_plan_begin_made(struct pidcomm_plan *plan,
		       struct pidcomm_request **request);

/* Start a call whose plan goes with its request. */
int pc_plan_begin(struct pidcomm *hc, struct pc_args args,
		  struct pidcomm_request **request);

#endif /* PC_PLAN_H */

/* SPDX-License-Identifier: MIT */
/* Prepared calls, and the requests of those that have been started. */
#ifndef PC_PLAN_H
#define PC_PLAN_H

#include "collectives/api/queue.h"

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
	struct pidcomm_request request;
};

/* 0, -EINVAL or -ENOMEM */
int pc_plan_make(struct pidcomm *hc, struct pc_args args,
		 struct pidcomm_plan **plan);

/* Start a call whose plan goes with its request. */
int pc_plan_begin(struct pidcomm *hc, struct pc_args args,
		  struct pidcomm_request **request);

#endif /* PC_PLAN_H */

// SPDX-License-Identifier: MIT
/* Plans: calls that are checked once and run or started many times. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/api/plan.h"
#include "collectives/api/run.h"
#include "runtime/base/error.h"
#include "runtime/ranks/owner.h"

/* rooted, so in need of a copy of its array of buffers; with nothing to move the
 * array may be anything */
static bool has_bufs(const struct pc_args *args)
{
	return pc_is_rooted(args->id) && args->bytes;
}

static bool copy_tables(struct pidcomm_plan *plan, const struct pc_shape *shape)
{
	size_t off = shape->egs * sizeof(uint32_t);
	size_t base = shape->sets * sizeof(uint32_t);

	plan->tables = malloc(off + base);
	if (!plan->tables)
		return false;
	plan->shape = *shape;
	plan->shape.off = plan->tables;
	plan->shape.base = plan->tables + shape->egs;
	memcpy(plan->shape.off, shape->off, off);
	memcpy(plan->shape.base, shape->base, base);
	return true;
}

static bool copy_bufs(struct pidcomm_plan *plan)
{
	size_t bytes = plan->shape.groups * sizeof(*plan->bufs);

	if (!has_bufs(&plan->args)) {
		plan->args.bufs = NULL;
		return true;
	}
	plan->bufs = malloc(bytes);
	if (!plan->bufs)
		return false;
	memcpy(plan->bufs, plan->args.bufs, bytes);
	plan->args.bufs = plan->bufs;
	return true;
}

/* The hypercube is destroyed: a plan that nobody else has goes with it. */
static void forget_request(struct pc_job *job)
{
	struct pidcomm_request *r = (struct pidcomm_request *)job;

	if (r->temporary)
		pidcomm_plan_free(r->plan);
}

_Static_assert(offsetof(struct pidcomm_request, job) == 0,
	       "a request is its job");

int pc_plan_make(struct pidcomm *hc, struct pc_args args,
		 struct pidcomm_plan **out)
{
	const struct pc_shape *shape;
	struct pidcomm_plan *plan;
	int ret = pc_args_check(hc, &args, &shape);

	if (!ret && !out)
		ret = pd_error(EINVAL, "plan is NULL");
	if (ret)
		return ret;
	plan = calloc(1, sizeof(*plan));
	if (plan) {
		plan->hc = hc;
		plan->args = args;
		memcpy(plan->axes, args.axes, hc->cube.ndims);
		plan->args.axes = plan->axes;
		plan->request.plan = plan;
		plan->request.job = (struct pc_job){
			.args = &plan->args,
			.shape = &plan->shape,
			.algorithm = hc->algorithm[args.id],
			.forget = forget_request,
		};
	}
	if (!plan || !copy_tables(plan, shape) || !copy_bufs(plan)) {
		pidcomm_plan_free(plan);
		return pd_error(ENOMEM, "no memory for a plan of %s",
				pc_collective_name(args.id));
	}
	*out = plan;
	return 0;
}

void pidcomm_plan_free(struct pidcomm_plan *plan)
{
	struct pidcomm_request *request;

	if (!plan)
		return;
	request = &plan->request;
	if (pc_queue_has(plan->hc, &request->job))
		pidcomm_wait(&request);
	free(plan->bufs);
	free(plan->tables);
	free(plan);
}

int pidcomm_plan_run(struct pidcomm_plan *plan)
{
	const struct pc_args *args;
	int ret;

	if (!plan)
		return pd_error(EINVAL, "plan is NULL");
	args = &plan->args;
	ret = pc_args_check_op(args);
	if (!ret)
		ret = pc_queue_enter(plan->hc, args, plan->shape.members);
	if (ret)
		return ret;
	return pc_run(plan->hc, args, &plan->shape, plan->request.job.algorithm,
		      &plan->hc->stats);
}

int pidcomm_plan_start(struct pidcomm_plan *plan,
		       struct pidcomm_request **request)
{
	struct pc_job *job;
	int ret;

	if (!plan || !request)
		return pd_error(EINVAL, "%s is NULL",
				plan ? "request" : "plan");
	job = &plan->request.job;
	ret = pc_args_check_op(&plan->args);
	if (!ret && plan->args.bytes)
		ret = pd_check_host(plan->hc->sys);
	if (!ret && pc_queue_has(plan->hc, job))
		ret = pd_error(EBUSY, "the plan's own request is outstanding");
	if (!ret)
		ret = pc_queue_start(plan->hc, job);
	if (!ret)
		*request = &plan->request;
	return ret;
}

int pc_plan_begin(struct pidcomm *hc, struct pc_args args,
		  struct pidcomm_request **request)
{
	struct pidcomm_plan *plan;
	int ret;

	if (!request)
		return pd_error(EINVAL, "request is NULL");
	ret = pc_plan_make(hc, args, &plan);
	if (ret)
		return ret;
	plan->request.temporary = true;
	ret = pidcomm_plan_start(plan, request);
	if (ret)
		pidcomm_plan_free(plan);
	return ret;
}

/*
 * Tell the end of a request: its result, its sentence, its counters. lost: it is
 * another process's to tell.
 */
static int finish_request(struct pidcomm_request **request, bool lost)
{
	struct pidcomm_request *r = *request;
	int ret = r->job.result;

	*request = NULL;
	if (lost)
		ret = pd_error(
			EINVAL,
			"the request is the parent's, expected one that was made after fork()");
	else if (ret)
		ret = pd_error(-ret, "%s", r->job.message);
	else
		r->plan->hc->stats = r->job.stats;
	if (r->temporary)
		pidcomm_plan_free(r->plan);
	return ret;
}

int pidcomm_test(struct pidcomm_request **request, int *done)
{
	enum pc_job_state state;

	if (!request || !done)
		return pd_error(EINVAL, "%s is NULL",
				request ? "done" : "request");
	*done = 1;
	if (!*request)
		return 0;
	state = pc_queue_tell((*request)->plan->hc, &(*request)->job, false);
	*done = state != PC_JOB_WAITING;
	return *done ? finish_request(request, state == PC_JOB_LOST) : 0;
}

int pidcomm_wait(struct pidcomm_request **request)
{
	enum pc_job_state state;

	if (!request)
		return pd_error(EINVAL, "request is NULL");
	if (!*request)
		return 0;
	state = pc_queue_tell((*request)->plan->hc, &(*request)->job, true);
	return finish_request(request, state == PC_JOB_LOST);
}

int pidcomm_waitall(size_t count, struct pidcomm_request *requests[])
{
	char message[sizeof(requests[0]->job.message)];
	int first = 0;

	if (count && !requests)
		return pd_error(EINVAL, "requests is NULL");
	for (size_t i = 0; i < count; i++) {
		int ret = pidcomm_wait(&requests[i]);

		if (ret && !first) {
			first = ret;
			strcpy(message, pimdimm_errmsg());
		}
	}
	return first ? pd_error(-first, "%s", message) : 0;
}

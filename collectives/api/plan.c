// SPDX-License-Identifier: MIT
/* Plans: calls that are checked once and run or started many times. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/api/hosts_calls.h"
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

/* as often as it is asked to; what is counted goes where the caller wants it */
static int run_plan(struct pidcomm_plan *plan, struct pidcomm_stats *stats)
{
	if (plan->typed)
		return pc_typed_run(plan->typed, stats);
	return pc_run(plan->hc, &plan->args, &plan->shape, plan->algorithm,
		      stats);
}

/* the operation may have been freed since */
static int check_again(const struct pidcomm_plan *plan)
{
	return plan->typed ? 0 : pc_args_check_op(&plan->args);
}

static int run_request(struct pc_job *job)
{
	struct pidcomm_request *r = (struct pidcomm_request *)job;
	int ret = check_again(r->plan);

	if (ret)
		return pc_hosts_refuse_job(r->plan->hc, r->plan->args.id, ret);
	return run_plan(r->plan, &job->stats);
}

static struct pidcomm_plan *plan_new(struct pidcomm *hc, struct pc_use use)
{
	struct pidcomm_plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	plan->hc = hc;
	plan->request.plan = plan;
	plan->request.job = (struct pc_job){
		.use = use,
		.run = run_request,
		.forget = forget_request,
	};
	return plan;
}

static int no_memory(const char *name)
{
	return pd_error(ENOMEM, "no memory for a plan of %s", name);
}

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
	plan = plan_new(hc, pc_use_of(&args, shape->members));
	if (plan) {
		plan->args = args;
		memcpy(plan->axes, args.axes, hc->cube.ndims);
		plan->args.axes = plan->axes;
		plan->algorithm = hc->algorithm[args.id];
	}
	if (!plan || !copy_tables(plan, shape) || !copy_bufs(plan)) {
		pidcomm_plan_free(plan);
		return no_memory(pc_collective_name(args.id));
	}
	*out = plan;
	return 0;
}

int pc_plan_typed(struct pidcomm *hc, struct pc_typed *typed,
		  struct pidcomm_plan **out)
{
	const struct pc_use use = {
		pc_typed_name(typed->id), typed->ranges.read,
		typed->ranges.written, typed->ranges.written_bytes,
		typed->ranges,
	};

	*out = plan_new(hc, use);
	if (!*out) {
		pc_typed_free(typed);
		return no_memory(use.name);
	}
	(*out)->typed = typed;
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
	pc_typed_free(plan->typed);
	free(plan->bufs);
	free(plan->tables);
	free(plan);
}

int pidcomm_plan_run(struct pidcomm_plan *plan)
{
	int ret;

	if (!plan)
		return pd_error(EINVAL, "plan is NULL");
	ret = check_again(plan);
	if (!ret && plan->hc->queue)
		ret = pc_queue_wait(plan->hc, &plan->request.job.use);
	if (ret)
		return pc_hosts_refuse(plan->hc, plan->args.id, ret);
	return run_plan(plan, &plan->hc->stats);
}

static bool moves_bytes(const struct pidcomm_plan *plan)
{
	return plan->typed ? plan->typed->bytes || plan->typed->counts.in_mram :
			     plan->args.bytes;
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
	ret = check_again(plan);
	if (!ret)
		ret = pc_hosts_may_start(plan->hc);
	if (!ret && moves_bytes(plan))
		ret = pd_check_host(plan->hc->sys);
	if (!ret && pc_queue_has(plan->hc, job))
		ret = pd_error(EBUSY, "the plan's own request is outstanding");
	if (!ret)
		ret = pc_queue_start(plan->hc, job);
	if (ret)
		return pc_hosts_refuse(plan->hc, plan->args.id, ret);
	*request = &plan->request;
	return 0;
}

int pc_plan_begin_made(struct pidcomm_plan *plan,
		       struct pidcomm_request **request)
{
	int ret;

	plan->request.temporary = true;
	ret = pidcomm_plan_start(plan, request);
	if (ret)
		pidcomm_plan_free(plan);
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
		return pc_hosts_refuse(hc, args.id, ret);
	return pc_plan_begin_made(plan, request);
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

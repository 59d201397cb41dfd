/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"
#include "collectives/call/ops.h"
#include "collectives/api/plan.h"
#include "collectives/api/run.h"

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
		memcpy(plan->axes, args.axes, hc->ndims);
		plan->args.axes = plan->axes;
		plan->algorithm = hc->algorithm[args.id];
		plan->request.plan = plan;
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
	if (pc_plan_outstanding(plan))
		pidcomm_wait(&request);
	free(plan->bufs);
	free(plan->tables);
	free(plan);
}

int pidcomm_plan_run(struct pidcomm_plan *plan)
{
	const struct pc_args *args;
	int ret = 0;

	if (!plan)
		return pd_error(EINVAL, "plan is NULL");
	args = &plan->args;
	if (pc_traits[args->id].reduces)
		ret = pc_op_check(args->type, args->op);
	if (!ret)
		ret = pc_queue_enter(plan->hc, args, plan->shape.members);
	if (ret)
		return ret;
	return pc_run(plan->hc, args, &plan->shape, plan->algorithm,
		      &plan->hc->stats);
}

int pidcomm_plan_alltoall(struct pidcomm *hc, const char *axes, uint64_t bytes,
			  uint64_t src, uint64_t dst,
			  struct pidcomm_plan **plan)
{
	return pc_plan_make(hc,
			    pc_args_move(PC_ALLTOALL, axes, bytes, src,
					 dst), plan);
}

int pidcomm_plan_reduce_scatter(struct pidcomm *hc, const char *axes,
				uint64_t bytes, uint64_t src, uint64_t dst,
				enum pidcomm_type type, pidcomm_op op,
				struct pidcomm_plan **plan)
{
	return pc_plan_make(hc,
			    pc_args_reduce(PC_REDUCE_SCATTER, axes, bytes, src,
					   dst, type, op), plan);
}

int pidcomm_plan_allreduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
			   uint64_t src, uint64_t dst, enum pidcomm_type type,
			   pidcomm_op op, struct pidcomm_plan **plan)
{
	return pc_plan_make(hc,
			    pc_args_reduce(PC_ALLREDUCE, axes, bytes, src, dst,
					   type, op), plan);
}

int pidcomm_plan_allgather(struct pidcomm *hc, const char *axes, uint64_t bytes,
			   uint64_t src, uint64_t dst,
			   struct pidcomm_plan **plan)
{
	return pc_plan_make(hc,
			    pc_args_move(PC_ALLGATHER, axes, bytes, src,
					 dst), plan);
}

int pidcomm_plan_scatter(struct pidcomm *hc, const char *axes, uint64_t bytes,
			 const void *const bufs[], uint64_t dst,
			 struct pidcomm_plan **plan)
{
	return pc_plan_make(hc,
			    pc_args_rooted(PC_SCATTER, axes, bytes, dst,
					   bufs), plan);
}

int pidcomm_plan_gather(struct pidcomm *hc, const char *axes, uint64_t bytes,
			uint64_t src, void *const bufs[],
			struct pidcomm_plan **plan)
{
	return pc_plan_make(hc,
			    pc_args_rooted(PC_GATHER, axes, bytes, src,
					   bufs), plan);
}

int pidcomm_plan_reduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
			uint64_t src, void *const bufs[],
			enum pidcomm_type type, pidcomm_op op,
			struct pidcomm_plan **plan)
{
	return pc_plan_make(hc,
			    pc_args_reduce_rooted(axes, bytes, src, bufs, type,
						  op), plan);
}

int pidcomm_plan_broadcast(struct pidcomm *hc, const char *axes, uint64_t bytes,
			   const void *const bufs[], uint64_t dst,
			   struct pidcomm_plan **plan)
{
	return pc_plan_make(hc,
			    pc_args_rooted(PC_BROADCAST, axes, bytes, dst,
					   bufs), plan);
}

// SPDX-License-Identifier: MIT
/* The calls of every collective: now, as a plan, or behind. */
#include "collectives/api/calls.h"
#include "collectives/api/hosts_calls.h"
#include "collectives/api/plan.h"
#include "collectives/api/run.h"

int pc_call_now(struct pidcomm *hc, struct pc_args args)
{
	const struct pc_shape *shape;
	int ret = pc_args_check(hc, &args, &shape);

	if (!ret)
		ret = pc_queue_enter(hc, &args, shape->members);
	if (ret)
		return pc_hosts_refuse(hc, args.id, ret);
	return pc_run(hc, &args, shape, hc->algorithm[args.id], &hc->stats);
}

int pidcomm_alltoall(struct pidcomm *hc, const char *axes, uint64_t bytes,
		     uint64_t src, uint64_t dst)
{
	return pc_call_now(hc,
			   pc_args_move(PC_ALLTOALL, axes, bytes, src, dst));
}

int pidcomm_plan_alltoall(struct pidcomm *hc, const char *axes, uint64_t bytes,
			  uint64_t src, uint64_t dst,
			  struct pidcomm_plan **plan)
{
	return pc_plan_make(
		hc, pc_args_move(PC_ALLTOALL, axes, bytes, src, dst), plan);
}

int pidcomm_ialltoall(struct pidcomm *hc, const char *axes, uint64_t bytes,
		      uint64_t src, uint64_t dst,
		      struct pidcomm_request **request)
{
	return pc_plan_begin(
		hc, pc_args_move(PC_ALLTOALL, axes, bytes, src, dst), request);
}

int pidcomm_reduce_scatter(struct pidcomm *hc, const char *axes, uint64_t bytes,
			   uint64_t src, uint64_t dst, enum pidcomm_type type,
			   pidcomm_op op)
{
	return pc_call_now(hc, pc_args_reduce(PC_REDUCE_SCATTER, axes, bytes,
					      src, dst, type, op));
}

int pidcomm_plan_reduce_scatter(struct pidcomm *hc, const char *axes,
				uint64_t bytes, uint64_t src, uint64_t dst,
				enum pidcomm_type type, pidcomm_op op,
				struct pidcomm_plan **plan)
{
	return pc_plan_make(hc,
			    pc_args_reduce(PC_REDUCE_SCATTER, axes, bytes, src,
					   dst, type, op),
			    plan);
}

int pidcomm_ireduce_scatter(struct pidcomm *hc, const char *axes,
			    uint64_t bytes, uint64_t src, uint64_t dst,
			    enum pidcomm_type type, pidcomm_op op,
			    struct pidcomm_request **request)
{
	return pc_plan_begin(hc,
			     pc_args_reduce(PC_REDUCE_SCATTER, axes, bytes, src,
					    dst, type, op),
			     request);
}

int pidcomm_allreduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
		      uint64_t src, uint64_t dst, enum pidcomm_type type,
		      pidcomm_op op)
{
	return pc_call_now(hc, pc_args_reduce(PC_ALLREDUCE, axes, bytes, src,
					      dst, type, op));
}

int pidcomm_plan_allreduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
			   uint64_t src, uint64_t dst, enum pidcomm_type type,
			   pidcomm_op op, struct pidcomm_plan **plan)
{
	return pc_plan_make(
		hc,
		pc_args_reduce(PC_ALLREDUCE, axes, bytes, src, dst, type, op),
		plan);
}

int pidcomm_iallreduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
		       uint64_t src, uint64_t dst, enum pidcomm_type type,
		       pidcomm_op op, struct pidcomm_request **request)
{
	return pc_plan_begin(
		hc,
		pc_args_reduce(PC_ALLREDUCE, axes, bytes, src, dst, type, op),
		request);
}

int pidcomm_allgather(struct pidcomm *hc, const char *axes, uint64_t bytes,
		      uint64_t src, uint64_t dst)
{
	return pc_call_now(hc,
			   pc_args_move(PC_ALLGATHER, axes, bytes, src, dst));
}

int pidcomm_plan_allgather(struct pidcomm *hc, const char *axes, uint64_t bytes,
			   uint64_t src, uint64_t dst,
			   struct pidcomm_plan **plan)
{
	return pc_plan_make(
		hc, pc_args_move(PC_ALLGATHER, axes, bytes, src, dst), plan);
}

int pidcomm_iallgather(struct pidcomm *hc, const char *axes, uint64_t bytes,
		       uint64_t src, uint64_t dst,
		       struct pidcomm_request **request)
{
	return pc_plan_begin(
		hc, pc_args_move(PC_ALLGATHER, axes, bytes, src, dst), request);
}

int pidcomm_scatter(struct pidcomm *hc, const char *axes, uint64_t bytes,
		    const void *const bufs[], uint64_t dst)
{
	return pc_call_now(hc,
			   pc_args_rooted(PC_SCATTER, axes, bytes, dst, bufs));
}

int pidcomm_plan_scatter(struct pidcomm *hc, const char *axes, uint64_t bytes,
			 const void *const bufs[], uint64_t dst,
			 struct pidcomm_plan **plan)
{
	return pc_plan_make(
		hc, pc_args_rooted(PC_SCATTER, axes, bytes, dst, bufs), plan);
}

int pidcomm_iscatter(struct pidcomm *hc, const char *axes, uint64_t bytes,
		     const void *const bufs[], uint64_t dst,
		     struct pidcomm_request **request)
{
	return pc_plan_begin(hc,
			     pc_args_rooted(PC_SCATTER, axes, bytes, dst, bufs),
			     request);
}

int pidcomm_gather(struct pidcomm *hc, const char *axes, uint64_t bytes,
		   uint64_t src, void *const bufs[])
{
	return pc_call_now(hc,
			   pc_args_rooted(PC_GATHER, axes, bytes, src, bufs));
}

int pidcomm_plan_gather(struct pidcomm *hc, const char *axes, uint64_t bytes,
			uint64_t src, void *const bufs[],
			struct pidcomm_plan **plan)
{
	return pc_plan_make(
		hc, pc_args_rooted(PC_GATHER, axes, bytes, src, bufs), plan);
}

int pidcomm_igather(struct pidcomm *hc, const char *axes, uint64_t bytes,
		    uint64_t src, void *const bufs[],
		    struct pidcomm_request **request)
{
	return pc_plan_begin(
		hc, pc_args_rooted(PC_GATHER, axes, bytes, src, bufs), request);
}

int pidcomm_reduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
		   uint64_t src, void *const bufs[], enum pidcomm_type type,
		   pidcomm_op op)
{
	return pc_call_now(
		hc, pc_args_reduce_rooted(axes, bytes, src, bufs, type, op));
}

int pidcomm_plan_reduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
			uint64_t src, void *const bufs[],
			enum pidcomm_type type, pidcomm_op op,
			struct pidcomm_plan **plan)
{
	return pc_plan_make(
		hc, pc_args_reduce_rooted(axes, bytes, src, bufs, type, op),
		plan);
}

int pidcomm_ireduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
		    uint64_t src, void *const bufs[], enum pidcomm_type type,
		    pidcomm_op op, struct pidcomm_request **request)
{
	return pc_plan_begin(
		hc, pc_args_reduce_rooted(axes, bytes, src, bufs, type, op),
		request);
}

int pidcomm_broadcast(struct pidcomm *hc, const char *axes, uint64_t bytes,
		      const void *const bufs[], uint64_t dst)
{
	return pc_call_now(
		hc, pc_args_rooted(PC_BROADCAST, axes, bytes, dst, bufs));
}

int pidcomm_plan_broadcast(struct pidcomm *hc, const char *axes, uint64_t bytes,
			   const void *const bufs[], uint64_t dst,
			   struct pidcomm_plan **plan)
{
	return pc_plan_make(
		hc, pc_args_rooted(PC_BROADCAST, axes, bytes, dst, bufs), plan);
}

int pidcomm_ibroadcast(struct pidcomm *hc, const char *axes, uint64_t bytes,
		       const void *const bufs[], uint64_t dst,
		       struct pidcomm_request **request)
{
	return pc_plan_begin(
		hc, pc_args_rooted(PC_BROADCAST, axes, bytes, dst, bufs),
		request);
}

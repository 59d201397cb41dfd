/* SPDX-License-Identifier: MIT */
/* The eight calls: check the arguments, run the algorithm. */
#include "collectives/api/plan.h"
#include "collectives/api/run.h"

static int call(struct pidcomm *hc, struct pc_args args)
{
	const struct pc_shape *shape;
	int ret = pc_args_check(hc, &args, &shape);

	if (!ret)
		ret = pc_queue_enter(hc, &args, shape->members);
	if (ret)
		return ret;
	return pc_run(hc, &args, shape, hc->algorithm[args.id], &hc->stats);
}

int pidcomm_alltoall(struct pidcomm *hc, const char *axes, uint64_t bytes,
		     uint64_t src, uint64_t dst)
{
	return call(hc, pc_args_move(PC_ALLTOALL, axes, bytes, src, dst));
}

int pidcomm_reduce_scatter(struct pidcomm *hc, const char *axes, uint64_t bytes,
			   uint64_t src, uint64_t dst, enum pidcomm_type type,
			   pidcomm_op op)
{
	return call(hc,
		    pc_args_reduce(PC_REDUCE_SCATTER, axes, bytes, src, dst,
				   type, op));
}

int pidcomm_allreduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
		      uint64_t src, uint64_t dst, enum pidcomm_type type,
		      pidcomm_op op)
{
	return call(hc,
		    pc_args_reduce(PC_ALLREDUCE, axes, bytes, src, dst, type,
				   op));
}

int pidcomm_allgather(struct pidcomm *hc, const char *axes, uint64_t bytes,
		      uint64_t src, uint64_t dst)
{
	return call(hc, pc_args_move(PC_ALLGATHER, axes, bytes, src, dst));
}

int pidcomm_scatter(struct pidcomm *hc, const char *axes, uint64_t bytes,
		    const void *const bufs[], uint64_t dst)
{
	return call(hc, pc_args_rooted(PC_SCATTER, axes, bytes, dst, bufs));
}

int pidcomm_gather(struct pidcomm *hc, const char *axes, uint64_t bytes,
		   uint64_t src, void *const bufs[])
{
	return call(hc, pc_args_rooted(PC_GATHER, axes, bytes, src, bufs));
}

int pidcomm_reduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
		   uint64_t src, void *const bufs[], enum pidcomm_type type,
		   pidcomm_op op)
{
	return call(hc,
		    pc_args_reduce_rooted(axes, bytes, src, bufs, type, op));
}

int pidcomm_broadcast(struct pidcomm *hc, const char *axes, uint64_t bytes,
		      const void *const bufs[], uint64_t dst)
{
	return call(hc, pc_args_rooted(PC_BROADCAST, axes, bytes, dst, bufs));
}

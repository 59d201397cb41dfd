// SPDX-License-Identifier: MIT
/* The calls of collectives on derived datatypes: now, as a plan, or behind. */
#include <errno.h>

#include "collectives/api/plan.h"
#include "collectives/typed/typed.h"
#include "runtime/base/error.h"

static struct pc_typed_args args_of_parts(const char *axes,
					  const struct pimtype_part send[],
					  const struct pimtype_part recv[])
{
	return (struct pc_typed_args){
		.id = PC_ALLTOALLW, .axes = axes, .send = send, .recv = recv
	};
}

static struct pc_typed_args args_of_counts(
	enum pc_typed_id id, const char *axes, const struct pimtype *type,
	const uint64_t counts[], uint64_t counts_at, uint64_t src, uint64_t dst)
{
	return (struct pc_typed_args){ .id = id,
				       .axes = axes,
				       .type = type,
				       .counts = counts,
				       .counts_at = counts_at,
				       .src = src,
				       .dst = dst };
}

static struct pc_typed_args args_of_faces(const char *axes, uint32_t periodic,
					  const struct pidcomm_face faces[])
{
	return (struct pc_typed_args){ .id = PC_HALO,
				       .axes = axes,
				       .periodic = periodic,
				       .faces = faces };
}

static int make_plan(struct pidcomm *hc, struct pc_typed_args args,
		     struct pidcomm_plan **plan)
{
	struct pc_typed *typed;
	int ret;

	if (!plan)
		return pd_error(EINVAL, "plan is NULL");
	ret = pc_typed_make(hc, &args, &typed);
	return ret ? ret : pc_plan_typed(hc, typed, plan);
}

static int call_now(struct pidcomm *hc, struct pc_typed_args args)
{
	struct pidcomm_plan *plan;
	int ret = make_plan(hc, args, &plan);

	if (ret)
		return ret;
	ret = pidcomm_plan_run(plan);
	pidcomm_plan_free(plan);
	return ret;
}

static int begin(struct pidcomm *hc, struct pc_typed_args args,
		 struct pidcomm_request **request)
{
	struct pidcomm_plan *plan;
	int ret;

	if (!request)
		return pd_error(EINVAL, "request is NULL");
	ret = make_plan(hc, args, &plan);
	return ret ? ret : pc_plan_begin_made(plan, request);
}

int pidcomm_alltoallw(struct pidcomm *hc, const char *axes,
		      const struct pimtype_part send[],
		      const struct pimtype_part recv[])
{
	return call_now(hc, args_of_parts(axes, send, recv));
}

int pidcomm_plan_alltoallw(struct pidcomm *hc, const char *axes,
			   const struct pimtype_part send[],
			   const struct pimtype_part recv[],
			   struct pidcomm_plan **plan)
{
	return make_plan(hc, args_of_parts(axes, send, recv), plan);
}

int pidcomm_ialltoallw(struct pidcomm *hc, const char *axes,
		       const struct pimtype_part send[],
		       const struct pimtype_part recv[],
		       struct pidcomm_request **request)
{
	return begin(hc, args_of_parts(axes, send, recv), request);
}

int pidcomm_alltoallv(struct pidcomm *hc, const char *axes,
		      const struct pimtype *type, const uint64_t counts[],
		      uint64_t counts_at, uint64_t src, uint64_t dst)
{
	return call_now(hc, args_of_counts(PC_ALLTOALLV, axes, type, counts,
					   counts_at, src, dst));
}

int pidcomm_plan_alltoallv(struct pidcomm *hc, const char *axes,
			   const struct pimtype *type, const uint64_t counts[],
			   uint64_t counts_at, uint64_t src, uint64_t dst,
			   struct pidcomm_plan **plan)
{
	return make_plan(hc,
			 args_of_counts(PC_ALLTOALLV, axes, type, counts,
					counts_at, src, dst),
			 plan);
}

int pidcomm_ialltoallv(struct pidcomm *hc, const char *axes,
		       const struct pimtype *type, const uint64_t counts[],
		       uint64_t counts_at, uint64_t src, uint64_t dst,
		       struct pidcomm_request **request)
{
	return begin(hc,
		     args_of_counts(PC_ALLTOALLV, axes, type, counts, counts_at,
				    src, dst),
		     request);
}

int pidcomm_allgatherv(struct pidcomm *hc, const char *axes,
		       const struct pimtype *type, const uint64_t counts[],
		       uint64_t counts_at, uint64_t src, uint64_t dst)
{
	return call_now(hc, args_of_counts(PC_ALLGATHERV, axes, type, counts,
					   counts_at, src, dst));
}

int pidcomm_plan_allgatherv(struct pidcomm *hc, const char *axes,
			    const struct pimtype *type, const uint64_t counts[],
			    uint64_t counts_at, uint64_t src, uint64_t dst,
			    struct pidcomm_plan **plan)
{
	return make_plan(hc,
			 args_of_counts(PC_ALLGATHERV, axes, type, counts,
					counts_at, src, dst),
			 plan);
}

int pidcomm_iallgatherv(struct pidcomm *hc, const char *axes,
			const struct pimtype *type, const uint64_t counts[],
			uint64_t counts_at, uint64_t src, uint64_t dst,
			struct pidcomm_request **request)
{
	return begin(hc,
		     args_of_counts(PC_ALLGATHERV, axes, type, counts,
				    counts_at, src, dst),
		     request);
}

int pidcomm_halo(struct pidcomm *hc, const char *axes, uint32_t periodic,
		 const struct pidcomm_face faces[])
{
	return call_now(hc, args_of_faces(axes, periodic, faces));
}

int pidcomm_plan_halo(struct pidcomm *hc, const char *axes, uint32_t periodic,
		      const struct pidcomm_face faces[],
		      struct pidcomm_plan **plan)
{
	return make_plan(hc, args_of_faces(axes, periodic, faces), plan);
}

int pidcomm_ihalo(struct pidcomm *hc, const char *axes, uint32_t periodic,
		  const struct pidcomm_face faces[],
		  struct pidcomm_request **request)
{
	return begin(hc, args_of_faces(axes, periodic, faces), request);
}

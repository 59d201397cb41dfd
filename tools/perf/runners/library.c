// SPDX-License-Identifier: MIT
/* A case as a call of the library, by any algorithm of its table. */
#include "tools/perf/runners/library.h"

int perf_run_library(struct perf_setup *s, const char *name)
{
	const struct perf_case *c = s->c;
	struct pidcomm *hc = s->rig->hc;
	const void *const *in = (const void *const *)s->bufs;

	(void)name;
	switch (c->id) {
	case PC_ALLTOALL:
		return pidcomm_alltoall(hc, c->axes, c->bytes, s->src, s->dst);
	case PC_REDUCE_SCATTER:
		return pidcomm_reduce_scatter(hc, c->axes, c->bytes, s->src,
					      s->dst, c->type, c->op);
	case PC_ALLREDUCE:
		return pidcomm_allreduce(hc, c->axes, c->bytes, s->src, s->dst,
					 c->type, c->op);
	case PC_ALLGATHER:
		return pidcomm_allgather(hc, c->axes, c->bytes, s->src, s->dst);
	case PC_SCATTER:
		return pidcomm_scatter(hc, c->axes, c->bytes, in, s->dst);
	case PC_GATHER:
		return pidcomm_gather(hc, c->axes, c->bytes, s->src, s->bufs);
	case PC_REDUCE:
		return pidcomm_reduce(hc, c->axes, c->bytes, s->src, s->bufs,
				      c->type, c->op);
	default:
		return pidcomm_broadcast(hc, c->axes, c->bytes, in, s->dst);
	}
}

static int choose_algorithm(struct perf_setup *s, const char *name)
{
	return pidcomm_set_algorithm(s->rig->hc, pc_collective_name(s->c->id),
				     name);
}

const struct perf_method perf_library = {
	.run = perf_run_library,
	.choose = choose_algorithm,
};

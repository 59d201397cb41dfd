// SPDX-License-Identifier: MIT
/* A case as a call of the library, by any algorithm of its table. */
#include "tools/perf/runners/library.h"

int perf_run_library(struct perf_setup *s, const char *name)
{
	const struct perf_case *c = s->c;

	(void)name;
	return pc_call_now(s->rig->hc, (struct pc_args){
					       .id = c->id,
					       .axes = c->axes,
					       .bytes = c->bytes,
					       .src = s->src,
					       .dst = s->dst,
					       .bufs = s->bufs,
					       .type = c->type,
					       .op = c->op,
				       });
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

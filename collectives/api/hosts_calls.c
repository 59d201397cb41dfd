// SPDX-License-Identifier: MIT
/* Calls on hypercubes over several hosts: begun and ended by all, or refused by one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"
#include "collectives/api/hosts_calls.h"
#include "collectives/api/queue.h"
#include "collectives/cubes/cubes.h"

int pc_hosts_serves(const struct pidcomm *hc, const struct pc_algorithm *algorithm)
{
	const struct pc_cubes *c = pc_cubes_of(hc);
	const bool direct = !strcmp(algorithm->name, "direct");

	if (direct && !c->crew.mapped)
		return pd_error(EOPNOTSUPP,
				"algorithm=direct works on all hosts' MRAM, which is not mapped: %s",
				c->unmapped);
	if (direct || !strcmp(algorithm->name, "conventional") ||
	    !strcmp(algorithm->name, "staged"))
		return 0;
	return pd_error(EOPNOTSUPP, "algorithm=%s does not serve hypercubes over several hosts",
			algorithm->name);
}

int pc_hosts_begin(struct pidcomm *hc, const struct pc_args *a, const struct pc_shape *shape,
		   const struct pc_algorithm *chosen, int refused)
{
	return pc_cubes_begin(hc, a, shape, chosen ? chosen->name : "auto", refused);
}

int pc_hosts_end(struct pidcomm *hc, int ret)
{
	return pc_cubes_end(hc, ret);
}

int pc_hosts_refuse_job(struct pidcomm *hc, enum pc_collective id, int ret)
{
	const struct pc_args args = { .id = id };

	return hc && hc->crew ? pc_cubes_begin(hc, &args, NULL, "", ret) : ret;
}

int pc_hosts_refuse(struct pidcomm *hc, enum pc_collective id, int ret)
{
	struct pd_error_text kept;

	if (!hc || !hc->crew || ret == -EBUSY)
		return ret;
	pd_error_save(&kept);
	pc_queue_idle(hc);
	pd_error_restore(&kept);
	return pc_hosts_refuse_job(hc, id, ret);
}

void pc_hosts_forget(struct pidcomm *hc)
{
	pc_cubes_leave(pc_cubes_of(hc));
	free(hc->crew);
	hc->staging = NULL;	/* was memory of the hosts */
}

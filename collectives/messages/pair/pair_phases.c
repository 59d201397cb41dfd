// SPDX-License-Identifier: MIT
/* Keeps when an end begins which phase. */
#include <errno.h>
#include <stdlib.h>

#include "collectives/messages/pair/pair.h"
#include "collectives/messages/pair/pair_phases.h"
#include "runtime/base/clock.h"
#include "runtime/base/error.h"

enum pair_phase pm_pair_phase_next(struct pair_phases *all, enum pair_phase phase)
{
	enum pair_phase before = all->now;

	all->now = phase;
	all->full |= all->nr == PAIR_MOMENTS;
	if (before != phase && !all->full)
		all->moments[all->nr++] = (struct pair_moment){ pd_now_ns(), phase };
	return before;
}

int pm_pair_phases_begin(struct pimmsg_end *end)
{
	struct pair *p = pair_of(end->world);

	free(p->phases);
	p->phases = calloc(1, sizeof(*p->phases));
	return p->phases ? 0 : pd_error(ENOMEM, "no memory for the phases of messages");
}

struct pair_phases *pm_pair_phases_end(struct pimmsg_end *end)
{
	struct pair *p = pair_of(end->world);
	struct pair_phases *all = p->phases;

	p->phases = NULL;
	return all;
}

// SPDX-License-Identifier: MIT
/* Whose turn it is among the tasklets of a launch, and where any kernel's tasklets wait. */
#include <pimdimm/spmd.h>

#include "runtime/pe/kernels/turns.h"

void pd_turns_begin(struct pd_place *place, unsigned int nr_tasklets)
{
	place->alive = UINT32_MAX >> (32 - nr_tasklets);
	place->ready = place->alive;
}

/* The thread is for the next tasklet that can use it; `me` when there is no other. */
static inline struct pimdimm_pe *next_ready(const struct pimdimm_pe *me)
{
	const struct pd_place *place = me->place;
	uint32_t later = place->ready & ~(UINT32_MAX >> (31 - me->tasklet));

	return &place->tasklets[__builtin_ctz(later ? later : place->ready)];
}

static inline void let_others_run(struct pimdimm_pe *me)
{
	struct pimdimm_pe *next = next_ready(me);

	if (next != me)
		pd_fiber_turn(&me->fiber, &next->fiber);
}

/* One less to wait for: that may have been what the others waited for. */
static inline void no_longer_ready(struct pimdimm_pe *me)
{
	struct pd_place *place = me->place;

	place->ready &= ~(UINT32_C(1) << me->tasklet);
	if (!place->ready)
		place->ready = place->alive;
}

static inline void wait_for_tasklets(struct pimdimm_pe *me)
{
	me->dmas = 0;
	no_longer_ready(me);
	/* whoever comes last need not wait */
	if (!(me->place->ready >> me->tasklet & 1))
		let_others_run(me);
}

struct pimdimm_pe *pd_turns_end(struct pimdimm_pe *me)
{
	me->place->alive &= ~(UINT32_C(1) << me->tasklet);
	no_longer_ready(me);
	return me->place->alive ? next_ready(me) : NULL;
}

void pd_turns_give(struct pimdimm_pe *me)
{
	me->dmas = 0;
	let_others_run(me);
}

void pimdimm_barrier(struct pimdimm_pe *pe)
{
	if (pe->kind)
		pe->kind->barrier(pe);
	else
		wait_for_tasklets(pe);
}

void pimdimm_yield(struct pimdimm_pe *pe)
{
	if (pe->kind)
		pe->kind->yield(pe);
	else
		pd_turns_give(pe);
}

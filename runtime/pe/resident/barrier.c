// SPDX-License-Identifier: MIT
/* Who has arrived at a PE's barrier, and who is waited for. */
#include <stdio.h>

#include "runtime/pe/resident/barrier.h"
#include "runtime/pe/resident/resident.h"

static uint32_t bit_of(const struct pd_thread *t)
{
	return UINT32_C(1) << t->pe.tasklet;
}

static uint32_t tell(const struct pd_wait *wait, char *text, size_t bytes)
{
	const struct pd_home *home = wait->thread->home;

	snprintf(text, bytes, "waits at the barrier for tasklet %d",
		 __builtin_ctz(home->here & ~home->arrived));
	return PD_NO_PE;
}

static void let_go(struct pimdimm_pe *by, struct pd_home *home)
{
	uint32_t waiting = home->arrived;

	home->arrived = 0;
	for (; waiting; waiting &= waiting - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(waiting);

		if (i != by->tasklet || pd_thread_of(by)->born != home)
			pd_resident_wake(by, &home->at_barrier[i]);
	}
}

void pd_barrier_wait(struct pimdimm_pe *pe)
{
	struct pd_thread *me = pd_thread_of(pe);
	struct pd_home *home = me->home;

	if (me->born != home) {
		pd_kernel_fault(pe, "barrier: the thread did not begin in this PE, expected one of its tasklets");
		return;
	}
	home->arrived |= bit_of(me);
	if (home->arrived == home->here) {
		let_go(pe, home);
		return;
	}
	home->at_barrier[pe->tasklet] = (struct pd_wait){ .told = tell };
	pd_resident_wait(pe, &home->at_barrier[pe->tasklet]);
}

void pd_barrier_leave(struct pd_thread *t)
{
	struct pd_home *home = t->home;

	if (t->born != home)
		return;
	home->here &= ~bit_of(t);
	if (home->here && home->arrived == home->here)
		let_go(&t->pe, home);
}

void pd_barrier_come(struct pd_thread *t)
{
	if (t->born == t->home)
		t->home->here |= bit_of(t);
}

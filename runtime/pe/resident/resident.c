// SPDX-License-Identifier: MIT
/* Waits, wake-ups and parcels for the layers above, from threads and from the host. */
#include <errno.h>

#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "runtime/pe/resident/resident.h"
#include "runtime/pe/resident/schedule.h"
#include "runtime/pe/resident/parcels.h"
#include "runtime/ranks/system.h"

struct pd_run *pd_resident_run(const struct pimdimm_pe *pe)
{
	return pe->place->resident ? pd_thread_of(pe)->home->run : NULL;
}

bool pd_resident_spare(const struct pimdimm_pe *pe)
{
	return pd_schedule_spare(pd_thread_of(pe));
}

/* Among those that wait in its PE, in order of coming. */
static void list_wait(struct pd_home *home, struct pd_thread *t)
{
	t->later = NULL;
	t->earlier = home->waiting_last;
	*(t->earlier ? &t->earlier->later : &home->waiting) = t;
	home->waiting_last = t;
}

static void unlist_wait(struct pd_home *home, struct pd_thread *t)
{
	*(t->later ? &t->later->earlier : &home->waiting_last) = t->earlier;
	*(t->earlier ? &t->earlier->later : &home->waiting) = t->later;
}

void pd_resident_wait(struct pimdimm_pe *pe, struct pd_wait *wait)
{
	struct pd_thread *me = pd_thread_of(pe);
	const struct pd_resident_hooks *hooks = me->home->run->hooks;

	pe->dmas = 0;
	wait->thread = me;
	if (hooks->progress)
		hooks->progress(hooks->ctx, pe);
	if (atomic_load(&wait->state) == PD_WAIT_WOKEN)
		return;
	me->wait = wait;
	list_wait(me->home, me);
	me->worker->after.any = true;
	me->worker->after.wait = wait;
	pd_schedule_away(me);
	unlist_wait(me->home, me);
	me->wait = NULL;
}

void pd_resident_wake(struct pimdimm_pe *by, struct pd_wait *wait)
{
	uint32_t before = atomic_exchange(&wait->state, PD_WAIT_WOKEN);
	struct pd_home *home;
	struct pd_thread *t;

	if (before != PD_WAIT_ASLEEP)
		return;
	t = wait->thread;
	home = t->home;
	if (by && pd_thread_of(by)->home == home) {
		pd_schedule_ready(home, t);
	} else if (pd_schedule_deliver(home, t)) {
		pd_schedule_ready(home, t);
		pd_schedule_put(home->run, by ? pd_thread_of(by)->worker : NULL,
				home);
	}
}

int pd_resident_post(struct pd_run *run, uint32_t to,
		     void (*entry)(struct pimdimm_pe *pe, void *frame),
		     const void *frame, size_t bytes)
{
	int ret = pd_parcel_check_frame(run, to, entry, frame, bytes);
	struct pd_home *home;
	struct pd_thread *t;
	int cancel;

	if (ret)
		return ret;
	cancel = pd_cancel_off();
	pthread_mutex_lock(&run->lock);
	t = pd_parcel_new(run, NULL, entry, frame, bytes);
	if (t)
		t->number = ++run->posted;
	pthread_mutex_unlock(&run->lock);
	pd_cancel_restore(cancel);
	if (!t)
		return pd_error(ENOMEM, "no memory for a parcel to PE %u", to);
	home = pd_parcel_home(run, to);
	t->pe.kind = run->tasklets[0].pe.kind;
	/* the host has no track among the PEs' */
	t->sent = 0;
	pd_parcel_settle(t, home);
	if (pd_schedule_deliver(home, t)) {
		pd_schedule_ready(home, t);
		pd_schedule_put(run, NULL, home);
	}
	return 0;
}

void pd_resident_hold(struct pd_run *run)
{
	int cancel = pd_cancel_off();

	pthread_mutex_lock(&run->lock);
	run->outside++;
	pthread_mutex_unlock(&run->lock);
	pd_cancel_restore(cancel);
}

void pd_resident_release(struct pd_run *run)
{
	int cancel = pd_cancel_off();

	pthread_mutex_lock(&run->lock);
	run->outside--;
	pthread_cond_broadcast(&run->change);
	pthread_mutex_unlock(&run->lock);
	pd_cancel_restore(cancel);
}

void pd_resident_set_hooks(struct pimdimm *sys,
			   const struct pd_resident_hooks *hooks)
{
	sys->resident = hooks;
}

// SPDX-License-Identifier: MIT
/* Threads that go to other PEs, and those that parcels start there. */
#include <errno.h>

#include "runtime/base/error.h"
#include "runtime/pe/resident/barrier.h"
#include "runtime/pe/resident/parcels.h"
#include "runtime/pe/resident/schedule.h"
#include "runtime/watch/timeline.h"

/* Whether a sender's worker goes along: by chance, where things are drawn. */
static bool at_once(struct pd_run *run, struct pd_home *home)
{
	if (run->drawn && pd_draw(run) % 2)
		return false;
	return pd_schedule_own(home);
}

static void send_off(struct pd_thread *me, struct pd_thread *t)
{
	struct pd_worker *w = me->worker;
	struct pd_home *home = t->home;

	if (home == me->home) {
		pd_schedule_ready(home, t);
		return;
	}
	w->hops++;
	if (at_once(w->run, home)) {
		t->arriving = false;
		pd_schedule_into(me, home, t);
	} else if (pd_schedule_deliver(home, t)) {
		pd_schedule_ready(home, t);
		pd_schedule_put(w->run, w, home);
	}
}

int pimdimm_parcel(struct pimdimm_pe *pe, uint32_t to,
		   void (*entry)(struct pimdimm_pe *pe, void *frame),
		   const void *frame, size_t bytes)
{
	struct pd_thread *me = pd_thread_of(pe), *t;
	int ret = pd_kernel_check_resident(pe, "a parcel");
	struct pd_worker *w;

	if (!ret)
		ret = pd_parcel_check_frame(me->home->run, to, entry, frame, bytes);
	if (ret)
		return ret;
	w = me->worker;
	t = pd_parcel_new(w->run, w, entry, frame, bytes);
	if (!t)
		return pd_error(ENOMEM, "no memory for a parcel to PE %u", to);
	t->pe.kind = pe->kind;
	t->sent = pd_timeline_on() ? pd_timeline_now() : 0;
	t->sent_from = me->home->place.pe;
	t->number = (uint64_t)(w - w->run->workers + 1) << 48 | ++w->nr_parcels;
	pd_parcel_settle(t, pd_parcel_home(w->run, to));
	w->started++;
	send_off(me, t);
	return 0;
}

int pimdimm_migrate(struct pimdimm_pe *pe, uint32_t to)
{
	struct pd_thread *me = pd_thread_of(pe);
	int ret = pd_kernel_check_resident(pe, "a migration");
	struct pd_home *from, *home;
	struct pd_worker *w;
	uint64_t left;

	if (ret)
		return ret;
	from = me->home;
	if (to == from->place.pe)
		return 0;
	ret = pd_parcel_check_to(from->run, to);
	if (ret)
		return ret;
	left = pd_timeline_on() ? pd_timeline_now() : 0;
	pd_barrier_leave(me);
	w = me->worker;
	home = pd_parcel_home(w->run, to);
	pd_parcel_settle(me, home);
	w->hops++;
	if (at_once(w->run, home)) {
		/* nothing of the thread is in the PE that it leaves */
		pd_schedule_enter(w, home);
		pd_schedule_leave(w, from);
	} else {
		me->arriving = true;
		w->after.any = true;
		w->after.moved = me;
		w->after.to = home;
		pd_schedule_away(me);
	}
	if (left)
		pd_schedule_arrow(me, from->place.pe, left);
	pd_barrier_come(me);
	return 0;
}

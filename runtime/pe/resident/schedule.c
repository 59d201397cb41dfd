// SPDX-License-Identifier: MIT
/* Workers take PEs, their own queue's before others', and run what can run there. */
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "runtime/base/clock.h"
#include "runtime/pe/resident/deadlock.h"
#include "runtime/pe/resident/homes.h"
#include "runtime/pe/resident/parcels.h"
#include "runtime/pe/resident/schedule.h"
#include "runtime/ranks/owner.h"
#include "runtime/ranks/system.h"
#include "runtime/watch/timeline.h"

/* how often a worker looks before it sleeps: some 20 microseconds */
#define SPINS		1000
/* a worker that sleeps looks so often whether one that computes has left something */
#define TICK_NS		1000000
/* threads that run in a PE before others get their turn */
#define SWITCHES	64
/* what a worker leaves to one that is at work: that one is back soon */
#define LEFT_ALONE	2

void pd_schedule_ready(struct pd_home *home, struct pd_thread *t)
{
	struct pd_threads *q = &home->ready;

	t->next = NULL;
	if (q->last)
		q->last->next = t;
	else
		q->first = t;
	q->last = t;
	q->count++;
}

void pd_schedule_first(struct pd_home *home, struct pd_thread *t)
{
	struct pd_threads *q = &home->ready;

	t->next = q->first;
	q->first = t;
	if (!q->last)
		q->last = t;
	q->count++;
}

bool pd_schedule_deliver(struct pd_home *home, struct pd_thread *t)
{
	struct pd_thread *last = atomic_load_explicit(&home->inbox,
						      memory_order_relaxed);
	struct pd_thread *now;

	do {
		t->next = last == PD_NOBODY ? NULL : last;
		now = last == PD_NOBODY ? NULL : t;
	} while (!atomic_compare_exchange_weak_explicit(
			&home->inbox, &last, now, memory_order_acq_rel,
			memory_order_relaxed));
	return last == PD_NOBODY;
}

bool pd_schedule_own(struct pd_home *home)
{
	struct pd_thread *nobody = PD_NOBODY;

	return atomic_load_explicit(&home->inbox, memory_order_relaxed) ==
		       PD_NOBODY &&
	       atomic_compare_exchange_strong_explicit(
			&home->inbox, &nobody, NULL, memory_order_acquire,
			memory_order_relaxed);
}

/* What has come in the meantime, in order of coming. */
static void take_inbox(struct pd_home *home)
{
	struct pd_thread *t, *next, *first = NULL;

	if (!atomic_load_explicit(&home->inbox, memory_order_relaxed))
		return;
	t = atomic_exchange_explicit(&home->inbox, NULL, memory_order_acquire);
	for (; t; t = next) {
		next = t->next;
		t->next = first;
		first = t;
	}
	for (t = first; t; t = next) {
		next = t->next;
		pd_schedule_ready(home, t);
	}
}

static void wake_sleeper(struct pd_run *run)
{
	pthread_mutex_lock(&run->lock);
	pthread_cond_signal(&run->change);
	pthread_mutex_unlock(&run->lock);
}

void pd_schedule_put(struct pd_run *run, struct pd_worker *w, struct pd_home *home)
{
	if (w && pd_homes_put_own(w, home) < LEFT_ALONE)
		return;
	if (!w)
		pd_homes_put(&run->workers[0].queue, home, false);
	/*
	 * Who counts himself among the sleepers looks at the queues after that: either he finds
	 * the PE, as this comes before in the order of that count, or he is seen here.
	 */
	if (atomic_fetch_add(&run->sleepers, 0))
		wake_sleeper(run);
}

/* How many a worker leaves in another's queue. */
static uint32_t least_of(const struct pd_worker *other, uint32_t least)
{
	return atomic_load_explicit(&other->entered, memory_order_relaxed) ?
		       least : 1;
}

static struct pd_home *steal_home(struct pd_worker *w, uint32_t least)
{
	struct pd_run *run = w->run;
	unsigned int n = run->nr_workers, me = (unsigned int)(w - run->workers);
	struct pd_home *home = NULL;

	for (unsigned int i = 1; i < n && !home; i++) {
		struct pd_worker *other = &run->workers[(me + i) % n];

		home = pd_homes_take_other(&other->queue, least_of(other, least));
	}
	return home;
}

/* Whether there is a PE to take. */
static bool others_wait(const struct pd_worker *w)
{
	const struct pd_run *run = w->run;

	for (unsigned int i = 0; i < run->nr_workers; i++) {
		const struct pd_worker *other = &run->workers[i];

		if (pd_homes_count(&other->queue) >=
		    (other == w ? 1 : least_of(other, LEFT_ALONE)))
			return true;
	}
	return false;
}

bool pd_schedule_spare(const struct pd_thread *me)
{
	return me->worker->run->nr_workers > 1 && !me->home->ready.first &&
	       !atomic_load_explicit(&me->home->inbox, memory_order_relaxed) &&
	       !others_wait(me->worker);
}

static struct pd_home *next_home(struct pd_worker *w)
{
	struct pd_home *home;

	if (w->run->drawn)
		return pd_homes_draw(w->run, &w->queue);
	home = pd_homes_take_own(w);
	return home ? home : steal_home(w, LEFT_ALONE);
}

static void note_order(struct pd_worker *w, uint64_t what)
{
	w->order = (w->order ^ what) * UINT64_C(0x9e3779b97f4a7c15);
	w->order ^= w->order >> 29;
}

void pd_schedule_enter(struct pd_worker *w, struct pd_home *home)
{
	w->home = home;
	w->pe = home->place.pe;
	take_inbox(home);
	home->yields = home->ready.count;
	home->switches = SWITCHES;
	note_order(w, w->pe);
	if (pd_timeline_on() && !home->begun_ns)
		home->begun_ns = pd_now_ns();
}

/* The PE is the next one's who comes, or a queue's. */
static void release_home(struct pd_worker *w, struct pd_home *home, bool first)
{
	struct pd_thread *none = NULL;

	if (!home->ready.first &&
	    atomic_compare_exchange_strong_explicit(
			&home->inbox, &none, PD_NOBODY, memory_order_release,
			memory_order_relaxed))
		return;
	if (first)
		pd_homes_put_first(w, home);
	else
		pd_schedule_put(w->run, w, home);
}

void pd_schedule_leave(struct pd_worker *w, struct pd_home *home)
{
	release_home(w, home, false);
}

/* The i-th that may be drawn: of those that arrive, only the first may. */
static struct pd_thread *draw_ready(struct pd_run *run, struct pd_home *home)
{
	struct pd_threads *q = &home->ready;
	struct pd_thread *t, *before = NULL, *drawn = NULL, *before_drawn = NULL;
	bool arriving = false;
	uint32_t n = 0;

	for (t = q->first; t; before = t, t = t->next) {
		if (t->arriving && arriving)
			continue;
		arriving |= t->arriving;
		if (pd_draw(run) % ++n)
			continue;
		drawn = t;
		before_drawn = before;
	}
	if (before_drawn)
		before_drawn->next = drawn->next;
	else
		q->first = drawn->next;
	if (q->last == drawn)
		q->last = before_drawn;
	q->count--;
	return drawn;
}

static struct pd_thread *first_ready(struct pd_home *home)
{
	struct pd_threads *q = &home->ready;
	struct pd_thread *t = q->first;

	q->first = t->next;
	if (!q->first)
		q->last = NULL;
	q->count--;
	return t;
}

/* Whether other PEs are to get their turn before this one goes on. */
static bool turn_over(struct pd_worker *w, struct pd_home *home)
{
	if (w->run->drawn)
		return others_wait(w) && pd_draw(w->run) % 4 == 0;
	if (home->yields && home->switches--)
		return false;
	if (others_wait(w))
		return true;
	home->yields = home->ready.count;
	home->switches = SWITCHES;
	return false;
}

static struct pd_thread *next_thread(struct pd_worker *w, struct pd_home *home)
{
	struct pd_thread *t;

	if (!home->ready.first)
		return NULL;
	t = w->run->drawn ? draw_ready(w->run, home) : first_ready(home);
	t->arriving = false;
	return t;
}

static void end_run(struct pd_run *run, int ret)
{
	run->ret = run->ret ? run->ret : ret;
	atomic_store(&run->over, true);
	pthread_cond_broadcast(&run->change);
}

static void stop_run(struct pd_run *run, int ret)
{
	pthread_mutex_lock(&run->lock);
	end_run(run, ret);
	pthread_mutex_unlock(&run->lock);
}

static void do_after(struct pd_worker *w)
{
	struct pd_after *after = &w->after;
	uint32_t awake = PD_WAIT_NEW;

	if (!after->any)
		return;
	after->any = false;
	if (after->ended)
		pd_parcel_recycle(w, after->ended);
	after->ended = NULL;
	if (after->wait) {
		struct pd_thread *t = after->wait->thread;

		/* its PE is owned, by this worker */
		if (!atomic_compare_exchange_strong(&after->wait->state, &awake,
						    PD_WAIT_ASLEEP))
			pd_schedule_deliver(t->home, t);
		after->wait = NULL;
	}
	if (after->moved && pd_schedule_deliver(after->to, after->moved)) {
		pd_schedule_ready(after->to, after->moved);
		pd_schedule_put(w->run, w, after->to);
	}
	after->moved = NULL;
	if (after->left)
		release_home(w, after->left, after->left_first);
	after->left = NULL;
}

static void thread_main(void *arg);

/* So that it can be switched to; NULL: it cannot, and the run is over. */
static struct pd_thread *resume(struct pd_worker *w, struct pd_thread *t)
{
	if (!pd_parcel_begin(w, t, thread_main)) {
		stop_run(w->run, -ENOMEM);
		return NULL;
	}
	w->switches++;
	note_order(w, t->number);
	return t;
}

/* NULL: nothing can run. The PE that the worker was in is left after the switch. */
static struct pd_thread *pick(struct pd_worker *w)
{
	struct pd_home *home = w->home;

	if (atomic_load_explicit(&w->run->over, memory_order_relaxed))
		return NULL;
	if (home) {
		take_inbox(home);
		if (home->ready.first && !turn_over(w, home))
			return resume(w, next_thread(w, home));
		w->after.any = true;
		w->after.left = home;
		w->after.left_first = false;
		w->home = NULL;
	}
	home = next_home(w);
	if (!home)
		return NULL;
	pd_schedule_enter(w, home);
	return resume(w, next_thread(w, home));
}

void pd_schedule_away(struct pd_thread *me)
{
	struct pd_worker *w = me->worker;
	struct pd_thread *next = pick(w);

	if (next == me)
		w->switches--;
	else
		pd_fiber_switch(&me->pe.fiber, next ? &next->pe.fiber : &w->thread);
	do_after(me->worker);
}

void pd_schedule_into(struct pd_thread *me, struct pd_home *home,
		      struct pd_thread *next)
{
	struct pd_worker *w = me->worker;
	struct pd_home *mine = me->home;

	pd_schedule_first(mine, me);
	w->after = (struct pd_after){ .any = true, .left = mine, .left_first = true };
	pd_schedule_enter(w, home);
	next = resume(w, next);
	pd_fiber_switch(&me->pe.fiber, next ? &next->pe.fiber : &w->thread);
	do_after(me->worker);
}

_Noreturn static void end_thread(struct pd_thread *me)
{
	struct pd_worker *w = me->worker;
	struct pd_thread *next;

	if (me->slot ? pd_stack_overrun(me->slot->stacks, me->slot->index) :
		       pd_stack_overrun(w->run->stacks,
					(unsigned int)(me - w->run->tasklets)))
		pd_kernel_fault(&me->pe, "more stack than its %zu bytes",
				w->run->stack_bytes);
	w->ended++;
	w->after.any = true;
	w->after.ended = me;
	next = pick(w);
	pd_fiber_exit(&me->pe.fiber, next ? &next->pe.fiber : &w->thread);
}

void pd_schedule_arrow(const struct pd_thread *t, uint32_t from, uint64_t sent)
{
	pd_timeline_arrow(t->home->run->call.sys->tracks, "parcel", from, sent,
			  t->home->place.pe, pd_timeline_now());
}

static void thread_main(void *arg)
{
	struct pd_thread *me = arg;

	do_after(me->worker);
	if (me->sent)
		pd_schedule_arrow(me, me->sent_from, me->sent);
	me->home->run->body(me);
	end_thread(me);
}

/* run->lock held, and every worker idle: nothing can run. */
static void nothing_runs(struct pd_run *run)
{
	uint64_t left = run->posted;

	if (run->outside)
		return;
	for (unsigned int i = 0; i < run->nr_workers; i++)
		left += run->workers[i].started - run->workers[i].ended;
	if (left)
		pd_deadlock_tell(run, left);
	end_run(run, left ? -EDEADLK : 0);
}

static bool anything_queued(const struct pd_run *run)
{
	for (unsigned int i = 0; i < run->nr_workers; i++)
		if (atomic_load(&run->workers[i].queue.count) ||
		    atomic_load(&run->workers[i].queue.soon))
			return true;
	return false;
}

/* run->lock held */
static void sleep_a_tick(struct pd_run *run)
{
	uint64_t until = pd_now_ns() + TICK_NS;
	struct timespec t = {
		.tv_sec = (time_t)(until / PD_NS_PER_S),
		.tv_nsec = (long)(until % PD_NS_PER_S),
	};

	pthread_cond_timedwait(&run->change, &run->lock, &t);
}

/* Until there is a PE to take, a tick long; returns false if no time has passed. */
static bool idle(struct pd_worker *w)
{
	struct pd_run *run = w->run;
	bool sleeps;

	if (run->hooks->idle && run->hooks->idle(run->hooks->ctx, run))
		return false;
	for (unsigned int i = 0; i < SPINS && run->nr_workers > 1; i++) {
		if (others_wait(w) || atomic_load(&run->over))
			return false;
		pd_relax();
	}
	pthread_mutex_lock(&run->lock);
	run->idle++;
	atomic_fetch_add(&run->sleepers, 1);
	if (run->idle == run->entered && !anything_queued(run))
		nothing_runs(run);
	sleeps = !atomic_load(&run->over) && !others_wait(w);
	if (sleeps)
		sleep_a_tick(run);
	atomic_fetch_sub(&run->sleepers, 1);
	run->idle--;
	pthread_mutex_unlock(&run->lock);
	return sleeps;
}

/* What those that are at work have left for a tick is nobody's to be left alone. */
static struct pd_thread *pick_left(struct pd_worker *w)
{
	struct pd_home *home = steal_home(w, 1);

	if (!home)
		return NULL;
	pd_schedule_enter(w, home);
	return resume(w, next_thread(w, home));
}

static void run_threads(struct pd_worker *w)
{
	struct pd_run *run = w->run;
	bool slept = false;

	while (!atomic_load(&run->over)) {
		struct pd_thread *next = pick(w);

		if (!next && slept && !atomic_load(&run->over))
			next = pick_left(w);
		slept = false;
		if (next) {
			pd_fiber_switch(&w->thread, &next->pe.fiber);
			do_after(w);
		} else {
			slept = idle(w);
		}
	}
}

/* A worker that comes when the run is over does nothing. */
static bool enter_run(struct pd_worker *w)
{
	struct pd_run *run = w->run;
	bool over;

	pthread_mutex_lock(&run->lock);
	over = atomic_load(&run->over);
	run->entered += !over;
	atomic_store(&w->entered, !over);
	pthread_mutex_unlock(&run->lock);
	return !over;
}

void pd_schedule_work(struct pd_worker *w)
{
	struct pd_in_pe_kernel kernel;
	sigset_t mask;

	if (!enter_run(w))
		return;
	/* what threads do to the mask of this one ends with them */
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	pd_pe_kernel_enter(&kernel, w->run->call.sys, &w->pe);
	pd_fiber_begin(&w->thread);
	run_threads(w);
	pd_pe_kernel_leave(&kernel);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

// SPDX-License-Identifier: MIT
/* Queues of PEs whose threads can run: a worker's own, of which others take, too. */
#include <sched.h>

#include "runtime/base/clock.h"
#include "runtime/pe/resident/homes.h"

/* looks at the lock of a queue before another thread gets the processor */
#define LOCK_SPINS	64

static void lock_homes(struct pd_homes *q)
{
	for (unsigned int i = 1; atomic_exchange_explicit(&q->locked, true, memory_order_acquire);) {
		while (atomic_load_explicit(&q->locked, memory_order_relaxed)) {
			pd_relax();
			if (i++ % LOCK_SPINS == 0)
				sched_yield();
		}
	}
}

static void unlock_homes(struct pd_homes *q)
{
	atomic_store_explicit(&q->locked, false, memory_order_release);
}

/* q locked */
static void add_to_count(struct pd_homes *q, uint32_t more)
{
	uint32_t count = atomic_load_explicit(&q->count, memory_order_relaxed);

	atomic_store_explicit(&q->count, count + more, memory_order_relaxed);
}

void pd_homes_put(struct pd_homes *q, struct pd_home *home, bool first)
{
	lock_homes(q);
	home->earlier = first ? NULL : q->last;
	home->next = first ? q->first : NULL;
	*(home->next ? &home->next->earlier : &q->last) = home;
	*(home->earlier ? &home->earlier->next : &q->first) = home;
	add_to_count(q, 1);
	unlock_homes(q);
}

/* q locked */
static struct pd_home *take_off(struct pd_homes *q, struct pd_home *home)
{
	*(home->next ? &home->next->earlier : &q->last) = home->earlier;
	*(home->earlier ? &home->earlier->next : &q->first) = home->next;
	add_to_count(q, UINT32_MAX);
	return home;
}

/* The first, or the last, if there are so many; else NULL. */
static struct pd_home *take_home(struct pd_homes *q, bool first, uint32_t least)
{
	struct pd_home *home = NULL;

	if (atomic_load_explicit(&q->count, memory_order_relaxed) < least)
		return NULL;
	lock_homes(q);
	if (atomic_load_explicit(&q->count, memory_order_relaxed) >= least)
		home = take_off(q, first ? q->first : q->last);
	unlock_homes(q);
	return home;
}

struct pd_home *pd_homes_draw(struct pd_run *run, struct pd_homes *q)
{
	uint32_t count = atomic_load_explicit(&q->count, memory_order_relaxed);
	struct pd_home *home;

	if (!count)
		return NULL;
	lock_homes(q);
	home = q->first;
	for (uint32_t i = (uint32_t)(pd_draw(run) % count); i; i--)
		home = home->next;
	take_off(q, home);
	unlock_homes(q);
	return home;
}

uint32_t pd_homes_count(const struct pd_homes *q)
{
	return atomic_load_explicit(&q->count, memory_order_relaxed) +
	       !!atomic_load_explicit(&q->soon, memory_order_relaxed);
}

/* The one before all others, if there is one. */
static struct pd_home *take_soon(struct pd_homes *q)
{
	if (!atomic_load_explicit(&q->soon, memory_order_relaxed))
		return NULL;
	return atomic_exchange_explicit(&q->soon, NULL, memory_order_acquire);
}

/* By its worker; returns how many there are then. */
uint32_t pd_homes_put_own(struct pd_worker *w, struct pd_home *home)
{
	struct pd_homes *q = &w->queue;

	if (w->run->drawn || pd_homes_count(q)) {
		pd_homes_put(q, home, false);
		return pd_homes_count(q);
	}
	atomic_store_explicit(&q->soon, home, memory_order_release);
	return 1;
}

void pd_homes_put_first(struct pd_worker *w, struct pd_home *home)
{
	struct pd_homes *q = &w->queue;
	struct pd_home *second;

	if (w->run->drawn) {
		pd_homes_put(q, home, true);
		return;
	}
	second = take_soon(q);
	if (second)
		pd_homes_put(q, second, true);
	atomic_store_explicit(&q->soon, home, memory_order_release);
}

struct pd_home *pd_homes_take_own(struct pd_worker *w)
{
	struct pd_home *home = take_soon(&w->queue);

	return home ? home : take_home(&w->queue, true, 1);
}

/* By another worker: the last, if there are so many. */
struct pd_home *pd_homes_take_other(struct pd_homes *q, uint32_t least)
{
	bool soon = atomic_load_explicit(&q->soon, memory_order_relaxed);
	struct pd_home *home = take_home(q, false, least > 1 && soon ? least - 1 : least);

	return home || least > 1 ? home : take_soon(q);
}

// SPDX-License-Identifier: MIT
/*
 * Tasklets: threads with a stack each, one running at a time, from one event to its
 * next, in the order in which the PE's clock has these; or at random, as random.c has
 * it. A timer stops one that comes to no event, for what another one is to write.
 */
#include <signal.h>
#include <sys/time.h>

#include "runtime/pe/worker/worker.h"

/*
 * A timer of the CPU time that the worker takes runs for ever: it costs nothing
 * to a PE that is done before it is due, nor to a worker that sleeps. It is no
 * finer than the kernel's tick and knows nothing of where a PE's run begins, so its
 * first signal in one starts a timer of real time, which switches tasklets as long
 * as that PE runs.
 */
#define TICK_US		1000
void pe_next_tick(int wanted)
{
	struct itimerval tick = { .it_value.tv_usec = wanted ? TICK_US : 0 };

	pe_syscall(SYS_setitimer, ITIMER_REAL, (long)&tick, 0, 0, 0, 0);
}

void pe_unblock(void)
{
	uint64_t none = 0;

	pe_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, 8, 0, 0);
}

int pe_start_timer(void)
{
	struct itimerval tick = {
		.it_value.tv_usec = TICK_US,
		.it_interval.tv_usec = TICK_US,
	};

	return (int)pe_syscall(SYS_setitimer, ITIMER_VIRTUAL, (long)&tick, 0, 0,
			       0, 0);
}

static void first_steps(void)
{
	struct pe_shared *s = PE_STATE;

	pe_service_leave();
	((void (*)(void))(uintptr_t)s->entry)();
	pe_exit();
}

static void make_tasklet(uint32_t t, void (*steps)(void))
{
	struct pe_tasklet *w = &PE_STATE->tasklets[t];

	/* it has no caller, but a place for one */
	w->sp = pe_first_frame(PE_STACK_TOP(t) - 8, steps);
	w->wait = PE_WAIT_NOTHING;
	w->object = 0;
	w->op = 0;
}

/* whether another PE's parcel may wake one of them, or that others take this one's */
static int wait_for_others(void)
{
	const struct pe_shared *s = PE_STATE;

	for (uint32_t t = 0; t < PE_PLACES; t++) {
		if (s->alive & 1u << t &&
		    (s->tasklets[t].wait == PE_WAIT_FULL ||
		     s->tasklets[t].wait == PE_WAIT_EMPTY ||
		     s->tasklets[t].wait == PE_WAIT_ROOM))
			return 1;
	}
	return 0;
}

static void suspended(void)
{
	pe_leave(PE_CALL_SUSPEND);
}

/* Give the worker up from a stack that is no tasklet's; go on where it is had. */
static void suspend(uint32_t me)
{
	pe_switch(&PE_STATE->tasklets[me].sp,
		  pe_first_frame(PE_CONTROL_TOP - 4096, suspended));
}

/* Which one goes on; PE_PLACES: all wait. */
static uint32_t choose_tasklet(void)
{
	struct pe_shared *s = PE_STATE;

	if (!s->shuffle)
		return pe_clock_next(&s->clock, &s->cost, s->self.tasklet);
	return s->runnable ? pe_random_tasklet(s->runnable) : PE_PLACES;
}

/* Code that counts is to come back after so many instructions. */
static void set_pace(uint32_t t)
{
	struct pe_shared *s = PE_STATE;

	s->self.pace[t] = s->shuffle ? INT64_MAX : s->self.instructions[t] + PE_PACE;
}

static void run_tasklet(uint32_t next, uint64_t *sp)
{
	struct pe_shared *s = PE_STATE;

	s->self.tasklet = next;
	s->stalled = 0;
	set_pace(next);
	if (s->shuffle)
		pe_random_burst();
	if (sp != &s->tasklets[next].sp)
		pe_switch(sp, s->tasklets[next].sp);
}

/* The tasklet that runs begins to wait; another one is to be chosen. */
static void begin_wait(uint32_t kind, uint64_t object)
{
	struct pe_shared *s = PE_STATE;
	uint32_t me = s->self.tasklet;

	s->tasklets[me].wait = kind;
	s->tasklets[me].object = object;
	s->tasklets[me].since = s->waits++;
	s->runnable &= ~(1u << me);
	/* on hardware there is nothing but trying a mutex again and again */
	pe_tell(kind == PE_WAIT_MUTEX ? PE_GOAL_SPIN : PE_GOAL_STOP);
}

/* What the tasklet was to do in its turn: whether it goes on, or waits. */
static int take_turn(uint32_t t)
{
	struct pe_shared *s = PE_STATE;
	struct pe_tasklet *w = &s->tasklets[t];
	uint64_t object = w->object;
	uint32_t kind;

	s->self.tasklet = t;
	s->self.critical = 1;
	kind = ((uint32_t (*)(void *))(uintptr_t)w->op)((void *)(uintptr_t)w->arg);
	/* services that it has called have left */
	pe_service_enter();
	s->self.critical = 0;
	if (kind == PE_WAIT_NOTHING) {
		w->op = 0;
		return 1;
	}
	begin_wait(kind, object);
	return 0;
}

/* Of this one and those behind it, the first that goes on after its turn. */
static uint32_t after_turns(uint32_t next)
{
	while (next < PE_PLACES && PE_STATE->tasklets[next].op && !take_turn(next))
		next = choose_tasklet();
	return next;
}

void pe_next(void)
{
	struct pe_shared *s = PE_STATE;
	uint32_t me = s->self.tasklet, next;

	/* it was the caller's, not the next one's */
	s->self.critical = 0;
	next = after_turns(choose_tasklet());
	if (next == PE_PLACES) {
		if (!wait_for_others())
			pe_fail(PE_FAULT_DEADLOCK, 0, 0);
		suspend(me);
		return;
	}
	run_tasklet(next, &s->tasklets[me].sp);
}

void pe_tell(enum pe_goal goal)
{
	struct pe_shared *s = PE_STATE;
	uint32_t me = s->self.tasklet;

	if (!s->shuffle)
		pe_clock_tell(&s->clock, me, s->self.instructions[me], goal);
}

/* Whether the clock knows all that tasklet @t has done. */
static int is_told(uint32_t t)
{
	const struct pe_shared *s = PE_STATE;
	const struct pe_clock_tasklet *w = &s->clock.tasklets[t];

	return s->self.instructions[t] == w->seen && !w->passed.latency;
}

void pe_keep_time(void)
{
	struct pe_shared *s = PE_STATE;
	uint32_t me = s->self.tasklet;

	if (s->shuffle)
		return;
	if (s->self.critical) {
		set_pace(me);
		return;
	}
	if (is_told(me))
		return;
	pe_tell(PE_GOAL_ON);
	pe_next();
	pe_waited(PE_WAIT_NOTHING);
}

void pe_be_on_time(void)
{
	if (!PE_STATE->straight)
		pe_keep_time();
}

void pe_sync(void)
{
	pe_service_enter();
	pe_be_on_time();
	pe_service_leave();
}

/* What is noted of waits, and an order at random, ask for each tasklet to run itself. */
uint32_t pe_turn(uint32_t (*op)(void *arg), void *arg, const volatile void *object)
{
	struct pe_shared *s = PE_STATE;
	uint32_t me = s->self.tasklet;
	struct pe_tasklet *w = &s->tasklets[me];

	if (s->shuffle || s->watched || s->self.critical)
		return 0;
	pe_service_enter();
	s->caller = PE_CALLER();
	w->op = (uint64_t)(uintptr_t)op;
	w->arg = (uint64_t)(uintptr_t)arg;
	w->object = (uint64_t)(uintptr_t)object;
	if (!s->straight && !is_told(me)) {
		pe_tell(PE_GOAL_ON);
		pe_next();
	} else if (!take_turn(me)) {
		pe_next();
	}
	pe_service_leave();
	return 1;
}

void pe_preempt(void *context)
{
	struct pe_shared *s = PE_STATE;
	uint32_t me = s->self.tasklet;
	uint32_t others = s->runnable & ~(1u << me), next;
	uint64_t nowhere;

	if (!others || me >= PE_PLACES)
		return;
	pe_service_enter();
	if (pe_put_aside(context)) {
		/* the tasklets that run before this one goes on are to be ticked */
		pe_unblock();
		next = s->shuffle ? pe_random_tasklet(others) :
				    after_turns(pe_clock_force(&s->clock, &s->cost, me));
		run_tasklet(next < PE_PLACES ? next : me, &nowhere);
	}
	pe_service_leave();
}

void pe_start_tasklet(uint32_t t, void (*steps)(void))
{
	struct pe_shared *s = PE_STATE;

	make_tasklet(t, steps);
	pe_clock_start(&s->clock, t, s->self.instructions[t]);
	pe_note_start(t);
	s->alive |= 1u << t;
	s->runnable |= 1u << t;
}

void pe_enter(void)
{
	struct pe_shared *s = PE_STATE;
	uint32_t n = s->self.nr_tasklets;
	uint64_t nowhere;

	pe_unblock();
	pe_close_window();
	for (uint32_t t = 0; t < n && !s->again; t++)
		pe_start_tasklet(t, first_steps);
	if (s->room)
		pe_wake_kind(PE_WAIT_ROOM);
	pe_start_travellers();
	if (!s->runnable)
		pe_leave(PE_CALL_SUSPEND);
	s->running = 1;
	/* of all the times that it is entered together */
	if (!s->again)
		s->budget = PE_STEPS;
	run_tasklet((uint32_t)__builtin_ctz(s->runnable), &nowhere);
	__builtin_unreachable();
}

void pe_yield(void)
{
	struct pe_shared *s = PE_STATE;

	pe_service_enter();
	/* it is an instruction: whoever yields until something happens that takes time
	 * sees it pass, though nothing counts */
	s->clock.tasklets[s->self.tasklet].begun += 1ull << PE_CLOCK_SHIFT;
	pe_tell(PE_GOAL_ON);
	pe_next();
	pe_waited(PE_WAIT_NOTHING);
	pe_service_leave();
}

void pe_wait_inside(uint32_t kind, uint64_t object)
{
	begin_wait(kind, object);
	pe_next();
	pe_waited(kind);
}

void pe_wait(uint32_t kind, const volatile void *object)
{
	pe_service_enter();
	PE_STATE->caller = PE_CALLER();
	pe_wait_inside(kind, (uint64_t)(uintptr_t)object);
	pe_service_leave();
}

/* those that wait for it */
static uint32_t waiting_for(const volatile void *object)
{
	const struct pe_shared *s = PE_STATE;
	uint32_t waiting = 0;

	for (uint32_t left = s->alive & ~s->runnable; left; left &= left - 1) {
		uint32_t t = (uint32_t)__builtin_ctz(left);

		if (s->tasklets[t].object == (uint64_t)(uintptr_t)object)
			waiting |= 1u << t;
	}
	return waiting;
}

/* The one of them that has waited longest; PE_PLACES: there is none. */
static uint32_t longest(const volatile void *object)
{
	const struct pe_shared *s = PE_STATE;
	uint32_t first = PE_PLACES;
	uint64_t since = UINT64_MAX;

	for (uint32_t left = s->alive & ~s->runnable; left; left &= left - 1) {
		uint32_t t = (uint32_t)__builtin_ctz(left);
		const struct pe_tasklet *w = &s->tasklets[t];

		if (w->object == (uint64_t)(uintptr_t)object && w->since < since) {
			since = w->since;
			first = t;
		}
	}
	return first;
}

static void make_runnable(uint32_t tasklets)
{
	struct pe_shared *s = PE_STATE;

	s->runnable |= tasklets;
	for (; tasklets; tasklets &= tasklets - 1) {
		uint32_t t = (uint32_t)__builtin_ctz(tasklets);

		s->tasklets[t].wait = PE_WAIT_NOTHING;
		if (!s->shuffle)
			pe_clock_wake(&s->clock, t);
	}
	if (s->shuffle && !s->steps)
		pe_random_burst();
}

void pe_wake_kind(uint32_t kind)
{
	const struct pe_shared *s = PE_STATE;
	uint32_t waiting = 0;

	for (uint32_t left = s->alive & ~s->runnable; left; left &= left - 1) {
		uint32_t t = (uint32_t)__builtin_ctz(left);

		if (s->tasklets[t].wait == kind)
			waiting |= 1u << t;
	}
	make_runnable(waiting);
}

void pe_wake(const volatile void *object, uint32_t max)
{
	uint32_t first;

	pe_service_enter();
	pe_be_on_time();
	if (max >= PE_MAX_TASKLETS) {
		make_runnable(waiting_for(object));
	} else {
		for (; max && (first = longest(object)) < PE_PLACES; max--)
			make_runnable(1u << first);
	}
	pe_service_leave();
}

void pe_end_tasklet(void)
{
	struct pe_shared *s = PE_STATE;
	uint32_t me = s->self.tasklet;

	s->tasklets[me].wait = PE_ENDED;
	s->alive &= ~(1u << me);
	s->runnable &= ~(1u << me);
	pe_tell(PE_GOAL_END);
	/* those that have ended may still have a time when they do */
	if (!s->alive && choose_tasklet() == PE_PLACES)
		pe_end();
	pe_next();
	__builtin_unreachable();
}

void pe_exit(void)
{
	pe_service_enter();
	pe_end_tasklet();
}

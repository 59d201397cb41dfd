// SPDX-License-Identifier: MIT
/* Talking with a worker by futexes: start it, let it go, await its calls, answer them. */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/pe/process/image.h"
#include "runtime/pe/process/slot.h"

#define START_NS	(10 * PD_NS_PER_S)	/* a worker has this long to start */
#define PARK_NS		(PD_NS_PER_S / 2)	/* it has this long to park; then, */
#define PARK_CPU_NS	(PD_NS_PER_S / 10)	/* if it was kept from it, so much of a processor, */
#define PARK_KEPT_NS	(60 * PD_NS_PER_S)	/* and no longer than this */
#define UNSEEN_NS	(PD_NS_PER_S / 1000)	/* what of it one look counts for at most */
#define SLICE_NS	(PD_NS_PER_S / 10)	/* between looks at who died unseen */

static long futex(volatile uint32_t *word, int op, uint32_t value,
		  const void *timeout, volatile uint32_t *other, uint32_t value3)
{
	return syscall(SYS_futex, word, op, value, timeout, other, value3);
}

/*
 * The worker is where pd_slot_parked() has moved it, and whatever signal it has
 * had since has sent it back to the idle word. So one that is still there has slept
 * all the time: no timer that the last program left has run a handler on what
 * that program wrote, nor put a signal's frame into the memory of this PE.
 */
bool pd_slot_go(struct pd_slot *slot)
{
	struct pe_shared *s = slot->arena.shared;
	uint64_t end = 0;

	pd_near_follow(&slot->near, slot->child);
	while (futex(&s->go, FUTEX_WAKE, 1, NULL, NULL, 0) != 1) {
		if (slot->nr_runs)
			return false;
		/* no program has run in it: a signal is somebody else's */
		if (futex(&s->idle, FUTEX_WAKE, 1, NULL, NULL, 0) == 1)
			break;
		if (!end)
			end = pd_now_ns() + PARK_NS;
		/* dead, or stopped by somebody: the watchdog will see */
		if (pd_now_ns() > end || pd_child_dead(slot->child))
			break;
		sched_yield();
	}
	slot->nr_runs++;
	return true;
}

/*
 * The time since the last look, as far as it counts: a host that did not run does
 * not know what its worker would have done.
 */
static uint64_t unparked(uint64_t *last)
{
	uint64_t now = pd_now_ns(), passed = *last ? now - *last : 0;

	*last = now;
	return passed < UNSEEN_NS ? passed : UNSEEN_NS;
}

/* with a worker that does not park */
struct patience {
	uint64_t last, waited;
	uint64_t cpu_ns;	/* that it had had when it should have parked */
	bool overdue, slept;	/* slept: when it was looked at last */
};

/*
 * Give it more time; false: it has had enough. Whoever stops processes, or loads the
 * machine, may keep a worker from parking, and no program can: it has no way to stop,
 * and a processor that it takes counts. One that sleeps elsewhere may have parked since
 * it was last looked for, so it is looked for once more.
 */
static bool bear(struct pd_slot *slot, struct patience *p)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	uint64_t cpu_ns = 0;
	bool slept = p->slept;

	p->waited += unparked(&p->last);
	/* this thread's class may be one that leaves it nothing of their processor */
	if (p->waited > PD_NEAR_NS / 10)
		pd_near_roam(&slot->near, slot->child);
	if (p->waited <= PARK_NS) {
		sched_yield();
		return true;
	}
	p->slept = !pd_child_kept(slot->child, &cpu_ns);
	if (p->slept)
		return !slept;
	if (!p->overdue)
		p->cpu_ns = cpu_ns;
	p->overdue = true;
	nanosleep(&moment, NULL);
	return cpu_ns - p->cpu_ns <= PARK_CPU_NS && p->waited <= PARK_KEPT_NS;
}

bool pd_slot_parked(struct pd_slot *slot)
{
	struct pe_shared *s = slot->arena.shared;
	struct patience patience = { 0 };

	for (;;) {
		__atomic_store_n(&s->idle, 0, __ATOMIC_SEQ_CST);
		if (futex(&s->idle, FUTEX_CMP_REQUEUE, 0, (void *)1, &s->go,
			  0) == 1) {
			/* it may have called more than once on its way here */
			slot->seen = __atomic_load_n(&s->call,
						     __ATOMIC_ACQUIRE);
			return true;
		}
		if (pd_child_dead(slot->child) || !bear(slot, &patience))
			return false;
	}
}

/* Sleep until it calls, or some time has passed. */
static void await_call(struct pd_slot *slot, uint32_t call, uint64_t ns)
{
	struct pe_shared *s = slot->arena.shared;
	const struct timespec t = { .tv_sec = (time_t)(ns / PD_NS_PER_S),
				    .tv_nsec = (long)(ns % PD_NS_PER_S) };

	__atomic_store_n(&s->asleep, 1, __ATOMIC_SEQ_CST);
	futex(&s->call, FUTEX_WAIT, call, &t, NULL, 0);
	__atomic_store_n(&s->asleep, 0, __ATOMIC_RELAXED);
}

/* How long to sleep before it is looked at; it is near until it has run for so long. */
static uint64_t slice(const struct pd_slot *slot, uint64_t waited, uint64_t left)
{
	uint64_t most = slot->near.kept ? PD_NEAR_NS - waited : SLICE_NS;

	return left < most ? left : most;
}

enum pd_wait pd_slot_wait(struct pd_slot *slot, uint64_t deadline)
{
	struct pe_shared *s = slot->arena.shared;
	uint64_t begin = 0;

	for (;;) {
		uint32_t call = __atomic_load_n(&s->call, __ATOMIC_ACQUIRE);
		uint64_t now;

		if (call != slot->seen) {
			slot->seen = call;
			return PD_WAIT_CALLED;
		}
		if (pd_child_dead(slot->child))
			return PD_WAIT_DEAD;
		now = pd_now_ns();
		if (now >= deadline)
			return PD_WAIT_TIMEOUT;
		begin = begin ? begin : now;
		if (now - begin >= PD_NEAR_NS)
			pd_near_roam(&slot->near, slot->child);
		await_call(slot, call, slice(slot, now - begin, deadline - now));
	}
}

void pd_slot_reply(struct pd_slot *slot)
{
	struct pe_shared *s = slot->arena.shared;

	pd_near_follow(&slot->near, slot->child);
	__atomic_store_n(&s->reply, slot->seen, __ATOMIC_RELEASE);
	futex(&s->reply, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void pd_slot_end_worker(struct pd_slot *slot)
{
	if (slot->child)
		pd_child_end(slot->child);
	slot->child = NULL;
	if (slot->program)
		pimdimm_program_close(slot->program);
	slot->program = NULL;
}

static int start_failed(struct pd_slot *slot, enum pd_wait how)
{
	char death[80] = "did not start";

	if (how == PD_WAIT_DEAD)
		pd_child_death(slot->child, death, sizeof(death));
	pd_slot_end_worker(slot);
	return pd_error(EAGAIN, "a worker process %s", death);
}

static int start_worker(struct pd_slot *slot, struct pimdimm_program *program)
{
	struct pe_shared *s = slot->arena.shared;
	int fds[PE_NR_FDS] = {
		[PE_FD_ARENA] = slot->arena.fd,
		[PE_FD_TEXT] = slot->text_fd ? slot->text_fd : program->text_fd,
		[PE_FD_WORKER] = pd_image_fd(),
	};
	enum pd_wait how;
	int ret;

	if (fds[PE_FD_WORKER] < 0)
		return fds[PE_FD_WORKER];
	pd_arena_empty(&slot->arena);
	slot->seen = 0;
	s->text_bytes = program->text_bytes;
	s->mram_pages = slot->arena.window.nr_pages;
	s->check = program->note.flags & PE_NOTE_CHECK;
	memcpy(s->stack_bytes, program->note.stack_bytes,
	       program->note.nr_tasklets * sizeof(*s->stack_bytes));
	for (uint32_t t = PE_MAX_TASKLETS; t < PE_PLACES; t++)
		s->stack_bytes[t] = pd_stack_declared(program, t);
	ret = pd_child_start(slot->nursery, fds, &s->call, &slot->child);
	if (ret)
		return ret;
	slot->program = pd_program_get(program);
	slot->near = (struct pd_near){ 0 };
	slot->nr_runs = 0;
	how = pd_slot_wait(slot, pd_now_ns() + START_NS);
	if (how != PD_WAIT_CALLED || !pd_slot_parked(slot))
		return start_failed(slot, pd_child_dead(slot->child) ?
					  PD_WAIT_DEAD : PD_WAIT_TIMEOUT);
	return 0;
}

int pd_slot_take(struct pd_slot *slot, struct pimdimm_program *program)
{
	if (slot->child && slot->program->id == program->id &&
	    !pd_child_dead(slot->child))
		return 0;
	pd_slot_end_worker(slot);
	return start_worker(slot, program);
}

int pd_slot_create(struct pimdimm *sys, struct pd_nursery *nursery,
		   struct pd_slot **slot)
{
	struct pd_slot *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return pd_error(ENOMEM, "no memory for a worker process");
	s->nursery = nursery;
	ret = pd_arena_create(&s->arena, sys);
	if (ret) {
		free(s);
		return ret;
	}
	*slot = s;
	return 0;
}

void pd_slot_destroy(struct pd_slot *slot)
{
	pd_slot_end_worker(slot);
	pd_arena_destroy(&slot->arena);
	free(slot);
}

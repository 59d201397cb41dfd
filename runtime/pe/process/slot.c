/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/error.h"
#include "runtime/base/signals.h"
#include "runtime/pe/process/image.h"
#include "runtime/pe/process/slot.h"

#define START_NS	10000000000ull	/* a worker has this long to start */
#define PARK_NS		500000000ull	/* and this long to park */
#define UNSEEN_NS	1000000ull	/* what of it one look counts for at most */
#define SLICE_NS	100000000ull	/* between looks at who died unseen */

uint64_t pd_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

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
	struct pe_shared *s = slot->shared;
	uint64_t end = 0;

	while (futex(&s->go, FUTEX_WAKE, 1, NULL, NULL, 0) != 1) {
		if (slot->nr_runs)
			return false;
		/* no program has run in it: a signal is somebody else's */
		if (futex(&s->idle, FUTEX_WAKE, 1, NULL, NULL, 0) == 1)
			break;
		if (!end)
			end = pd_now() + PARK_NS;
		/* dead, or stopped by somebody: the watchdog will see */
		if (pd_now() > end || pd_child_dead(slot->child))
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
	uint64_t now = pd_now(), passed = *last ? now - *last : 0;

	*last = now;
	return passed < UNSEEN_NS ? passed : UNSEEN_NS;
}

bool pd_slot_parked(struct pd_slot *slot)
{
	struct pe_shared *s = slot->shared;
	uint64_t last = 0, waited = 0;

	for (;;) {
		__atomic_store_n(&s->idle, 0, __ATOMIC_SEQ_CST);
		if (futex(&s->idle, FUTEX_CMP_REQUEUE, 0, (void *)1, &s->go,
			  0) == 1) {
			/* it may have called more than once on its way here */
			slot->seen = __atomic_load_n(&s->call,
						     __ATOMIC_ACQUIRE);
			return true;
		}
		if (pd_child_dead(slot->child))
			return false;
		waited += unparked(&last);
		if (waited > PARK_NS)
			return false;
		sched_yield();
	}
}

enum pd_wait pd_slot_wait(struct pd_slot *slot, uint64_t deadline)
{
	struct pe_shared *s = slot->shared;

	for (;;) {
		uint32_t call = __atomic_load_n(&s->call, __ATOMIC_ACQUIRE);
		uint64_t now, left;
		struct timespec t;

		if (call != slot->seen) {
			slot->seen = call;
			return PD_WAIT_CALLED;
		}
		if (pd_child_dead(slot->child))
			return PD_WAIT_DEAD;
		now = pd_now();
		if (now >= deadline)
			return PD_WAIT_TIMEOUT;
		left = deadline - now < SLICE_NS ? deadline - now : SLICE_NS;
		t.tv_sec = (time_t)(left / 1000000000);
		t.tv_nsec = (long)(left % 1000000000);
		__atomic_store_n(&s->asleep, 1, __ATOMIC_SEQ_CST);
		futex(&s->call, FUTEX_WAIT, call, &t, NULL, 0);
		__atomic_store_n(&s->asleep, 0, __ATOMIC_RELAXED);
	}
}

void pd_slot_reply(struct pd_slot *slot)
{
	struct pe_shared *s = slot->shared;

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

/* Nothing of another program is left in it; the window's owner sees to its own. */
static void scrub(struct pd_slot *slot)
{
	pd_wipe_all(slot);
	slot->seen = 0;
	pd_window_empty(&slot->window);
}

static int start_worker(struct pd_slot *slot, struct pimdimm_program *program)
{
	struct pe_shared *s = slot->shared;
	int fds[PE_NR_FDS] = {
		[PE_FD_ARENA] = slot->arena_fd,
		[PE_FD_TEXT] = program->text_fd,
		[PE_FD_WORKER] = pd_image_fd(),
	};
	enum pd_wait how;
	int ret;

	if (fds[PE_FD_WORKER] < 0)
		return fds[PE_FD_WORKER];
	scrub(slot);
	s->text_bytes = program->text_bytes;
	s->mram_pages = slot->window.nr_pages;
	memcpy(s->stack_bytes, program->note.stack_bytes,
	       program->note.nr_tasklets * sizeof(*s->stack_bytes));
	ret = pd_child_start(slot->nursery, fds, &s->call, &slot->child);
	if (ret)
		return ret;
	slot->program = pd_program_get(program);
	slot->nr_runs = 0;
	how = pd_slot_wait(slot, pd_now() + START_NS);
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

static int create_arena(struct pd_slot *slot, uint64_t window_bytes)
{
	void *map;

	slot->arena_fd = memfd_create("pimdimm-arena", MFD_CLOEXEC);
	if (slot->arena_fd < 0 ||
	    pd_set_file_size(slot->arena_fd,
			     (off_t)(PE_ARENA_WINDOW + window_bytes)))
		return -1;
	map = mmap(NULL, PE_ARENA_BYTES, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_NORESERVE, slot->arena_fd, 0);
	if (map == MAP_FAILED)
		return -1;
	/* so that its pages can be counted */
	madvise(map, PE_ARENA_BYTES, MADV_NOHUGEPAGE);
	slot->arena = map;
	slot->shared = map;
	slot->wram = slot->arena + PE_ARENA_WRAM;
	return 0;
}

static void destroy_arena(struct pd_slot *slot)
{
	if (slot->arena)
		munmap(slot->arena, PE_ARENA_BYTES);
	if (slot->arena_fd >= 0)
		close(slot->arena_fd);
}

int pd_slot_create(struct pimdimm *sys, struct pd_nursery *nursery,
		   struct pd_slot **slot)
{
	struct pd_slot *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return pd_error(ENOMEM, "no memory for a worker process");
	s->nursery = nursery;
	ret = create_arena(s, sys->geometry.mram_size) ? pd_error(ENOMEM, "no memory that a worker process could share: %s",
					 strerror(errno)) : 0;
	if (!ret)
		ret = pd_window_create(&s->window, sys, s->arena_fd,
				       PE_ARENA_WINDOW);
	if (ret) {
		destroy_arena(s);
		free(s);
		return ret;
	}
	s->window.flags = s->shared->pages;
	*slot = s;
	return 0;
}

void pd_slot_destroy(struct pd_slot *slot)
{
	pd_slot_end_worker(slot);
	pd_window_destroy(&slot->window);
	destroy_arena(slot);
	free(slot);
}

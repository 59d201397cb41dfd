// SPDX-License-Identifier: MIT
/* A host's waits for steps of others, and what it tells of waits that take long. */
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "collectives/hosts/waiting.h"

/* polls of a step before a waiter sleeps, where every host has a processor */
#define SPINS		2000
/* a sleeper looks up so often whether the others live */
#define LOOK_NS		(PD_NS_PER_S / 20)
/* and after other machines */
#define LOOK_BEYOND_NS	(PD_NS_PER_S / 2000)
/* a wait that takes so long is told, and again when it has taken twice, four times as long */
#define TELL_NS		(UINT64_C(10) * PD_NS_PER_S)

uint64_t pc_hosts_tell_now(bool logs, struct pc_hosts_waiting *waiting)
{
	uint64_t waited = pd_now_ns() - waiting->begun;

	if (!waiting->tell)
		waiting->tell = TELL_NS;
	if (!logs || waited < waiting->tell)
		return 0;
	waiting->tell *= 2;
	return waited / PD_NS_PER_S;
}

void pc_hosts_tell_long(const struct pimdimm_hosts *h, uint32_t peer,
			struct pc_hosts_waiting *waiting)
{
	uint64_t seconds = pc_hosts_tell_now(h->logs, waiting);
	char name[PC_HOSTS_WORDS];

	if (!seconds)
		return;
	pc_hosts_name(h, peer, name, sizeof(name));
	fprintf(stderr, "pimdimm: host %u (pid %d) has waited %" PRIu64 " s in %s, call %" PRIu64
		", for %s\n",
		h->names[h->host], (int)h->pid, seconds, pc_hosts_kind_name(h->kind), h->number,
		name);
}

static void name_wait(uint32_t host, struct pc_hosts_waiting *waiting)
{
	snprintf(waiting->name, sizeof(waiting->name), "wait for host %u", host);
}

void pc_hosts_waits_long(const struct pimdimm_hosts *h, uint32_t peer,
			 struct pc_hosts_waiting *waiting)
{
	if (!pd_timeline_on() || !waiting->slept || waiting->span.start)
		return;
	name_wait(h->names[peer], waiting);
	waiting->span = pd_timeline_begin(waiting->name);
	if (waiting->span.start)
		waiting->span.start = waiting->begun;
}

void pc_hosts_waited(const struct pimdimm_hosts *h, uint32_t peer,
		     struct pc_hosts_waiting *waiting)
{
	if (!pd_timeline_on() || !waiting->slept)
		return;
	if (!waiting->span.start) {
		name_wait(h->names[peer], waiting);
		waiting->span = pd_timeline_since(waiting->name, waiting->begun);
	}
	pd_timeline_end(&waiting->span,
			"\"host\":%u,\"pid\":%d,\"call\":\"%s\",\"number\":%" PRIu64
			",\"phase\":\"%s\"",
			h->names[peer], (int)h->pids[peer], pc_hosts_kind_name(h->kind), h->number,
			pc_hosts_phase_name(pc_hosts_does(h)));
}

/* Calls that a step is ahead of this host's: of their numbers it has the last 32 bits. */
static int32_t calls_ahead(const struct pimdimm_hosts *h, uint64_t step)
{
	return (int32_t)((uint32_t)(step >> 32) - (uint32_t)h->number);
}

/* All have been in the call before; who is ahead has come to the next one, and waits there. */
static bool step_is_right(const struct pimdimm_hosts *h, uint64_t step)
{
	const int32_t ahead = calls_ahead(h, step);

	return ahead >= -1 && ahead <= 1;
}

static bool has_come(const struct pimdimm_hosts *h, uint64_t step, uint32_t until)
{
	const int32_t ahead = calls_ahead(h, step);

	return ahead > 0 || (!ahead && (uint32_t)step >= until);
}

/* 1: it has come so far; 0: not yet; a negative errno: it cannot have */
static int step_reached(struct pimdimm_hosts *h, uint32_t peer, uint32_t until)
{
	uint64_t step = atomic_load_explicit(&h->page->line[peer].step, memory_order_acquire);

	if (step_is_right(h, step))
		return has_come(h, step, until);
	return pc_hosts_break(h, EIO,
			      "the hosts' control page is corrupt: host %u is in call %llu, host %u in %llu",
			      peer, (unsigned long long)(step >> 32), h->host,
			      (unsigned long long)h->number);
}

/* One sleep: until the peer says something, or it is time to look after all. */
static void sleep_for_step(struct pimdimm_hosts *h, uint32_t peer, uint32_t until)
{
	struct pc_hosts_line *line = &h->page->line[peer];
	uint64_t now = pd_now_ns(), ns = LOOK_NS;
	struct timespec t;
	uint32_t bell;

	/* messages of other machines come in while somebody asks after them */
	if (h->look) {
		h->look(h->look_at);
		ns = LOOK_BEYOND_NS;
	}
	if (h->deadline - now < ns || h->deadline < now)
		ns = h->deadline < now ? 0 : h->deadline - now;
	t = (struct timespec){ .tv_nsec = (long)ns };
	atomic_fetch_add(&line->sleepers, 1);
	bell = atomic_load(&line->bell);
	if (!has_come(h, atomic_load(&line->step), until) && !atomic_load(&h->page->broken))
		syscall(SYS_futex, &line->bell, FUTEX_WAIT, bell, &t, NULL, 0);
	atomic_fetch_sub(&line->sleepers, 1);
}

static int wait_looking(struct pimdimm_hosts *h, uint32_t peer, uint32_t until,
			struct pc_hosts_waiting *waiting)
{
	uint64_t look = waiting->begun;
	int ret;

	for (;;) {
		ret = step_reached(h, peer, until);
		if (ret)
			return ret < 0 ? ret : 0;
		if (pd_now_ns() >= look || atomic_load(&h->page->broken)) {
			ret = pc_hosts_trouble(h, peer);
			if (ret) {
				/* what it did before it left or died counts */
				int done = step_reached(h, peer, until);

				return done > 0 && ret == -EBUSY ? 0 : ret;
			}
			pc_hosts_tell_long(h, peer, waiting);
			pc_hosts_waits_long(h, peer, waiting);
			look = pd_now_ns() + LOOK_NS;
		}
		waiting->slept = true;
		sleep_for_step(h, peer, until);
	}
}

static int wait_asleep(struct pimdimm_hosts *h, uint32_t peer, uint32_t until)
{
	struct pc_hosts_waiting waiting = { .begun = pd_now_ns() };
	int ret = wait_looking(h, peer, until, &waiting);

	pc_hosts_waited(h, peer, &waiting);
	return ret;
}

int pc_hosts_wait(struct pimdimm_hosts *h, uint32_t peer, uint32_t step)
{
	for (unsigned int i = 0; i <= (h->spins ? SPINS : 1); i++) {
		int ret = step_reached(h, peer, step);

		if (ret)
			return ret < 0 ? ret : 0;
		pd_relax();
	}
	h->stats.waits++;
	if (!h->deadline)
		h->deadline = pc_hosts_deadline(h->timeout_ms);
	return wait_asleep(h, peer, step);
}

int pc_hosts_wait_all(struct pimdimm_hosts *h, uint32_t step)
{
	for (uint32_t i = 1; i < h->hosts; i++) {
		int ret = pc_hosts_wait(h, (h->host + i) % h->hosts, step);

		if (ret)
			return ret;
	}
	return 0;
}

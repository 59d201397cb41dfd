// SPDX-License-Identifier: MIT
/*
 * PE kernels. A team takes one PE after the other, and there are as many teams as
 * workers. The tasklets of a team are contexts of the one thread that runs it:
 * they hand it to each other where they wait.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/watch/count.h"
#include "runtime/base/error.h"
#include "runtime/base/fiber.h"
#include "runtime/base/fpenv.h"
#include "runtime/ranks/inject.h"
#include "runtime/ranks/owner.h"
#include "runtime/ranks/system.h"
#include "runtime/base/threads.h"
#include "runtime/watch/report.h"
#include "runtime/watch/timeline.h"
#include "runtime/ranks/transfer.h"

#define DMA_MAX 2048
/*
 * A tasklet may look into MRAM for what another one is to write: after so many
 * transfers without a wait it lets the others run.
 */
#define DMAS_IN_A_ROW 64

struct launch {
	struct pimdimm *sys;
	uint32_t end_pe;
	unsigned int nr_tasklets;
	pimdimm_kernel kernel;
	void *arg;
	_Atomic uint32_t next_pe;
	struct team *teams;
	unsigned int nr_teams;

	pthread_mutex_t lock;	/* of what follows */
	/* the fault of the lowest PE, and there of the lowest tasklet */
	bool faulted;
	uint32_t fault_pe;
	unsigned int fault_tasklet;
	char fault[160];
};

struct pimdimm_pe {
	struct team *team;
	unsigned int tasklet;
	unsigned int dmas;
	struct pd_fiber fiber;	/* unless it is the only one */
};

struct team {
	struct launch *launch;
	uint8_t *wram;
	size_t wram_left;	/* bytes not handed out, from the start */
	bool wram_whole;	/* they may be touched nonetheless */
	uint32_t pe;
	/* tasklets that have not ended, a bit each, and those of them that do
	 * not wait at the barrier */
	uint32_t alive, ready;
	bool over;		/* there is no further PE */
	struct pd_fiber thread;	/* whose tasklets they are */
	struct pd_stacks *stacks;
	struct pimdimm_pe *tasklets;
};

/* Zero again, and all there; what no tasklet asked for is zero still. */
static void renew_wram(struct team *team)
{
	size_t bytes = team->launch->sys->geometry.wram_size;
	size_t from = team->wram_whole ? 0 : team->wram_left;

	memset(team->wram + from, 0, bytes - from);
	team->wram_left = bytes;
	team->wram_whole = false;
}

/* Make the team's state that of a PE whose tasklets are about to start. */
static bool take_pe(struct team *team)
{
	struct launch *launch = team->launch;

	team->pe = atomic_fetch_add(&launch->next_pe, 1);
	if (team->pe >= launch->end_pe)
		return false;
	renew_wram(team);
	team->alive = UINT32_MAX >> (32 - launch->nr_tasklets);
	team->ready = team->alive;
	return true;
}

/* The thread is for the next tasklet that can use it; `me` when there is no other. */
static struct pimdimm_pe *next_ready(const struct pimdimm_pe *me)
{
	struct team *team = me->team;
	uint32_t later = team->ready & ~(UINT32_MAX >> (31 - me->tasklet));

	return &team->tasklets[__builtin_ctz(later ? later : team->ready)];
}

static void let_others_run(struct pimdimm_pe *me)
{
	struct pimdimm_pe *next = next_ready(me);

	if (next != me)
		pd_fiber_switch(&me->fiber, &next->fiber);
}

/* One less to wait for: that may have been what the others waited for. */
static void no_longer_ready(struct pimdimm_pe *me)
{
	struct team *team = me->team;

	team->ready &= ~(UINT32_C(1) << me->tasklet);
	if (!team->ready)
		team->ready = team->alive;
}

static void end_tasklet(struct pimdimm_pe *me)
{
	struct team *team = me->team;

	team->alive &= ~(UINT32_C(1) << me->tasklet);
	no_longer_ready(me);
	pd_fiber_switch(&me->fiber, team->alive ? &next_ready(me)->fiber :
						  &team->thread);
}

/* A tasklet of all the PEs that its team takes. */
static void tasklet_main(void *arg)
{
	struct pimdimm_pe *me = arg;
	struct team *team = me->team;

	while (!team->over) {
		pd_fpenv_enter();
		errno = 0;
		team->launch->kernel(me, team->launch->arg);
		end_tasklet(me);
	}
	pd_fiber_exit(&me->fiber, &team->thread);
}

static void start_tasklets(struct team *team)
{
	pd_fiber_begin(&team->thread);
	for (unsigned int i = 0; i < team->launch->nr_tasklets; i++)
		pd_fiber_make(&team->tasklets[i].fiber,
			      pd_stack(team->stacks, i), tasklet_main,
			      &team->tasklets[i]);
}

static void end_tasklets(struct team *team)
{
	team->over = true;
	for (unsigned int i = 0; i < team->launch->nr_tasklets; i++) {
		pd_fiber_switch(&team->thread, &team->tasklets[i].fiber);
		pd_fiber_free(&team->tasklets[i].fiber);
	}
}

/* Run the tasklets of the PE that was taken; one alone has nobody to wait for. */
static void run_pe(struct team *team)
{
	struct launch *launch = team->launch;
	struct pd_span span;

	if (pd_timeline_on())
		span = pd_timeline_pe_start(launch->sys->tracks, team->pe,
					    "kernel");
	else
		span = (struct pd_span){ 0 };
	if (team->stacks)
		pd_fiber_switch(&team->thread, &team->tasklets[0].fiber);
	else
		launch->kernel(&team->tasklets[0], launch->arg);
	if (span.start)
		pd_timeline_pe_stop(launch->sys->tracks, team->pe, &span);
}

static void run_tasklets(struct team *team)
{
	sigset_t mask;

	/* what tasklets do to the mask of their thread ends with them */
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	start_tasklets(team);
	while (take_pe(team))
		run_pe(team);
	end_tasklets(team);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static void run_pes(struct team *team)
{
	struct pd_in_pe_kernel kernel;

	pd_pe_kernel_enter(&kernel, team->launch->sys, &team->pe);
	if (team->stacks)
		run_tasklets(team);
	else
		while (take_pe(team))
			run_pe(team);
	pd_pe_kernel_leave(&kernel);
}

static void run_teams(void *ctx, uint64_t first, uint64_t count)
{
	struct launch *launch = ctx;

	for (uint64_t i = first; i < first + count; i++)
		run_pes(&launch->teams[i]);
}

static bool team_init(struct team *team, struct launch *launch)
{
	unsigned int n = launch->nr_tasklets;

	*team = (struct team){ .launch = launch, .wram_whole = true };
	team->wram = aligned_alloc(64, launch->sys->geometry.wram_size);
	team->tasklets = calloc(n, sizeof(*team->tasklets));
	if (!team->wram || !team->tasklets)
		return false;
	for (unsigned int i = 0; i < n; i++) {
		team->tasklets[i].team = team;
		team->tasklets[i].tasklet = i;
	}
	if (n > 1)
		team->stacks = pd_stacks_take(&launch->sys->stacks, n);
	return n == 1 || team->stacks;
}

/* keep: its stacks, for the next launch */
static void team_release(struct team *team, bool keep)
{
	free(team->wram);
	free(team->tasklets);
	if (team->stacks && keep)
		pd_stacks_put(&team->launch->sys->stacks, team->stacks);
	else if (team->stacks)
		pd_stacks_unmap(team->stacks);
}

static int run_launch(struct launch *launch, uint32_t nr_pes)
{
	struct pd_workers *workers = launch->sys->workers;
	unsigned int teams = pd_workers_threads(workers);
	bool ok = true;

	if (teams > nr_pes)
		teams = nr_pes;
	launch->teams = calloc(teams, sizeof(*launch->teams));
	if (!launch->teams)
		return pd_error(ENOMEM, "no memory for %u teams", teams);
	while (launch->nr_teams < teams && ok)
		ok = team_init(&launch->teams[launch->nr_teams++], launch);
	if (ok)
		pd_workers_run(workers, teams, 1, run_teams, launch);
	for (unsigned int i = 0; i < launch->nr_teams; i++)
		team_release(&launch->teams[i], ok);
	free(launch->teams);
	if (ok)
		return 0;
	return pd_error(ENOMEM,
			"no memory for the WRAM of %u PEs and stacks for %u tasklets each",
			teams, launch->nr_tasklets);
}

static int check_launch(const struct pimdimm *sys, uint32_t first_pe,
			uint32_t nr_pes, unsigned int nr_tasklets,
			pimdimm_kernel kernel)
{
	const struct pimdimm_geometry *g = pimdimm_geometry(sys);

	if (!g)
		return pd_error(EINVAL, "sys is NULL");
	if (first_pe > g->nr_pes || nr_pes > g->nr_pes - first_pe)
		return pd_error(EINVAL,
				"first_pe=%u and nr_pes=%u, expected PEs below %u",
				first_pe, nr_pes, g->nr_pes);
	if (!nr_tasklets || nr_tasklets > g->max_tasklets)
		return pd_error(EINVAL, "nr_tasklets=%u, expected 1 to %u",
				nr_tasklets, g->max_tasklets);
	if (!kernel)
		return pd_error(EINVAL, "kernel is NULL");
	return 0;
}

/* Run it in the PEs' hands. */
static int launch_owned(struct launch *launch, uint32_t first_pe,
			uint32_t nr_pes)
{
	struct pd_rank_set ranks;
	int ret, taken_back;

	pd_ranks_of_range(&ranks, first_pe, nr_pes);
	ret = pd_pes_begin(launch->sys, &ranks);
	if (ret)
		return ret;
	ret = run_launch(launch, nr_pes);
	taken_back = pd_pes_end(launch->sys, &ranks);
	return ret ? ret : taken_back;
}

/* PE kernels are code of the host, whose instructions say nothing of hardware's. */
static void report_launch(uint64_t start)
{
	struct pd_report_call call = {
		.row = {
			.kind = PIMDIMM_REPORT_KERNEL,
			.calls = 1,
			.uncounted = 1,
			.emulation_ns = pd_now_ns() - start,
		},
	};

	pd_report_text(call.row.name, sizeof(call.row.name), "launch");
	pd_report_add(&call);
}

/* Run what was checked, and tell of it. */
static int tell_launch(struct launch *launch, uint32_t first_pe,
		       uint32_t nr_pes)
{
	struct pd_span span = pd_timeline_begin("launch");
	uint64_t start = pd_report_begin();
	int ret = launch_owned(launch, first_pe, nr_pes);

	if (!ret && launch->faulted)
		ret = pd_error(EFAULT, "PE %u, tasklet %u: %s",
			       launch->fault_pe, launch->fault_tasklet,
			       launch->fault);
	pd_timeline_end(&span,
			"\"first_pe\":%u,\"nr_pes\":%u,\"tasklets\":%u,\"ret\":%d",
			first_pe, nr_pes, launch->nr_tasklets, ret);
	if (start && !ret)
		report_launch(start);
	return ret;
}

int pimdimm_launch(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		   unsigned int nr_tasklets, pimdimm_kernel kernel, void *arg)
{
	struct launch launch = {
		.sys = sys,
		.end_pe = first_pe + nr_pes,
		.nr_tasklets = nr_tasklets,
		.kernel = kernel,
		.arg = arg,
		.next_pe = first_pe,
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	int ret = check_launch(sys, first_pe, nr_pes, nr_tasklets, kernel);
	int cancel = pd_cancel_off();

	if (!ret && nr_pes)
		ret = pd_check_host(sys);
	if (!ret)
		ret = pd_present(sys, first_pe, nr_pes);
	if (!ret && nr_pes) {
		ret = tell_launch(&launch, first_pe, nr_pes);
		if (!ret)
			ret = pd_present(sys, first_pe, nr_pes);
	}
	pthread_mutex_destroy(&launch.lock);
	pd_cancel_restore(cancel);
	return ret;
}

uint32_t pimdimm_pe_id(const struct pimdimm_pe *pe)
{
	return pe->team->pe;
}

unsigned int pimdimm_tasklet_id(const struct pimdimm_pe *pe)
{
	return pe->tasklet;
}

void pimdimm_barrier(struct pimdimm_pe *pe)
{
	pe->dmas = 0;
	no_longer_ready(pe);
	/* whoever comes last need not wait */
	if (!(pe->team->ready >> pe->tasklet & 1))
		let_others_run(pe);
}

void *pimdimm_wram(struct pimdimm_pe *pe)
{
	pe->team->wram_whole = true;
	return pe->team->wram;
}

void *pimdimm_wram_alloc(struct pimdimm_pe *pe, size_t bytes)
{
	struct team *team = pe->team;

	if (!bytes || bytes > team->wram_left)
		return NULL;
	team->wram_left = (team->wram_left - bytes) & ~(size_t)7;
	return team->wram + team->wram_left;
}

/* Keep a refused access, and its sentence, if it is the lowest so far. */
__attribute__((format(printf, 2, 3)))
static int dma_fault(struct pimdimm_pe *pe, const char *format, ...)
{
	struct launch *l = pe->team->launch;
	uint32_t id = pe->team->pe;
	char text[sizeof(l->fault)];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	pthread_mutex_lock(&l->lock);
	if (!l->faulted || id < l->fault_pe ||
	    (id == l->fault_pe && pe->tasklet < l->fault_tasklet)) {
		l->faulted = true;
		l->fault_pe = id;
		l->fault_tasklet = pe->tasklet;
		memcpy(l->fault, text, strlen(text) + 1);
	}
	pthread_mutex_unlock(&l->lock);
	return pd_error(EINVAL, "PE %u, tasklet %u: %s", id, pe->tasklet, text);
}

/* A kernel can name the host's memory, which hardware has no way to reach. */
static int dma_check_wram(struct pimdimm_pe *pe, const char *what,
			  const void *wram, size_t bytes)
{
	const struct pimdimm *sys = pe->team->launch->sys;
	uintptr_t size = sys->geometry.wram_size;
	uintptr_t first = (uintptr_t)pe->team->wram, at = (uintptr_t)wram;

	if (!sys->strict || (at >= first && at - first <= size - bytes))
		return 0;
	return dma_fault(pe,
			 "%s: wram=%p and %zu bytes, expected within the PE's WRAM, %zu bytes at %p (strict=1)",
			 what, wram, bytes, (size_t)size,
			 (void *)pe->team->wram);
}

/* what the hardware's DMA engine takes */
static int dma_check(struct pimdimm_pe *pe, const char *what, uint64_t off,
		     const void *wram, size_t bytes)
{
	uint64_t size = pe->team->launch->sys->geometry.mram_size;

	if (off % PIMDIMM_WORD_BYTES)
		return dma_fault(pe, "%s: off=%llu, expected a multiple of 8",
				 what, (unsigned long long)off);
	if (!wram || (uintptr_t)wram % PIMDIMM_WORD_BYTES)
		return dma_fault(pe, "%s: wram=%p, expected it aligned to 8",
				 what, wram);
	if (bytes < PIMDIMM_WORD_BYTES || bytes > DMA_MAX ||
	    bytes % PIMDIMM_WORD_BYTES)
		return dma_fault(pe,
				 "%s: bytes=%zu, expected a multiple of 8 from 8 to %d",
				 what, bytes, DMA_MAX);
	if (off > size || bytes > size - off)
		return dma_fault(pe,
				 "%s: off=%llu and %zu bytes reach past the MRAM of %llu bytes",
				 what, (unsigned long long)off, bytes,
				 (unsigned long long)size);
	return dma_check_wram(pe, what, wram, bytes);
}

/* A transfer that can be made: the hardware's would be, and there is room for it. */
static int dma_ready(struct pimdimm_pe *pe, const char *what, uint64_t off,
		     const void *wram, size_t bytes, bool to_mram)
{
	int ret = dma_check(pe, what, off, wram, bytes);

	if (ret)
		return ret;
	ret = pd_room_claim_pe(pe->team->launch->sys, pe->team->pe, off, bytes,
			       to_mram);
	if (!ret)
		return 0;
	dma_fault(pe, "%s: %s", what, pimdimm_errmsg());
	return ret;
}

/* What a PE moves is neither the host's blocks nor its memory. */
static struct pd_counting dma_begin(size_t bytes)
{
	if (pd_counts_now())
		pd_count_pe(bytes);
	return pd_counting_enter(NULL, NULL);
}

static void dma_end(struct pimdimm_pe *pe, struct pd_counting before)
{
	pd_counting_leave(before);
	if (++pe->dmas % DMAS_IN_A_ROW == 0)
		let_others_run(pe);
}

int pimdimm_mram_read(struct pimdimm_pe *pe, uint64_t off, void *wram,
		      size_t bytes)
{
	int ret = dma_ready(pe, "mram_read", off, wram, bytes, false);
	struct pd_counting before;

	if (ret)
		return ret;
	before = dma_begin(bytes);
	pd_pe_read(pe->team->launch->sys, pe->team->pe, off, wram, bytes);
	dma_end(pe, before);
	return 0;
}

int pimdimm_mram_write(struct pimdimm_pe *pe, uint64_t off, const void *wram,
		       size_t bytes)
{
	int ret = dma_ready(pe, "mram_write", off, wram, bytes, true);
	struct pd_counting before;

	if (ret)
		return ret;
	before = dma_begin(bytes);
	pd_pe_write(pe->team->launch->sys, pe->team->pe, off, wram, bytes);
	dma_end(pe, before);
	return 0;
}

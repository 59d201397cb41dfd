/* SPDX-License-Identifier: MIT */
/*
 * PE kernels. A team of as many threads as there are tasklets takes one PE
 * after the other; there are as many teams as workers.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count.h"
#include "error.h"
#include "fpenv.h"
#include "inject.h"
#include "owner.h"
#include "signals.h"
#include "system.h"
#include "timeline.h"
#include "transfer.h"

#define DMA_MAX 2048

/* what the threads of a launch wait for before they run anything */
enum gate {
	GATE_SHUT,
	GATE_OPEN,
	GATE_CANCELLED,	/* not all threads could be started */
};

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
	pthread_cond_t gate_moved;
	enum gate gate;
	/* the fault of the lowest PE, and there of the lowest tasklet */
	bool faulted;
	uint32_t fault_pe;
	unsigned int fault_tasklet;
	char fault[160];
};

/* the barrier of a PE's tasklets */
struct barrier {
	pthread_mutex_t lock;
	pthread_cond_t all_arrived;
	unsigned int alive;	/* tasklets that have not ended */
	unsigned int waiting;
	unsigned int round;
};

struct pimdimm_pe {
	struct team *team;
	unsigned int tasklet;
};

struct team {
	struct launch *launch;
	uint8_t *wram;
	_Atomic size_t wram_left;	/* bytes not handed out, from the start */
	_Atomic bool wram_whole;	/* they may be touched nonetheless */
	uint32_t pe;
	struct barrier barrier;
	pthread_barrier_t turn;		/* all threads, between PEs */
	pthread_t *threads;
	unsigned int nr_threads;	/* started */
	struct pimdimm_pe *tasklets;
};

static void barrier_open(struct barrier *b)
{
	b->waiting = 0;
	b->round++;
	pthread_cond_broadcast(&b->all_arrived);
}

static void barrier_wait(struct barrier *b)
{
	unsigned int round;

	pthread_mutex_lock(&b->lock);
	round = b->round;
	if (++b->waiting == b->alive)
		barrier_open(b);
	while (round == b->round)
		pthread_cond_wait(&b->all_arrived, &b->lock);
	pthread_mutex_unlock(&b->lock);
}

/* A tasklet has ended: those that wait wait for one less. */
static void barrier_leave(struct barrier *b)
{
	pthread_mutex_lock(&b->lock);
	b->alive--;
	if (b->waiting && b->waiting == b->alive)
		barrier_open(b);
	pthread_mutex_unlock(&b->lock);
}

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
static void take_pe(struct team *team)
{
	struct launch *launch = team->launch;

	team->pe = atomic_fetch_add(&launch->next_pe, 1);
	if (team->pe >= launch->end_pe)
		return;
	renew_wram(team);
	team->barrier.alive = launch->nr_tasklets;
}

/* all threads of a team; one alone has nobody to wait for */
static void team_turn(struct team *team)
{
	if (team->launch->nr_tasklets > 1)
		pthread_barrier_wait(&team->turn);
}

/* One thread of a team: tasklet 0 takes a PE, all run it, and so on. */
static void team_member(struct pimdimm_pe *pe)
{
	struct team *team = pe->team;
	struct launch *launch = team->launch;
	uint64_t start;

	for (;;) {
		if (!pe->tasklet)
			take_pe(team);
		team_turn(team);
		if (team->pe >= launch->end_pe)
			return;
		start = pe->tasklet ? 0 : pd_timeline_now();
		launch->kernel(pe, launch->arg);
		barrier_leave(&team->barrier);
		team_turn(team);
		if (start)
			pd_timeline_pe(launch->sys, team->pe, "kernel", start,
				       pd_timeline_now());
	}
}

static bool gate_wait(struct launch *launch)
{
	enum gate gate;

	pthread_mutex_lock(&launch->lock);
	while (launch->gate == GATE_SHUT)
		pthread_cond_wait(&launch->gate_moved, &launch->lock);
	gate = launch->gate;
	pthread_mutex_unlock(&launch->lock);
	return gate == GATE_OPEN;
}

static void gate_move(struct launch *launch, enum gate gate)
{
	pthread_mutex_lock(&launch->lock);
	launch->gate = gate;
	pthread_cond_broadcast(&launch->gate_moved);
	pthread_mutex_unlock(&launch->lock);
}

static void *team_thread(void *arg)
{
	struct pimdimm_pe *pe = arg;

	pd_fpenv_enter();
	if (gate_wait(pe->team->launch))
		team_member(pe);
	return NULL;
}

static void team_release(struct team *team)
{
	free(team->wram);
	free(team->threads);
	free(team->tasklets);
	pthread_barrier_destroy(&team->turn);
	pthread_cond_destroy(&team->barrier.all_arrived);
	pthread_mutex_destroy(&team->barrier.lock);
}

static bool team_init(struct team *team, struct launch *launch)
{
	unsigned int n = launch->nr_tasklets;

	*team = (struct team){ .launch = launch, .wram_whole = true };
	pthread_mutex_init(&team->barrier.lock, NULL);
	pthread_cond_init(&team->barrier.all_arrived, NULL);
	pthread_barrier_init(&team->turn, NULL, n);
	team->wram = aligned_alloc(64, launch->sys->geometry.wram_size);
	team->threads = calloc(n, sizeof(*team->threads));
	team->tasklets = calloc(n, sizeof(*team->tasklets));
	for (unsigned int i = 0; team->tasklets && i < n; i++)
		team->tasklets[i] = (struct pimdimm_pe){ team, i };
	return team->wram && team->threads && team->tasklets;
}

/* Start the threads of all teams; 0 or the errno of the first failure. */
static int start_threads(struct launch *launch)
{
	for (unsigned int i = 0; i < launch->nr_teams; i++) {
		struct team *team = &launch->teams[i];

		while (team->nr_threads < launch->nr_tasklets) {
			unsigned int n = team->nr_threads;
			int err = pthread_create(&team->threads[n], NULL,
						 team_thread,
						 &team->tasklets[n]);

			if (err)
				return err;
			team->nr_threads++;
		}
	}
	return 0;
}

static void join_threads(struct launch *launch)
{
	for (unsigned int i = 0; i < launch->nr_teams; i++) {
		struct team *team = &launch->teams[i];

		for (unsigned int j = 0; j < team->nr_threads; j++)
			pthread_join(team->threads[j], NULL);
	}
}

static int run_threads(struct launch *launch)
{
	sigset_t old;
	int err;

	pd_signals_block(&old);
	err = start_threads(launch);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	gate_move(launch, err ? GATE_CANCELLED : GATE_OPEN);
	join_threads(launch);
	if (err)
		return pd_error(err,
				"cannot start %u threads for %u tasklets each of %u PEs",
				launch->nr_teams * launch->nr_tasklets,
				launch->nr_tasklets, launch->nr_teams);
	return 0;
}

static void run_team(void *ctx, uint64_t first, uint64_t count)
{
	struct launch *launch = ctx;

	for (uint64_t i = first; i < first + count; i++)
		team_member(&launch->teams[i].tasklets[0]);
}

/* Run the launch with its teams made; one tasklet needs no threads of its own. */
static int run_teams(struct launch *launch)
{
	if (launch->nr_tasklets > 1)
		return run_threads(launch);
	pd_workers_run(launch->sys->workers, launch->nr_teams, 1, run_team,
		       launch);
	return 0;
}

static int run_launch(struct launch *launch, uint32_t nr_pes)
{
	unsigned int teams = pd_workers_threads(launch->sys->workers);
	bool ok = true;
	int ret;

	if (teams > nr_pes)
		teams = nr_pes;
	launch->teams = calloc(teams, sizeof(*launch->teams));
	if (!launch->teams)
		return pd_error(ENOMEM, "no memory for %u teams", teams);
	while (launch->nr_teams < teams && ok)
		ok = team_init(&launch->teams[launch->nr_teams++], launch);
	ret = ok ? run_teams(launch) :
		   pd_error(ENOMEM, "no memory for the WRAM of %u PEs", teams);
	for (unsigned int i = 0; i < launch->nr_teams; i++)
		team_release(&launch->teams[i]);
	free(launch->teams);
	return ret;
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
		.gate_moved = PTHREAD_COND_INITIALIZER,
	};
	int ret = check_launch(sys, first_pe, nr_pes, nr_tasklets, kernel);
	struct pd_span span;

	if (!ret)
		ret = pd_present(sys, first_pe, nr_pes);
	if (ret || !nr_pes)
		return ret;
	span = pd_timeline_begin("launch");
	ret = launch_owned(&launch, first_pe, nr_pes);
	pd_timeline_end(&span,
			"\"first_pe\":%u,\"nr_pes\":%u,\"tasklets\":%u,\"ret\":%d",
			first_pe, nr_pes, nr_tasklets,
			ret || !launch.faulted ? ret : -EFAULT);
	pthread_cond_destroy(&launch.gate_moved);
	pthread_mutex_destroy(&launch.lock);
	if (!ret && launch.faulted)
		ret = pd_error(EFAULT, "PE %u, tasklet %u: %s", launch.fault_pe,
			       launch.fault_tasklet, launch.fault);
	return ret ? ret : pd_present(sys, first_pe, nr_pes);
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
	barrier_wait(&pe->team->barrier);
}

void *pimdimm_wram(struct pimdimm_pe *pe)
{
	struct team *team = pe->team;

	/* tasklets meet between PEs: no order is needed, nor a shared store */
	if (!atomic_load_explicit(&team->wram_whole, memory_order_relaxed))
		atomic_store_explicit(&team->wram_whole, true,
				      memory_order_relaxed);
	return team->wram;
}

void *pimdimm_wram_alloc(struct pimdimm_pe *pe, size_t bytes)
{
	struct team *team = pe->team;
	size_t left = atomic_load(&team->wram_left);

	do {
		if (!bytes || bytes > left)
			return NULL;
	} while (!atomic_compare_exchange_weak(&team->wram_left, &left,
					       (left - bytes) & ~(size_t)7));
	return team->wram + ((left - bytes) & ~(size_t)7);
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

/* what the hardware's DMA engine takes */
static int dma_check(struct pimdimm_pe *pe, const char *what, uint64_t off,
		     const void *wram, size_t bytes)
{
	uint64_t size = pe->team->launch->sys->geometry.mram_size;

	if (off % 8)
		return dma_fault(pe, "%s: off=%llu, expected a multiple of 8",
				 what, (unsigned long long)off);
	if (!wram || (uintptr_t)wram % 8)
		return dma_fault(pe, "%s: wram=%p, expected it aligned to 8",
				 what, wram);
	if (bytes < 8 || bytes > DMA_MAX || bytes % 8)
		return dma_fault(pe,
				 "%s: bytes=%zu, expected a multiple of 8 from 8 to %d",
				 what, bytes, DMA_MAX);
	if (off > size || bytes > size - off)
		return dma_fault(pe,
				 "%s: off=%llu and %zu bytes reach past the MRAM of %llu bytes",
				 what, (unsigned long long)off, bytes,
				 (unsigned long long)size);
	return 0;
}

/* What a PE moves is neither the host's blocks nor its memory. */
static struct pd_counting dma_begin(size_t bytes)
{
	if (pd_counts_now())
		pd_count_pe(bytes);
	return pd_counting_enter(NULL, NULL);
}

int pimdimm_mram_read(struct pimdimm_pe *pe, uint64_t off, void *wram,
		      size_t bytes)
{
	int ret = dma_check(pe, "mram_read", off, wram, bytes);
	struct pd_counting before;

	if (ret)
		return ret;
	before = dma_begin(bytes);
	pd_pe_read(pe->team->launch->sys, pe->team->pe, off, wram, bytes);
	pd_counting_leave(before);
	return 0;
}

int pimdimm_mram_write(struct pimdimm_pe *pe, uint64_t off, const void *wram,
		       size_t bytes)
{
	int ret = dma_check(pe, "mram_write", off, wram, bytes);
	struct pd_counting before;

	if (ret)
		return ret;
	before = dma_begin(bytes);
	pd_pe_write(pe->team->launch->sys, pe->team->pe, off, wram, bytes);
	pd_counting_leave(before);
	return 0;
}

// SPDX-License-Identifier: MIT
/* A run of resident kernels: made as a whole before anything runs, and taken apart. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/base/error.h"
#include "runtime/base/util.h"
#include "runtime/pe/resident/barrier.h"
#include "runtime/pe/resident/parcels.h"
#include "runtime/pe/resident/resident.h"
#include "runtime/pe/resident/schedule.h"
#include "runtime/ranks/system.h"
#include "runtime/watch/report.h"
#include "runtime/watch/timeline.h"

#define STACK_DEFAULT	65536
#define STACK_LEAST	16384
#define STACK_UNIT	4096
/* transfers of a thread that nothing has come for, before others get their turn */
#define DMAS_IN_A_ROW	64

static const struct pd_resident_hooks no_hooks;

static void make_progress(struct pimdimm_pe *pe)
{
	const struct pd_resident_hooks *hooks = pd_thread_of(pe)->home->run->hooks;

	if (hooks->progress)
		hooks->progress(hooks->ctx, pe);
}

static void give_turn(struct pimdimm_pe *pe)
{
	struct pd_thread *me = pd_thread_of(pe);

	pe->dmas = 0;
	make_progress(pe);
	me->home->yields -= me->home->yields > 0;
	pd_schedule_ready(me->home, me);
	pd_schedule_away(me);
}

/* What has come is not kept waiting by a thread that only moves bytes. */
static void after_dma(struct pimdimm_pe *pe)
{
	if (pe->dmas >= DMAS_IN_A_ROW ||
	    atomic_load_explicit(&pd_thread_of(pe)->home->inbox,
				 memory_order_relaxed))
		give_turn(pe);
	else
		make_progress(pe);
}

static const struct pd_kernel_kind resident = {
	.barrier = pd_barrier_wait,
	.yield = give_turn,
	.dma = after_dma,
};

static void run_body(struct pd_thread *t)
{
	const struct pd_run *run = t->home->run;

	if (t->born) {
		run->call.kernel(&t->pe, run->arg);
		pd_barrier_leave(t);
	} else {
		t->entry(&t->pe, t->frame);
	}
}

static void *take_zeros(size_t count, size_t bytes)
{
	size_t all = pd_round_up(count * bytes, 64);
	void *p = aligned_alloc(64, all);

	if (p)
		memset(p, 0, all);
	return p;
}

static void *map_wram(const struct pd_run *run)
{
	void *p = mmap(NULL, run->call.nr_pes * run->call.sys->geometry.wram_size,
		       PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void make_tasklet(struct pd_run *run, struct pd_home *home, unsigned int i)
{
	struct pd_thread *t = &home->tasklets[i];

	*t = (struct pd_thread){
		.pe = { .place = &home->place, .kind = &resident, .tasklet = i },
		.home = home,
		.born = home,
		.number = (uint64_t)(t - run->tasklets) + 1,
	};
	pd_schedule_ready(home, t);
}

static void make_home(struct pd_run *run, uint32_t i, uint64_t *full)
{
	const struct pimdimm_geometry *g = &run->call.sys->geometry;
	struct pd_home *home = &run->homes[i];
	unsigned int n = run->call.nr_tasklets;

	*home = (struct pd_home){
		.place = {
			.sys = run->call.sys,
			.faults = &run->call.faults,
			.wram = run->wram + i * g->wram_size,
			.wram_left = g->wram_size,
			.pe = run->call.first_pe + i,
			.resident = true,
			.dmas_in_a_row = 1,
		},
		.run = run,
		.tasklets = &run->tasklets[(size_t)i * n],
		.at_barrier = &run->at_barrier[(size_t)i * n],
		.here = UINT32_MAX >> (32 - n),
		.full = full + i * (g->wram_size / sizeof(struct pimdimm_wide) / 64),
	};
	for (unsigned int t = 0; t < n; t++)
		make_tasklet(run, home, t);
}

/* PEs in order, an equal part of them for each worker. */
static void share_homes(struct pd_run *run)
{
	for (uint32_t i = 0; i < run->call.nr_pes; i++) {
		uint64_t w = (uint64_t)i * run->nr_workers / run->call.nr_pes;

		pd_schedule_put(run, &run->workers[w], &run->homes[i]);
	}
}

static bool take_memory(struct pd_run *run)
{
	size_t pes = run->call.nr_pes, tasklets = pes * run->call.nr_tasklets;

	run->homes = take_zeros(pes, sizeof(*run->homes));
	run->tasklets = take_zeros(tasklets, sizeof(*run->tasklets));
	run->at_barrier = calloc(tasklets, sizeof(*run->at_barrier));
	run->full = calloc(pes, run->call.sys->geometry.wram_size /
					sizeof(struct pimdimm_wide) / 8);
	run->workers = take_zeros(run->nr_workers, sizeof(*run->workers));
	run->wram = map_wram(run);
	if (!run->homes || !run->tasklets || !run->at_barrier || !run->full ||
	    !run->workers || !run->wram)
		return false;
	run->stacks = pd_stacks_take(&run->call.sys->stacks,
				     (unsigned int)tasklets, run->stack_bytes);
	return run->stacks;
}

static void give_memory(struct pd_run *run)
{
	if (run->stacks)
		pd_stacks_put(&run->call.sys->stacks, run->stacks);
	if (run->wram)
		munmap(run->wram, run->call.nr_pes *
					  run->call.sys->geometry.wram_size);
	free(run->workers);
	free(run->full);
	free(run->at_barrier);
	free(run->tasklets);
	free(run->homes);
}

static void make_run(struct pd_run *run)
{
	for (unsigned int i = 0; i < run->nr_workers; i++)
		run->workers[i].run = run;
	for (uint32_t i = 0; i < run->call.nr_pes; i++)
		make_home(run, i, run->full);
	run->workers[0].started = (uint64_t)run->call.nr_pes * run->call.nr_tasklets;
	share_homes(run);
}

/* Its threads may have been given up where they wait. */
static void end_threads(struct pd_run *run)
{
	size_t n = (size_t)run->call.nr_pes * run->call.nr_tasklets;

	for (size_t i = 0; i < n; i++)
		if (run->tasklets[i].begun && !run->tasklets[i].ended)
			pd_fiber_free(&run->tasklets[i].pe.fiber);
	pd_parcels_free(run);
}

static void tell_results(struct pd_run *run, uint64_t start)
{
	struct pimdimm_spmd *how = run->how;
	struct pd_tracks *tracks = run->call.sys->tracks;
	uint64_t now = pd_now_ns();

	how->order = how->hops = how->switches = 0;
	for (unsigned int i = 0; i < run->nr_workers; i++) {
		how->order += run->workers[i].order;
		how->hops += run->workers[i].hops;
		how->switches += run->workers[i].switches;
	}
	how->ns = now - start;
	for (uint32_t i = 0; i < run->call.nr_pes; i++)
		if (run->homes[i].begun_ns)
			pd_timeline_pe(tracks, run->homes[i].place.pe, "kernel",
				       run->homes[i].begun_ns, now);
}

static void work(void *ctx, uint64_t first, uint64_t count)
{
	struct pd_run *run = ctx;

	for (uint64_t i = first; i < first + count; i++)
		pd_schedule_work(&run->workers[i]);
}

static int say_how_it_ended(const struct pd_run *run)
{
	if (run->ret == -EDEADLK)
		return pd_error(EDEADLK, "%s", run->deadlock);
	if (run->ret)
		return pd_error(-run->ret,
				"no memory for the stack of a parcel's thread");
	return 0;
}

static int run_threads(struct pd_run *run)
{
	const struct pd_resident_hooks *hooks = run->hooks;
	uint64_t start = pd_now_ns();
	pthread_condattr_t clock;

	pthread_mutex_init(&run->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&run->change, &clock);
	make_run(run);
	if (hooks->begin)
		hooks->begin(hooks->ctx, run);
	pd_workers_run(run->call.sys->workers, run->nr_workers, 1, work, run);
	if (hooks->end)
		hooks->end(hooks->ctx, run, run->ret);
	tell_results(run, start);
	end_threads(run);
	pthread_cond_destroy(&run->change);
	pthread_condattr_destroy(&clock);
	pthread_mutex_destroy(&run->lock);
	return say_how_it_ended(run);
}

static int run_resident(struct pd_kernel_call *call)
{
	struct pd_run *run = (struct pd_run *)call;
	const struct pd_resident_hooks *hooks = call->sys->resident;
	int ret;

	run->hooks = hooks ? hooks : &no_hooks;
	run->nr_workers = run->drawn ? 1 :
					pd_workers_threads(call->sys->workers);
	if (run->nr_workers > call->nr_pes)
		run->nr_workers = call->nr_pes;
	if (take_memory(run))
		ret = run_threads(run);
	else
		ret = pd_error(ENOMEM,
			       "no memory for the WRAM of %u PEs and stacks of %zu bytes for %u tasklets each",
			       call->nr_pes, run->stack_bytes, call->nr_tasklets);
	give_memory(run);
	return ret;
}

static int check_how(const struct pimdimm_spmd *how)
{
	if (!how)
		return pd_error(EINVAL, "how is NULL");
	if (how->size != sizeof(*how))
		return pd_error(EINVAL, "how->size=%u, expected %zu", how->size,
				sizeof(*how));
	if (how->reserved)
		return pd_error(EINVAL, "how->reserved=%u, expected 0",
				how->reserved);
	if (how->stack_bytes && (how->stack_bytes < STACK_LEAST ||
				 how->stack_bytes > PD_FIBER_STACK ||
				 how->stack_bytes % STACK_UNIT))
		return pd_error(EINVAL,
				"how->stack_bytes=%u, expected 0 or a multiple of %d from %d to %llu",
				how->stack_bytes, STACK_UNIT, STACK_LEAST,
				(unsigned long long)PD_FIBER_STACK);
	return 0;
}

int pimdimm_spmd(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		 pimdimm_kernel kernel, void *arg, struct pimdimm_spmd *how)
{
	struct pd_run run = {
		.call = {
			.sys = sys,
			.first_pe = first_pe,
			.nr_pes = nr_pes,
			.kernel = kernel,
			.name = "spmd",
			.run = run_resident,
		},
		.how = how,
		.arg = arg,
		.body = run_body,
	};
	int ret = check_how(how);

	if (ret)
		return ret;
	run.call.nr_tasklets = how->nr_tasklets;
	run.random = how->seed;
	run.drawn = how->seed;
	run.stack_bytes = how->stack_bytes ? how->stack_bytes : STACK_DEFAULT;
	return pd_kernel_call(&run.call);
}

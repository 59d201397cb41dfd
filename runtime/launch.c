// SPDX-License-Identifier: MIT
/*
 * PE kernels. A team takes one PE after the other, and there are as many teams as
 * workers. The tasklets of a team are contexts of the one thread that runs it:
 * they hand it to each other where they wait.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"
#include "runtime/base/fiber.h"
#include "runtime/base/fpenv.h"
#include "runtime/pe/kernels/turns.h"
#include "runtime/ranks/owner.h"
#include "runtime/ranks/system.h"
#include "runtime/watch/timeline.h"

/*
 * A tasklet may look into MRAM for what another one is to write: after so many
 * transfers without a wait it lets the others run.
 */
#define DMAS_IN_A_ROW 64

struct launch {
	struct pd_kernel_call call;
	uint32_t end_pe;
	void *arg;
	_Atomic uint32_t next_pe;
	struct team *teams;
	unsigned int nr_teams;
};

struct team {
	struct pd_place place;	/* the PE that it has taken; its tasklets find it here */
	struct launch *launch;
	bool over;		/* there is no further PE */
	struct pd_fiber thread;	/* whose tasklets they are */
	struct pd_stacks *stacks;
};

static struct team *team_of(const struct pimdimm_pe *pe)
{
	return (struct team *)pe->place;
}

/* Zero again, and all there; what no tasklet asked for is zero still. */
static void renew_wram(struct team *team)
{
	size_t bytes = team->launch->call.sys->geometry.wram_size;
	size_t from = team->place.wram_whole ? 0 : team->place.wram_left;

	memset(team->place.wram + from, 0, bytes - from);
	team->place.wram_left = bytes;
	team->place.wram_whole = false;
}

/* Make the team's state that of a PE whose tasklets are about to start. */
static bool take_pe(struct team *team)
{
	struct launch *launch = team->launch;

	team->place.pe = atomic_fetch_add(&launch->next_pe, 1);
	if (team->place.pe >= launch->end_pe)
		return false;
	renew_wram(team);
	pd_turns_begin(&team->place, launch->call.nr_tasklets);
	return true;
}

static void end_tasklet(struct pimdimm_pe *me)
{
	struct pimdimm_pe *next = pd_turns_end(me);

	pd_fiber_switch(&me->fiber, next ? &next->fiber : &team_of(me)->thread);
}

/* A tasklet of all the PEs that its team takes. */
static void tasklet_main(void *arg)
{
	struct pimdimm_pe *me = arg;
	struct team *team = team_of(me);

	while (!team->over) {
		pd_fpenv_enter();
		errno = 0;
		team->launch->call.kernel(me, team->launch->arg);
		end_tasklet(me);
	}
	pd_fiber_exit(&me->fiber, &team->thread);
}

static void start_tasklets(struct team *team)
{
	pd_fiber_begin(&team->thread);
	for (unsigned int i = 0; i < team->launch->call.nr_tasklets; i++)
		pd_fiber_make(&team->place.tasklets[i].fiber,
			      pd_stack_of(team->stacks, i), tasklet_main,
			      &team->place.tasklets[i]);
}

static void end_tasklets(struct team *team)
{
	team->over = true;
	for (unsigned int i = 0; i < team->launch->call.nr_tasklets; i++) {
		pd_fiber_switch(&team->thread, &team->place.tasklets[i].fiber);
		pd_fiber_free(&team->place.tasklets[i].fiber);
	}
}

/* Run the tasklets of the PE that was taken; one alone has nobody to wait for. */
static void run_pe(struct team *team)
{
	struct launch *launch = team->launch;
	struct pd_span span;

	if (pd_timeline_on())
		span = pd_timeline_pe_start(launch->call.sys->tracks, team->place.pe,
					    "kernel");
	else
		span = (struct pd_span){ 0 };
	if (team->stacks)
		pd_fiber_switch(&team->thread, &team->place.tasklets[0].fiber);
	else
		launch->call.kernel(&team->place.tasklets[0], launch->arg);
	if (span.start)
		pd_timeline_pe_stop(launch->call.sys->tracks, team->place.pe, &span);
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

	pd_pe_kernel_enter(&kernel, team->launch->call.sys, &team->place.pe);
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
	unsigned int n = launch->call.nr_tasklets;

	*team = (struct team){
		.launch = launch,
		.place = {
			.sys = launch->call.sys,
			.faults = &launch->call.faults,
			.wram_whole = true,
			.dmas_in_a_row = DMAS_IN_A_ROW,
		},
	};
	team->place.wram = aligned_alloc(64, launch->call.sys->geometry.wram_size);
	team->place.tasklets = calloc(n, sizeof(*team->place.tasklets));
	if (!team->place.wram || !team->place.tasklets)
		return false;
	for (unsigned int i = 0; i < n; i++) {
		team->place.tasklets[i].place = &team->place;
		team->place.tasklets[i].tasklet = i;
	}
	if (n > 1)
		team->stacks = pd_stacks_take(&launch->call.sys->stacks, n,
					      PD_FIBER_STACK);
	return n == 1 || team->stacks;
}

/* keep: its stacks, for the next launch */
static void team_release(struct team *team, bool keep)
{
	free(team->place.wram);
	free(team->place.tasklets);
	if (team->stacks && keep)
		pd_stacks_put(&team->launch->call.sys->stacks, team->stacks);
	else if (team->stacks)
		pd_stacks_unmap(team->stacks);
}

static int run_launch(struct launch *launch, uint32_t nr_pes)
{
	struct pd_workers *workers = launch->call.sys->workers;
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
			teams, launch->call.nr_tasklets);
}

static int launch_kernels(struct pd_kernel_call *call)
{
	return run_launch((struct launch *)call, call->nr_pes);
}

int pimdimm_launch(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		   unsigned int nr_tasklets, pimdimm_kernel kernel, void *arg)
{
	struct launch launch = {
		.call = {
			.sys = sys,
			.first_pe = first_pe,
			.nr_pes = nr_pes,
			.nr_tasklets = nr_tasklets,
			.kernel = kernel,
			.name = "launch",
			.run = launch_kernels,
		},
		.end_pe = first_pe + nr_pes,
		.arg = arg,
		.next_pe = first_pe,
	};

	return pd_kernel_call(&launch.call);
}

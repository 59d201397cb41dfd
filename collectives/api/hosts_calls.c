// SPDX-License-Identifier: MIT
/* Calls on hypercubes over several hosts: begun and ended by all, or refused by one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/machine/trials.h"
#include "runtime/ranks/system.h"
#include "collectives/algorithms/mailed.h"
#include "collectives/algorithms/staged.h"
#include "collectives/algorithms/table.h"
#include "collectives/api/hosts_calls.h"
#include "collectives/api/queue.h"
#include "collectives/call/call.h"
#include "collectives/call/mail.h"
#include "collectives/cubes/cubes.h"

int pc_hosts_serves(const struct pidcomm *hc, const struct pc_algorithm *algorithm)
{
	const struct pc_cubes *c = pc_cubes_of(hc);
	const bool direct = !strcmp(algorithm->name, "direct");

	if (direct && !c->crew.mapped)
		return pd_error(EOPNOTSUPP,
				"algorithm=direct works on all hosts' MRAM, which is not mapped: %s",
				c->unmapped);
	if (direct || !strcmp(algorithm->name, "conventional") ||
	    !strcmp(algorithm->name, "staged"))
		return 0;
	return pd_error(EOPNOTSUPP, "algorithm=%s does not serve hypercubes over several hosts",
			algorithm->name);
}

int pc_hosts_may_start(const struct pidcomm *hc)
{
	if (!hc->crew || !hc->crew->mail || hc->crew->mail->any_thread)
		return 0;
	return pd_error(EOPNOTSUPP,
			"requests of hosts on several machines need a transport that any thread may use, as MPI with MPI_THREAD_MULTIPLE");
}

/* bytes of all members from which on hosts do more than wait for each other */
#define SHARED_BYTES	(1 << 20)

static bool is_of_vectors(enum pc_collective id)
{
	return id == PC_REDUCE || id == PC_BROADCAST;
}

/*
 * The algorithms that are tried, the one that is best as a rule first. Without the others' MRAM
 * all goes through host memory. So do large vectors that few hosts have, where all can work on
 * them. What is not folded is moved twice by `staged`: that is never tried.
 */
static unsigned int algorithms_of(const struct pidcomm *hc, const struct pc_args *a,
				  const struct pc_shape *shape, bool all, uint8_t list[PC_NR_WAYS])
{
	unsigned int n = 0;

	if (!hc->crew->mapped) {
		list[n++] = PC_WAY_STAGED;
		return n;
	}
	if (all && is_of_vectors(a->id) && a->bytes * hc->cube.nr_pes >= SHARED_BYTES &&
	    pc_crew_is_uneven(hc->crew, shape))
		list[n++] = PC_WAY_SHARED;
	list[n++] = PC_WAY_DIRECT;
	if (all && (pc_traits[a->id].reduces || is_of_vectors(a->id)))
		list[n++] = PC_WAY_STAGED;
	return n;
}

/* Each with the ways to store that are tried, first as it is known from elsewhere. */
static unsigned int ways_of(const struct pidcomm *hc, const struct pc_args *a,
			    const struct pc_shape *shape, const struct pc_algorithm *chosen,
			    uint64_t bytes, struct pc_way ways[PC_CHOICES_WAYS])
{
	const struct pimdimm *view = hc->crew->view;
	const enum pd_stores guess = pd_stores_for(view, view->nt, bytes);
	const enum pd_stores other = guess == PD_STORES_AROUND ?
				     pd_stores_for(view, PD_NT_NEVER, bytes) : PD_STORES_AROUND;
	const bool large = bytes >= PD_TRIALS_LEAST;
	const bool both = large && view->nt == PD_NT_AUTO &&
			  (!chosen || chosen == pc_algorithm_auto(a->id));
	uint8_t algorithms[PC_NR_WAYS];
	unsigned int n = algorithms_of(hc, a, shape, large && !chosen, algorithms), count = 0;

	for (unsigned int i = 0; i < n; i++) {
		ways[count++] = (struct pc_way){ .algorithm = algorithms[i], .stores = guess };
		if (both)
			ways[count++] = (struct pc_way){ .algorithm = algorithms[i],
							 .stores = other };
	}
	return count;
}

static uint64_t kind_of_call(const struct pidcomm *hc, const struct pc_args *a,
			     const struct pc_shape *s, const struct pc_algorithm *chosen)
{
	uint64_t what = (uint64_t)a->id << 1 | !!chosen;

	what = what << 4 | s->lanes.bits;
	what = what << 18 | s->egs;
	what = what << 18 | s->sets;
	what = what << 1 | (a->src == a->dst && pc_allows_in_place(a->id));
	what = what << 4 | (pc_traits[a->id].reduces ? a->type + 1u : 0);
	return what << 9 | (pc_is_rooted(a->id) && hc->crew->root != PIDCOMM_HOME ?
			    hc->crew->root + 1 : 0);
}

struct pc_way pc_hosts_propose(struct pidcomm *hc, const struct pc_args *a,
			       const struct pc_shape *shape, const struct pc_algorithm *chosen,
			       uint64_t bytes)
{
	struct pc_cubes *c = pc_cubes_of(hc);
	const struct pc_choice_kind kind = { kind_of_call(hc, a, shape, chosen), bytes };
	struct pc_way ways[PC_CHOICES_WAYS] = { 0 };
	unsigned int count;

	c->choices.current = NULL;
	if (c->crew.mail)
		return (struct pc_way){
			.algorithm = PC_WAY_STAGED,
			.stores = pd_stores_for(c->crew.view, c->crew.view->nt, bytes),
		};
	if (c->crew.host)
		return *ways;
	count = ways_of(hc, a, shape, chosen, bytes, ways);
	return count > 1 ? pc_choices_begin(&c->choices, &kind, ways, count) : *ways;
}

const struct pc_algorithm *pc_hosts_choose(const struct pidcomm *hc, const struct pc_args *a)
{
	const enum pc_way_algorithm way = hc->crew->way.algorithm;

	if (way == PC_WAY_STAGED)
		return pc_algorithm_staged(a->id);
	/* buffers that all map are worked on as they are */
	if (way == PC_WAY_SHARED && is_of_vectors(a->id) && !hc->crew->bufs)
		return pc_algorithm_shared(a->id);
	return pc_algorithm_auto(a->id);
}

const char *pc_hosts_why(const struct pidcomm *hc)
{
	static const char *const whys[PC_NR_WHYS] = {
		[PC_WHY_FIRST] = "auto: first that serves",
		[PC_WHY_TRIED] = "auto: hosts try it",
		[PC_WHY_FASTEST] = "auto: fastest of those that hosts tried",
	};

	return whys[hc->crew->way.why];
}

int pc_hosts_reserve(struct pc_request *req, const struct pc_algorithm *chosen)
{
	if (!req->crew->mail || !req->bytes)
		return 0;
	return pc_mailed_reserve(req, chosen && !strcmp(chosen->name, "conventional"));
}

int pc_hosts_begin(struct pidcomm *hc, const struct pc_args *a, const struct pc_shape *shape,
		   const struct pc_algorithm *chosen, struct pc_way way, int refused)
{
	struct pc_cubes *c = pc_cubes_of(hc);
	int ret = pc_cubes_begin(hc, a, shape, chosen ? chosen->name : "auto", way, refused);

	/* of all threads: memory of other hosts is mapped where one of them first touches it */
	if (!ret && c->crew.way.why == PC_WHY_TRIED)
		c->faults = pd_page_faults(RUSAGE_SELF);
	return ret;
}

enum pc_phase pc_hosts_only_phase(enum pc_collective id)
{
	if (pc_writes_host(id))
		return PC_PHASE_PULL;
	return pc_reads_host(id) ? PC_PHASE_PUSH : PC_PHASE_REGISTERS;
}

/*
 * What this host has moved, and what the phases took; of a call that has none, so many nanoseconds
 * of its own.
 */
static void keep_call(const struct pc_call *call, uint64_t ns, struct pimdimm_hosts_stats *stats)
{
	const struct pc_counts *n = &call->counts;
	uint64_t phase_ns[PC_NR_PHASES], all = 0;

	memcpy(phase_ns, call->phase_ns, sizeof(phase_ns));
	for (int i = 0; i < PC_NR_PHASES; i++)
		all += phase_ns[i];
	if (!all)
		phase_ns[pc_hosts_only_phase(call->req->id)] = ns;
	stats->loaded = PIMDIMM_BLOCK_BYTES * n->blocks_read + n->host_read;
	stats->stored = PIMDIMM_BLOCK_BYTES * n->blocks_written + n->host_written;
	stats->ns_to_host = phase_ns[PC_PHASE_PULL];
	stats->ns_fold = phase_ns[PC_PHASE_HOST];
	stats->ns_to_mram = phase_ns[PC_PHASE_PUSH];
}

int pc_hosts_end(const struct pc_call *call, uint64_t begun, int ret)
{
	struct pidcomm *hc = call->req->hc;
	struct pc_cubes *c = pc_cubes_of(hc);
	const bool unstaged = c->crew.unstaged;
	const uint64_t ns = pd_now_ns() - begun;

	c->hosts->faulted = c->crew.way.why == PC_WHY_TRIED &&
			    pd_page_faults(RUSAGE_SELF) != c->faults;
	ret = pc_cubes_end(hc, ret);
	keep_call(call, ns, &c->hosts->stats);
	pc_choices_end(&c->choices, ret || unstaged ? 0 : pd_now_ns() - begun, c->crew.bufs,
		       c->hosts->faulted);
	return ret;
}

int pc_hosts_refuse_job(struct pidcomm *hc, enum pc_collective id, int ret)
{
	const struct pc_args args = { .id = id };

	return hc && hc->crew ? pc_cubes_begin(hc, &args, NULL, "", (struct pc_way){ 0 }, ret) : ret;
}

int pc_hosts_refuse(struct pidcomm *hc, enum pc_collective id, int ret)
{
	struct pd_error_text kept;

	if (!hc || !hc->crew || ret == -EBUSY)
		return ret;
	pd_error_save(&kept);
	pc_queue_idle(hc);
	pd_error_restore(&kept);
	return pc_hosts_refuse_job(hc, id, ret);
}

void pc_hosts_forget(struct pidcomm *hc)
{
	pc_cubes_leave(pc_cubes_of(hc));
	free(hc->crew);
	hc->staging = NULL;	/* was memory of the hosts */
}

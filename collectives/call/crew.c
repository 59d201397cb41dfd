// SPDX-License-Identifier: MIT
/* Items of a call are dealt out over several processes that make it together. */
#include <stdatomic.h>
#include <stdbool.h>

#include <pimdimm/hosts.h>

#include "collectives/call/crew.h"
#include "collectives/call/shape.h"
#include "runtime/machine/workers.h"

/*
 * One in so many tickets of a host's part is left to it where all hosts run at the same time: it
 * is working on them, and needs less time than another host, which would map their memory first.
 */
#define LEFT_TO_OWNER	8

/* what the workers of this host do of a run */
struct crew_run {
	const struct pc_crew *crew;
	const struct pc_crew_items *of;
	uint32_t tag;
	uint64_t tickets;
	uint64_t first;			/* item of those that are its own */
	_Atomic bool over;		/* no ticket is left for this host, nor will be */
};

/* The host's part of the tickets. */
static uint64_t part_begin(const struct crew_run *run, uint32_t host)
{
	return run->tickets * host / run->crew->hosts;
}

/* Whether a host's part, of which so many are left, is to be worked on by this one. */
static bool may_take(const struct pc_crew *crew, uint32_t host, uint64_t left, uint64_t count)
{
	if (host == crew->host || !crew->at_once)
		return left > 0;
	return left * LEFT_TO_OWNER > count;
}

static bool take_of(const struct crew_run *run, uint32_t host, uint64_t *ticket)
{
	uint64_t begin = part_begin(run, host), count = part_begin(run, host + 1) - begin;
	_Atomic uint64_t *line = &run->crew->lines[host].taken;
	uint64_t was = atomic_load_explicit(line, memory_order_relaxed), taken;

	do {
		/* of an earlier run: nobody has taken any of this one */
		taken = was >> 32 == run->tag ? (uint32_t)was : 0;
		if (taken >= count || !may_take(run->crew, host, count - taken, count))
			return false;
	} while (!atomic_compare_exchange_weak(line, &was, (uint64_t)run->tag << 32 | (taken + 1)));
	*ticket = begin + taken;
	return true;
}

/* Who has found nothing looks no more: others' lines are theirs to write. */
static bool take_ticket(struct crew_run *run, uint64_t *ticket)
{
	const struct pc_crew *crew = run->crew;

	if (atomic_load_explicit(&run->over, memory_order_relaxed))
		return false;
	for (uint32_t i = 0; i < crew->hosts; i++) {
		if (take_of(run, (crew->host + i) % crew->hosts, ticket))
			return true;
	}
	atomic_store_explicit(&run->over, true, memory_order_relaxed);
	return false;
}

/* As many tickets as there are, whichever come. */
static uint64_t crew_work_tickets(void *ctx, uint64_t first, uint64_t count,
				  enum pd_stores stores)
{
	struct crew_run *run = ctx;
	const struct pc_crew_items *of = run->of;
	uint64_t work = 0, ticket;

	(void)first;
	while (count-- && take_ticket(run, &ticket)) {
		uint64_t at = ticket * of->grain, n = of->items - at;

		work += of->fn(of->ctx, at, n < of->grain ? n : of->grain, stores);
	}
	return work;
}

static void crew_work_tickets_so(void *ctx, uint64_t first, uint64_t count)
{
	const struct crew_run *run = ctx;

	crew_work_tickets(ctx, first, count, run->of->stores);
}

static uint64_t crew_work_own(void *ctx, uint64_t first, uint64_t count,
			      enum pd_stores stores)
{
	const struct crew_run *run = ctx;

	return run->of->fn(run->of->ctx, run->first + first, count, stores);
}

static void crew_work_own_so(void *ctx, uint64_t first, uint64_t count)
{
	const struct crew_run *run = ctx;

	crew_work_own(ctx, first, count, run->of->stores);
}

/* how many numbers in order are less than one */
static uint32_t numbers_before(const uint32_t *numbers, uint32_t count, uint32_t than)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t at = (low + high) / 2;

		if (numbers[at] < than)
			low = at + 1;
		else
			high = at;
	}
	return low;
}

void pc_crew_sets_of(const struct pc_crew *crew, uint32_t host, const struct pc_shape *s,
		     uint32_t *first, uint32_t *end)
{
	if (crew->root == PIDCOMM_HOME) {
		*first = numbers_before(s->base, s->sets, crew->first_eg[host]);
		*end = numbers_before(s->base, s->sets, crew->first_eg[host + 1]);
		return;
	}
	*first = 0;
	*end = crew->root == host ? s->sets : 0;
}

void pc_crew_sets(const struct pc_crew *crew, const struct pc_shape *s, uint32_t *first,
		  uint32_t *end)
{
	pc_crew_sets_of(crew, crew->host, s, first, end);
}

bool pc_crew_is_uneven(const struct pc_crew *crew, const struct pc_shape *s)
{
	uint32_t before = 0, most = 0;

	if (crew->root != PIDCOMM_HOME)
		return crew->hosts > 1;
	for (uint32_t i = 0; i < crew->hosts; i++) {
		uint32_t end = numbers_before(s->base, s->sets, crew->first_eg[i + 1]);

		most = end - before > most ? end - before : most;
		before = end;
	}
	return (uint64_t)most * crew->hosts >= 2 * (uint64_t)s->sets && crew->hosts > 1;
}

void pc_crew_egs_of(const struct pc_crew *crew, uint32_t host, const struct pc_shape *s,
		    uint32_t set, uint32_t *first, uint32_t *end)
{
	const uint32_t base = s->base[set], *own = &crew->first_eg[host];

	*first = own[0] > base ? numbers_before(s->off, s->egs, own[0] - base) : 0;
	*end = own[1] > base ? numbers_before(s->off, s->egs, own[1] - base) : 0;
}

void pc_crew_egs(const struct pc_crew *crew, const struct pc_shape *s, uint32_t set,
		 uint32_t *first, uint32_t *end)
{
	pc_crew_egs_of(crew, crew->host, s, set, first, end);
}

uint32_t pc_crew_owner(const struct pc_crew *crew, uint32_t eg)
{
	uint32_t low = 0, high = crew->hosts;

	while (low + 1 < high) {
		uint32_t at = (low + high) / 2;

		if (crew->first_eg[at] <= eg)
			low = at;
		else
			high = at;
	}
	return low;
}

static bool crew_begin_run(struct pc_crew *crew)
{
	if (crew->runs && !crew->err)
		crew->err = crew->meet(crew, crew->runs);
	crew->runs++;
	return !crew->err;
}

static void crew_do(struct crew_run *run, uint64_t items, uint64_t grain, pd_part_fn tries,
		    pd_work_fn does)
{
	const struct pc_crew_items *of = run->of;

	if (of->trial)
		pd_trial_run(of->trial, of->workers, items, grain, tries, run);
	else
		pd_workers_run(of->workers, items, grain, does, run);
}

void pc_crew_run(struct pc_crew *crew, const struct pc_crew_items *of)
{
	struct crew_run run = {
		.crew = crew,
		.of = of,
		.tag = crew->tag + crew->runs,
		.tickets = (of->items + of->grain - 1) / of->grain,
	};
	uint64_t items = of->items;
	uint32_t first, end;

	if (!crew_begin_run(crew))
		return;
	if (of->share == PC_SHARE_ANY) {
		crew_do(&run, run.tickets, 1, crew_work_tickets, crew_work_tickets_so);
		return;
	}
	if (of->share == PC_SHARE_ROOTS) {
		pc_crew_sets(crew, of->shape, &first, &end);
		run.first = of->items * first / of->shape->sets;
		items = of->items * end / of->shape->sets - run.first;
	}
	if (items)
		crew_do(&run, items, of->grain, crew_work_own, crew_work_own_so);
}

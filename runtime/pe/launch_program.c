// SPDX-License-Identifier: MIT
/* pimdimm_run(): entangled groups of PEs, which threads take one by one, each with a worker. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "runtime/ranks/inject.h"
#include "runtime/ranks/owner.h"
#include "runtime/pe/broker.h"
#include "runtime/pe/draw.h"
#include "runtime/pe/entries.h"
#include "runtime/pe/keep.h"
#include "runtime/pe/options.h"
#include "runtime/pe/mail.h"
#include "runtime/pe/stops.h"
#include "runtime/pe/times.h"
#include "runtime/pe/told.h"
#include "runtime/watch/drawn.h"
#include "runtime/watch/timeline.h"

struct launch {
	struct pimdimm *sys;
	struct pd_entry *entries;
	uint32_t nr_entries;
	uint32_t first_pe, nr_in_row;	/* none: the PEs are not numbered in a row */
	struct pd_task *tasks;
	uint32_t nr_tasks;
	uint32_t *due;		/* tasks of the round */
	uint32_t nr_due;
	bool alone;		/* one thread enters all PEs of the round, and stays: */
	struct pd_still still;
	struct pd_keeper keeper;
	struct pd_options options;
	bool asked;		/* for its timeout, by the caller */
	bool compat;
	/* a PE did not end in time: no other begins. Its own, or several launches' */
	uint32_t *over, own_over;
	_Atomic bool caught;	/* a fault, by PIMDIMM_ON_FAULT */
	uint8_t *faulted;

	struct pd_post post;

	pthread_mutex_t lock;	/* of what follows */
	struct pimdimm_run report;
	bool told;		/* reports are, of each tasklet: */
	struct pd_tasklet slowest[PE_PLACES];
	uint32_t nr_stopped;
	const struct pd_entry *first;	/* of those that faulted, by PE */
	struct pd_end first_end;
	uint64_t busy_ns;	/* of all threads */
	uint64_t emulation_ns;
	int error;
	char why[256];
	char name[64];		/* of its program, for reports */
};

static bool is_over(const struct launch *l)
{
	return pd_is_over(l->over);
}

static void drop_entry(struct launch *l, struct pd_entry *e)
{
	e->faulted = true;
	pd_stay_free(e->stay);
	e->stay = NULL;
	pd_post_drop(&l->post, e);
	l->report.nr_faulted++;
	if (l->faulted)
		l->faulted[e->index] = 1;
}

/*
 * Keep the fault if it is of the lowest PE so far. To put it into words takes time
 * that the size of the program's file decides: it is done once.
 */
static void note_fault(struct launch *l, struct pd_entry *e,
		       const struct pd_outcome *out)
{
	drop_entry(l, e);
	if (!l->first || e->pe < l->first->pe) {
		l->first = e;
		l->first_end = out->end;
	}
	if (out->end.report.kind == PE_FAULT_TIMEOUT)
		__atomic_store_n(l->over, 1, __ATOMIC_RELAXED);
}

/* One that has nothing to blame itself for, when the launch is over. */
static void note_stopped(struct launch *l, struct pd_entry *e)
{
	drop_entry(l, e);
	/* in vain where a PE of this launch is to blame */
	if (!l->nr_stopped++ || e->pe < l->report.first.pe)
		l->report.first.pe = e->pe;
}

/* A PE may be entered again, after it has ended, for parcels. */
static void note_times(struct launch *l, struct pd_entry *e, const struct pd_outcome *out)
{
	struct pimdimm_run *r = &l->report;

	pd_times_add(&e->times, &out->times);
	pd_times_add(&r->total, &out->times);
	pd_times_compare(r, e->pe, &e->times);
	if (l->told)
		pd_times_keep(&e->tasklets, out->tasklets,
			      r->slowest_pe == e->pe ? l->slowest : NULL);
}

static void note(struct launch *l, struct pd_entry *e,
		 const struct pd_outcome *out)
{
	struct pimdimm_run *r = &l->report;

	pthread_mutex_lock(&l->lock);
	e->entered = true;
	e->stay = out->stay;
	e->travellers = e->stay ? pd_stay_travellers(e->stay) : 0;
	e->wants_room = e->stay && pd_stay_wants_room(e->stay);
	e->used_ns += out->used_ns;
	/* a PE that waits has its counts kept with it */
	if (!e->stay)
		note_times(l, e, out);
	if (out->forced)
		r->clock = PIMDIMM_CLOCK_FORCED;
	if (pd_nearer(out->stack_used, out->stack_room, r->stack_used,
		      r->stack_room)) {
		r->stack_used = out->stack_used;
		r->stack_room = out->stack_room;
	}
	r->uncounted |= out->uncounted;
	if (out->stopped)
		note_stopped(l, e);
	else if (out->end.report.kind)
		note_fault(l, e, out);
	pthread_mutex_unlock(&l->lock);
}

static struct pd_taken take(void *ctx, const struct pd_order *order,
			    const struct pd_arena *arena, bool last)
{
	struct launch *l = ctx;

	return pd_post_take(&l->post, &l->entries[order->entry], arena, last);
}

/* What is to be done with a PE; false: nothing. */
static bool give_order(struct launch *l, struct pd_entry *e, struct pd_order *order)
{
	if (!pd_post_due(&l->post, e))
		return false;
	*order = (struct pd_order){
		.pe = e->pe,
		.first_pe = l->first_pe,
		.nr_pes = l->nr_in_row,
		.host = l->post.guest,
		.eager = l->options.eager,
		.poll = l->options.poll,
		.timeout_ms = l->options.timeout_ms,
		.asked = l->asked,
		.over = l->over,
		.trace = l->sys->trace,
		.compat = l->compat,
		.told = l->told,
		.on_fault = l->options.on_fault,
		.core_folder = l->options.core_folder,
		.caught = &l->caught,
		/* tasklets that a random order switches have no clock */
		.tracks = !l->options.shuffle && pd_drawn_pe(e->pe) ? l->sys->tracks : NULL,
		.shuffle = l->options.shuffle,
		.random = e->random++,
		.take = take,
		.ctx = l,
		.entry = (uint32_t)(e - l->entries),
		.used_ns = e->used_ns,
		.again = e->entered,
		.stay = e->stay,
		.kept = e->slot,
		.may_stay = e->slot,
	};
	pthread_mutex_lock(&l->lock);
	order->traced = !l->first || e->pe < l->first->pe;
	pthread_mutex_unlock(&l->lock);
	pd_post_give(&l->post, e, order);
	return true;
}

/* After its run: whoever waits in its worker keeps it, and whoever does not gives it up. */
static int settle(struct launch *l, struct pd_entry *e, struct pd_slot *slot,
		  const struct pd_outcome *out, bool claimed)
{
	int ret = 0;

	if (claimed && !out->kept)
		pd_keep_decline(&l->keeper);
	if (claimed && out->kept)
		ret = pd_keep_stay(e, slot);
	if (e->slot && !e->stay) {
		int lost = pd_keep_leave(&l->keeper, e);

		ret = ret ? ret : lost;
	}
	return ret;
}

/* Enter a PE in a slot, whose worker is replaced where it went with the PE before. */
static int run_pe(struct launch *l, struct pd_slot *slot, struct pd_entry *e,
		  uint64_t *emulation_ns)
{
	struct pd_pe_state *st = l->sys->pe;
	struct pd_outcome out;
	struct pd_order order;
	uint64_t start;
	bool claimed;
	int ret = 0;

	if (!e->slot)
		ret = pd_slot_take(slot, e->program);
	if (ret || !give_order(l, e, &order))
		return ret;
	ret = pd_stops_take_debugger(slot, e->program, &order);
	if (ret)
		return ret;
	claimed = !order.debugger && pd_keep_claim(&l->keeper, e);
	order.may_stay |= claimed;
	if (order.again)
		atomic_fetch_add(order.kept ? &st->nr_hand_overs : &st->nr_reloads, 1);
	if (l->alone)
		pd_still_hold(&l->still);
	start = pd_timeline_now();
	pd_broker_run(slot, &st->pes[e->pe], &order, &out, emulation_ns);
	pd_draw_entry(l->sys->tracks, &order, out.begun, start);
	pd_stops_give_debugger(slot, &order);
	pd_post_begun(&l->post, e, &order, out.begun);
	note(l, e, &out);
	return settle(l, e, slot, &out, claimed);
}

/* whether one of its PEs is to be entered */
static bool task_due(struct launch *l, const struct pd_task *task)
{
	bool due = false;

	for (uint32_t i = 0; i < task->count && !due; i++)
		due = pd_post_due(&l->post, &l->entries[task->first + i]);
	return due;
}

/* The lanes of a task that no kept PE's window has. */
static uint8_t free_lanes(const struct launch *l, const struct pd_task *task)
{
	uint8_t lanes = task->lanes;

	for (uint32_t i = 0; i < task->count; i++) {
		const struct pd_entry *e = &l->entries[task->first + i];

		if (e->slot)
			lanes &= (uint8_t)~(1u << pd_lane_of(e->pe));
	}
	return lanes;
}

static int borrow(struct launch *l, const struct pd_task *task, struct pd_slot **slot)
{
	const struct pd_entry *e = &l->entries[task->first];
	int ret = pd_slot_borrow(l->sys, e->program, slot);

	if (ret)
		*slot = NULL;
	else
		pd_window_take_eg(&(*slot)->arena.window, pd_eg_of(e->pe),
				  free_lanes(l, task));
	return ret;
}

/* The slot of a task's PEs but those that have one of their own. */
static int give_slot_back(struct launch *l, struct pd_slot *slot, uint64_t *emulation_ns)
{
	uint64_t start = pd_now_ns();
	int lost = pd_window_leave_eg(&slot->arena.window);

	*emulation_ns += pd_now_ns() - start;
	pd_slot_return(l->sys, slot);
	return lost;
}

static int run_task(struct launch *l, const struct pd_task *task,
		    uint64_t *emulation_ns)
{
	struct pd_slot *slot = NULL;
	int ret = 0, lost = 0;

	for (uint32_t i = 0; i < task->count && !ret && !is_over(l); i++) {
		struct pd_entry *e = &l->entries[task->first + i];

		if (!pd_post_due(&l->post, e))
			continue;
		if (!e->slot && !slot)
			ret = borrow(l, task, &slot);
		if (!ret)
			ret = run_pe(l, e->slot ? e->slot : slot, e, emulation_ns);
		/* it stays there */
		if (e->slot == slot)
			slot = NULL;
	}
	if (slot)
		lost = give_slot_back(l, slot, emulation_ns);
	return ret ? ret : lost;
}

static bool given_up(struct launch *l)
{
	bool up;

	pthread_mutex_lock(&l->lock);
	up = l->error || is_over(l);
	pthread_mutex_unlock(&l->lock);
	return up;
}

/* Called with the lock held, or by the launch alone. */
static void note_error(struct launch *l, int err)
{
	l->error = err;
	snprintf(l->why, sizeof(l->why), "%s", pimdimm_errmsg());
}

static void run_tasks(void *ctx, uint64_t first, uint64_t count)
{
	struct launch *l = ctx;
	uint64_t start = pd_now_ns(), emulation_ns = 0;
	int ret = 0;

	for (uint64_t i = first; i < first + count && !given_up(l) && !ret; i++)
		ret = run_task(l, &l->tasks[l->due[i]], &emulation_ns);
	pthread_mutex_lock(&l->lock);
	l->emulation_ns += emulation_ns;
	l->busy_ns += pd_now_ns() - start;
	if (ret && !l->error)
		note_error(l, ret);
	pthread_mutex_unlock(&l->lock);
}

/* Called with the state's lock held: claim the PEs for this launch. */
static int claim(struct launch *l, const uint32_t pes[], uint32_t nr_pes)
{
	for (; l->nr_entries < nr_pes; l->nr_entries++) {
		uint32_t i = l->nr_entries;
		struct pd_pe *pe = &l->sys->pe->pes[pes[i]];

		if (pe->run == l)
			return pd_error(EINVAL, "pes[%u]=%u is there twice", i,
					pes[i]);
		if (pe->run)
			return pd_error(EBUSY, "PE %u runs", pes[i]);
		if (!pe->program)
			return pd_error(ENOEXEC, "PE %u has no program loaded",
					pes[i]);
		pe->run = l;
		l->entries[i] = (struct pd_entry){
			.pe = pes[i],
			.index = i,
			.program = pe->program,
			.random = pd_options_random(l->options.seed, pes[i],
						    pe->nr_launches++),
		};
	}
	return 0;
}

/* A PE that still waits when nobody is left to send it anything. */
static void give_up_entry(struct launch *l, struct pd_entry *e)
{
	struct pd_outcome out = {
		.end = {
			.pe = e->pe,
			.nr_tasklets = e->program->note.nr_tasklets,
			.report.kind = PE_FAULT_DEADLOCK,
		},
	};

	memcpy(out.end.tasklets, pd_stay_tasklets(e->stay),
	       sizeof(out.end.tasklets));
	note_fault(l, e, &out);
}

/* whether somebody is to be entered again: who waits may wait for the host */
static bool next_round(struct launch *l)
{
	do {
		if (given_up(l))
			return false;
		pd_post_move(&l->post);
		l->nr_due = 0;
		for (uint32_t i = 0; i < l->nr_tasks; i++)
			if (task_due(l, &l->tasks[i]))
				l->due[l->nr_due++] = i;
	} while (!l->nr_due && pd_entries_wait(l->entries, l->nr_entries) &&
		 pd_guest_await(l->post.guest, l->over));
	return l->nr_due;
}

static void run_round(struct launch *l)
{
	/* a round of one task is this thread's: nobody else has to be woken for it */
	l->alone = l->nr_due == 1 || pd_workers_threads(l->sys->workers) == 1;
	if (!l->alone)
		pd_still_end(&l->still);
	pd_workers_run(l->sys->workers, l->nr_due, 1, run_tasks, l);
}

/* No PE runs: those that wait in workers leave these. */
static void empty_workers(struct launch *l)
{
	for (uint32_t i = 0; i < l->nr_entries; i++) {
		struct pd_entry *e = &l->entries[i];
		int ret = e->slot ? pd_keep_leave(&l->keeper, e) : 0;

		if (ret && !l->error)
			note_error(l, ret);
	}
}

/*
 * Enter every PE once, then those that there are parcels for, or that there is room for
 * the parcels of, until there are none. A PE is never in two workers at a time. The first
 * that does not end in time ends it for all: whoever loops does so in many PEs, one after
 * the other.
 */
static void run_rounds(struct launch *l)
{
	for (; l->nr_due < l->nr_tasks; l->nr_due++)
		l->due[l->nr_due] = l->nr_due;
	do {
		run_round(l);
	} while (next_round(l));
	pd_still_end(&l->still);
	empty_workers(l);
	for (uint32_t i = 0; i < l->nr_entries && !l->error; i++) {
		struct pd_entry *e = &l->entries[i];

		if (is_over(l) && !e->faulted &&
		    (!e->entered || e->stay || pd_inbox_count(&e->inbox)))
			note_stopped(l, e);
		else if (e->stay)
			give_up_entry(l, e);
	}
	if (l->first)
		pd_fault_tell(&l->first_end, l->first->program,
			      &l->report.first);
}

static void release_launch(struct launch *l)
{
	struct pd_pe_state *st = l->sys->pe;

	for (uint32_t i = 0; i < l->nr_entries; i++) {
		pd_stay_free(l->entries[i].stay);
		free(l->entries[i].tasklets);
	}
	pthread_mutex_lock(&st->lock);
	for (uint32_t i = 0; i < l->nr_entries; i++)
		st->pes[l->entries[i].pe].run = NULL;
	pthread_mutex_unlock(&st->lock);
}

/* Run them in the PEs' hands. */
static int run_owned(struct launch *l, const uint32_t pes[], uint32_t nr_pes)
{
	struct pd_pes_launch owned = { .kind = "program", .name = l->name,
				       .first_pe = nr_pes ? pes[0] : 0, .nr_pes = nr_pes };
	int ret;

	l->nr_in_row = pd_entries_row(l->entries, l->nr_entries, &l->first_pe);
	pd_ranks_of_list(&owned.ranks, pes, nr_pes);
	ret = pd_pes_begin(l->sys, &owned);
	if (ret)
		return ret;
	l->nr_tasks = pd_tasks_make(l->entries, l->nr_entries, l->tasks);
	pd_post_begin(&l->post, l->entries, l->nr_entries, l->sys, l->options.shuffle);
	run_rounds(l);
	pd_post_end(&l->post);
	ret = pd_pes_end(l->sys, &owned);
	if (l->error)
		ret = pd_error(-l->error, "%s", l->why);
	return ret;
}

/* The programs may be closed before the launch is told of. */
static void keep_name(struct launch *l)
{
	memcpy(l->name, l->entries[0].program->name, sizeof(l->name));
	if (!pd_entries_alike(l->entries, l->nr_entries))
		strcpy(l->name, "(several)");
}

static int run_claimed(struct launch *l, const uint32_t pes[], uint32_t nr_pes)
{
	struct pd_pe_state *st = l->sys->pe;
	int ret, cancel = pd_cancel_off();

	pthread_mutex_lock(&st->lock);
	ret = claim(l, pes, nr_pes);
	pthread_mutex_unlock(&st->lock);
	if (!ret) {
		keep_name(l);
		ret = run_owned(l, pes, nr_pes);
	}
	release_launch(l);
	pd_cancel_restore(cancel);
	return ret;
}

/* Hand the report to the caller, whose options stay. */
static int report_run(struct launch *l, struct pimdimm_run *run, uint64_t ns)
{
	struct pimdimm_run *r = &l->report;

	pd_fault_tell_stopped(&r->first, l->first, l->nr_stopped);
	pd_times_end(r, ns, l->emulation_ns, l->busy_ns);
	/* tasklets that a random order switches have none */
	if (l->options.shuffle)
		r->clock = PIMDIMM_CLOCK_NONE;
	r->over = pd_run_over(run);
	if (pd_report_on())
		pd_run_tell(r, l->name, l->nr_entries, l->slowest);
	if (run) {
		r->size = run->size;
		r->compat = run->compat;
		r->timeout_ms = run->timeout_ms;
		r->faulted = run->faulted;
		memcpy(run, r, run->size);
	}
	if (!r->nr_faulted)
		return 0;
	return pd_error(EFAULT, "PE %u, %s: %s", r->first.pe,
			pd_tasklet_name(r->first.tasklet).text, r->first.text);
}

int pimdimm_run(struct pimdimm *sys, const uint32_t pes[], uint32_t nr_pes,
		struct pimdimm_run *run)
{
	struct launch l = {
		.sys = sys,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.report.slowest_pe = UINT32_MAX,
		.compat = run && run->compat,
		.told = pd_report_on(),
		.faulted = run ? run->faulted : NULL,
	};
	uint64_t start = pd_now_ns();
	int ret = pd_entries_check(sys, pes, nr_pes, run);
	struct pd_span span;

	if (!ret)
		ret = pd_options_read(&l.options);
	if (!ret)
		ret = pd_present_list(sys, pes, nr_pes);
	if (ret || !nr_pes)
		return ret;
	if (run && run->timeout_ms)
		l.options.timeout_ms = run->timeout_ms;
	l.asked = run && run->timeout_ms;
	l.over = pd_run_over(run);
	if (!l.over)
		l.over = &l.own_over;
	if (l.faulted)
		memset(l.faulted, 0, nr_pes);
	span = pd_timeline_begin("run");
	l.entries = calloc(nr_pes, sizeof(*l.entries));
	l.tasks = calloc(nr_pes, sizeof(*l.tasks));
	l.due = calloc(nr_pes, sizeof(*l.due));
	l.keeper = (struct pd_keeper){ .sys = sys, .most = l.options.resident };
	if (l.entries && l.tasks && l.due)
		ret = run_claimed(&l, pes, nr_pes);
	else
		ret = pd_error(ENOMEM, "no memory for a launch of %u PEs", nr_pes);
	free(l.entries);
	free(l.tasks);
	free(l.due);
	if (l.report.slowest_pe == UINT32_MAX)
		l.report.slowest_pe = pes[0];
	pthread_mutex_destroy(&l.lock);
	pd_timeline_end(&span,
			"\"nr_pes\":%u,\"faulted\":%u,\"modelled_cycles\":%" PRIu64 ",\"ret\":%d",
			nr_pes, l.report.nr_faulted, l.report.cycles, ret);
	if (!ret)
		ret = report_run(&l, run, pd_now_ns() - start);
	return ret ? ret : pd_present_list(sys, pes, nr_pes);
}

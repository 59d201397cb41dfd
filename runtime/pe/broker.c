// SPDX-License-Identifier: MIT
/* Running one PE in a worker: set-up, its calls, its time, and how it ended. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "runtime/pe/broker.h"
#include "runtime/pe/collect.h"
#include "runtime/pe/debug/debugger.h"
#include "runtime/pe/draw.h"
#include "runtime/pe/program/check.h"
#include "runtime/pe/program/profile.h"
#include "runtime/pe/shared/cost.h"
#include "runtime/pe/stops.h"
#include "runtime/pe/times.h"
#include "runtime/pe/told.h"
#include "runtime/pe/wram.h"

#define LOOK_NS		(PD_NS_PER_S / 10)	/* between looks at the launch */
#define NO_LIMIT	(PD_NS_PER_S << 30)	/* who sits at a debugger takes long */
#define NOTICE_NS	(2 * PD_NS_PER_S)	/* a PE takes long, said first */

/* Parcels with what they have aboard; what goes to MRAM is there. */
static void put_mail(const struct pd_arena *arena, const struct pd_order *order)
{
	struct pe_mail *mail = (void *)(arena->base + PE_ARENA_MAIL);

	for (uint32_t i = 0; i < order->nr_in; i++) {
		const struct pd_parcel *p = &order->in[i];

		mail->in[i] = p->p;
		mail->in[i].pe = p->from;
		if (p->p.to_mram != PE_ABOARD)
			mail->in[i].payload = 0;
		else if (p->payload)
			memcpy(arena->base + PE_ARENA_HOLD + p->p.at, p->payload,
			       p->p.payload);
	}
	arena->shared->nr_in = order->nr_in;
}

/* Payloads that go to MRAM, one after the other. */
static void land_payloads(struct pd_window *window, const struct pd_order *order)
{
	for (uint32_t i = 0; i < order->nr_in; i++) {
		const struct pd_parcel *p = &order->in[i];

		if (p->p.to_mram != PE_ABOARD)
			pd_window_put(window, pd_lane_of(order->pe), p->p.to_mram,
				      p->payload, p->p.payload);
	}
}

/* The pages that nobody has written to, payloads neither, where the program asks. */
static void put_blank(struct pd_slot *slot, const struct pd_pe *pe,
		      const struct pd_order *order)
{
	uint8_t *blank = ((struct pe_check_table *)(void *)
			  (slot->arena.base + PE_ARENA_PROFILE))->blank;
	const uint8_t *found;

	if (!pd_check_memory(pe->program->check))
		return;
	found = pd_window_blank(&slot->arena.window);
	if (!found)
		return;
	memcpy(blank, found, PE_MRAM_PAGES / 8);
	for (uint32_t i = 0; i < order->nr_in; i++) {
		const struct pe_parcel *p = &order->in[i].p;

		if (p->to_mram == PE_ABOARD || !p->payload)
			continue;
		for (uint32_t page = p->to_mram / PE_PAGE;
		     page <= (p->to_mram + p->payload - 1) / PE_PAGE; page++)
			blank[page % PE_MRAM_PAGES / 8] &= (uint8_t)~(1u << page % 8);
	}
}

/*
 * Set everything in shared memory as a PE finds it. Of the flags of pages those
 * that the window has are its own to set.
 */
static void set_up(struct pd_slot *slot, const struct pd_pe *pe,
		   const struct pd_order *order)
{
	const uint32_t nr_pages = slot->arena.window.nr_pages;
	struct pe_shared *s = slot->arena.shared;
	const struct pe_cost *cost = pd_cost();

	memset(s, 0, offsetof(struct pe_shared, pages));
	memset(s->pages + nr_pages, 0, -nr_pages % PE_PAGE);
	slot->seen = 0;
	s->self = (struct pe_self){
		/* until tasklet 0 has done what a boot does */
		.critical = !order->again,
		.nr_tasklets = pe->program->note.nr_tasklets,
		.pe = order->pe,
		.lane = pd_lane_of(order->pe),
		.mram_bytes = nr_pages * PE_PAGE,
		.clock_hz = cost->clock_hz,
		.first_pe = order->first_pe,
		.nr_pes = order->nr_pes,
		.host = order->host,
		.eager = order->eager,
		.poll = order->poll,
	};
	for (uint32_t i = 0; i < PE_TRAVELLERS; i++)
		s->self.sender[i] = PE_NOBODY;
	s->text_bytes = pe->program->text_bytes;
	s->entry = pe->program->entry;
	s->compat = order->compat;
	s->straight = pe->program->note.flags & PE_NOTE_UNCOUNTED;
	s->mram_pages = nr_pages;
	s->cost = *cost;
	s->inside = 1;
	s->again = order->again;
	s->shuffle = order->shuffle;
	s->random = order->random;
	s->watched = (pe->program->profile ? PE_WATCH_PLACES : 0) |
		     (order->tracks ? PE_WATCH_SPANS : 0);
	s->room = order->room;
	put_blank(slot, pe, order);
	if (order->stay)
		pd_stay_restore(&slot->arena, order->stay);
	put_mail(&slot->arena, order);
}

/* Bring in the page that the program asks for; false: it asks for none there is. */
static bool answer_fill(struct pd_slot *slot, uint64_t *emulation_ns)
{
	struct pe_shared *s = slot->arena.shared;
	uint32_t page = __atomic_load_n(&s->page, __ATOMIC_RELAXED);
	uint64_t start;

	if (page >= slot->arena.window.nr_pages)
		return false;
	start = pd_now_ns();
	s->close = pd_window_fill(&slot->arena.window, page,
				  __atomic_load_n(&s->blank, __ATOMIC_RELAXED));
	*emulation_ns += pd_now_ns() - start;
	pd_slot_reply(slot);
	return true;
}

static void take_parcels(struct pd_slot *slot, const struct pd_order *order)
{
	struct pe_shared *s = slot->arena.shared;
	struct pd_taken taken = order->take(order->ctx, order, &slot->arena, false);

	slot->posted = true;
	s->taken = taken.all;
	s->refused = taken.refused;
	s->refused_parcel = taken.parcel;
	s->close = 0;
	pd_slot_reply(slot);
}

/* What a PE has sent since, now that its worker is parked: it may be its fault. */
static void take_last(struct pd_slot *slot, const struct pd_order *order,
		      struct pd_outcome *out)
{
	struct pe_report *r = &out->end.report;
	struct pd_taken taken = order->take(order->ctx, order, &slot->arena, true);

	if (!taken.refused || r->kind)
		return;
	*r = (struct pe_report){
		.kind = PE_FAULT_RUNTIME,
		.tasklet = pd_known_tasklet(&out->end, taken.of.tasklet),
		.address = taken.of.pe,
		.pc = taken.of.pc,
		.rule = taken.refused,
	};
}

/* What a PE that takes long is doing, for whoever waits for it. */
static void tell_progress(const struct pd_slot *slot,
			  const struct pd_order *order, uint64_t ns)
{
	uint64_t at = slot->arena.shared->ticked - PE_TEXT_BASE;
	char line[256];

	if (at >= slot->program->text_bytes ||
	    pimdimm_program_line(slot->program, (uint32_t)at, line, sizeof(line)))
		snprintf(line, sizeof(line), "a place that is not known");
	fprintf(stderr, "pimdimm: PE %u has run for %llu ms and is at %s; it is stopped after %u ms\n",
		order->pe, (unsigned long long)(ns / 1000000), line,
		order->timeout_ms);
}

/*
 * Wait for a call, and look up now and then: whether the launch is over, and, at
 * longer and longer intervals, to tell that this PE takes long.
 */
static enum pd_wait wait_for_call(struct pd_slot *slot,
				  const struct pd_order *order,
				  uint64_t start, uint64_t deadline)
{
	uint64_t interval = (deadline - start) / 8;
	uint64_t told = start + (interval < NOTICE_NS ? interval : NOTICE_NS);

	for (;;) {
		uint64_t now = pd_now_ns(), look = now + LOOK_NS;
		enum pd_wait how;

		how = pd_slot_wait(slot, look < deadline ? look : deadline);
		now = pd_now_ns();
		if (how != PD_WAIT_TIMEOUT || now >= deadline)
			return how;
		slot->stopped = pd_is_over(order->over);
		if (slot->stopped)
			return PD_WAIT_TIMEOUT;
		if (order->debugger && pd_debugger_asks(order->debugger))
			slot->arena.shared->ask = 1;
		if (order->trace && now >= told) {
			tell_progress(slot, order, now - start);
			told = now + (now - start);
		}
	}
}

/*
 * Answer calls until the last, which is left in *what; returns PE_FAULT_NONE or
 * what the host saw.
 */
static enum pe_fault attend(struct pd_slot *slot, const struct pd_order *order,
			    struct pd_outcome *out, uint64_t deadline,
			    uint64_t *emulation_ns, uint32_t *what)
{
	const uint64_t start = pd_now_ns();

	for (;;) {
		switch (wait_for_call(slot, order, start, deadline)) {
		case PD_WAIT_TIMEOUT:
			if (!slot->stopped)
				pd_stops_late(slot, order, out);
			return PE_FAULT_TIMEOUT;
		case PD_WAIT_DEAD:
			return PE_FAULT_DIED;
		case PD_WAIT_CALLED:
			break;
		}
		*what = __atomic_load_n(&slot->arena.shared->what, __ATOMIC_RELAXED);
		if (*what == PE_CALL_END || *what == PE_CALL_SUSPEND)
			return PE_FAULT_NONE;
		if (*what == PE_CALL_PARCELS)
			take_parcels(slot, order);
		else if (*what == PE_CALL_STOPPED && pd_stops_wanted(order))
			deadline += pd_stops_attend(slot, order, out);
		else if (*what != PE_CALL_FILL || !answer_fill(slot, emulation_ns))
			return PE_FAULT_RUNTIME;
		/* one that only ever calls never lets the wait time out */
		slot->stopped = pd_is_over(order->over);
		if (slot->stopped || pd_now_ns() > deadline)
			return PE_FAULT_TIMEOUT;
	}
}

/* The worker is parked, and said that its PE waits for parcels. */
static void keep_stay(struct pd_slot *slot, const struct pd_order *order,
		      struct pd_outcome *out)
{
	if (out->end.report.kind)
		return;
	out->kept = order->may_stay && pd_arena_look(&slot->arena);
	out->stay = out->kept ? pd_stay_leave(&slot->arena) : pd_stay_save(&slot->arena);
	out->kept = out->kept && out->stay;
	if (!out->stay)
		out->end.report.kind = PE_FAULT_TRANSFER;
}

/* Let the PE go; returns PE_FAULT_NONE with its last call, or what the host saw. */
static enum pe_fault watch_run(struct pd_slot *slot, const struct pd_order *order,
			       struct pd_outcome *out, uint64_t start,
			       uint64_t *emulation_ns, uint32_t *what)
{
	uint64_t limit = order->timeout_ms * 1000000ull;
	enum pe_fault seen;

	limit -= order->used_ns < limit ? order->used_ns : limit;
	if (order->debugger)
		limit = NO_LIMIT;
	slot->posted = false;
	slot->stopped = false;
	if (!pd_slot_go(slot))
		return PE_FAULT_DIED;
	seen = attend(slot, order, out, start + limit, emulation_ns, what);
	/* whoever does not park goes; what it wrote is kept as it is then */
	if (!seen && !pd_slot_parked(slot))
		seen = pd_child_dead(slot->child) ? PE_FAULT_DIED :
						    PE_FAULT_RUNTIME;
	return seen;
}

/*
 * Let the PE run until it has called for the last time and the worker is parked.
 * Returns whether the worker came to its end before it had begun with the PE.
 */
static bool run_once(struct pd_slot *slot, const struct pd_order *order,
		     struct pd_outcome *out, uint64_t *emulation_ns)
{
	uint64_t start = pd_now_ns();
	uint32_t what = PE_CALL_END;
	enum pe_fault seen = watch_run(slot, order, out, start, emulation_ns, &what);
	bool lost = seen == PE_FAULT_DIED && !slot->arena.shared->running;

	pd_collect(slot, seen, order, out);
	out->begun = __atomic_load_n(&slot->arena.shared->next_in, __ATOMIC_RELAXED);
	if (out->begun > order->nr_in)
		out->begun = order->nr_in;
	if (seen)
		pd_slot_end_worker(slot);
	else
		take_last(slot, order, out);
	if (!seen && what == PE_CALL_SUSPEND)
		keep_stay(slot, order, out);
	out->used_ns = pd_now_ns() - start;
	out->stopped = seen == PE_FAULT_TIMEOUT && slot->stopped;
	return lost;
}

static bool enter_pe(struct pd_slot *slot, struct pd_pe *pe,
		     const struct pd_order *order, struct pd_outcome *out,
		     uint64_t *emulation_ns)
{
	uint64_t start = pd_now_ns();

	*out = (struct pd_outcome){
		.end = {
			.pe = order->pe,
			.nr_tasklets = pe->program->note.nr_tasklets,
			.timeout_ms = order->timeout_ms,
			.asked = order->asked,
		},
	};
	land_payloads(&slot->arena.window, order);
	pd_window_take_lane(&slot->arena.window, pd_lane_of(order->pe));
	*emulation_ns += pd_now_ns() - start;
	set_up(slot, pe, order);
	if (!order->kept)
		pd_wram_enter(&slot->arena, pe);
	slot->arena.shared->stops = pd_stops_begin(slot, order);
	return run_once(slot, order, out, emulation_ns);
}

/*
 * A PE that did not even begin suffers from what one before it did to the worker:
 * a timer, a flag that traps, an alternate stack of its own that the kernel puts
 * signals' frames on. It has a worker of its own then. One that has begun has had
 * nothing of all that, and whatever its worker died of is its own.
 */
static bool once_more(struct pd_slot *slot, const struct pd_pe *pe)
{
	return !slot->posted && !slot->arena.window.committed &&
	       !pd_slot_take(slot, pe->program);
}

/*
 * One that was kept in a worker that came to its end meanwhile: what it is has been put
 * back into the arena, which the next worker finds empty.
 */
static void enter_elsewhere(struct pd_slot *slot, struct pd_pe *pe,
			    const struct pd_order *order, struct pd_outcome *out,
			    uint64_t *emulation_ns)
{
	struct pd_order saved = *order;

	saved.kept = false;
	saved.stay = pd_stay_save(&slot->arena);
	if (!saved.stay || pd_wram_leave(&slot->arena, pe))
		out->end.report.kind = PE_FAULT_TRANSFER;
	else if (once_more(slot, pe))
		enter_pe(slot, pe, &saved, out, emulation_ns);
	pd_stay_free(saved.stay);
}

static void enter(struct pd_slot *slot, struct pd_pe *pe, const struct pd_order *order,
		  struct pd_outcome *out, uint64_t *emulation_ns)
{
	if (!enter_pe(slot, pe, order, out, emulation_ns))
		return;
	if (order->kept)
		enter_elsewhere(slot, pe, order, out, emulation_ns);
	else if (once_more(slot, pe))
		enter_pe(slot, pe, order, out, emulation_ns);
}

/*
 * What pd_wipe() has found of stacks. One that has grown too far, but not by so
 * much that a guard stopped it, is a fault, too: of these bytes hardware has none.
 */
static void judge_stacks(const struct pd_slot *slot, const struct pd_pe *pe,
			 struct pd_outcome *out)
{
	struct pe_report *r = &out->end.report;

	for (uint32_t t = 0; t < PE_PLACES; t++) {
		uint32_t room = PE_STACK_BYTES(pd_stack_declared(pe->program, t));
		uint32_t used = slot->arena.stack_used[t];

		if (t >= out->end.nr_tasklets && !pe_is_traveller(t))
			continue;
		if (pd_nearer(used, room, out->stack_used, out->stack_room)) {
			out->stack_used = used;
			out->stack_room = room;
		}
		if (used > room && !r->kind)
			*r = (struct pe_report){
				.kind = PE_FAULT_STACK,
				.tasklet = t,
				.address = PE_STACK_TOP(t) - used,
			};
	}
}

void pd_broker_run(struct pd_slot *slot, struct pd_pe *pe,
		   const struct pd_order *order, struct pd_outcome *out,
		   uint64_t *emulation_ns)
{
	uint64_t start = order->tracks ? pd_now_ns() : 0;
	struct pe_found found;

	enter(slot, pe, order, out, emulation_ns);
	if (order->tracks)
		pd_draw(slot, pe, order->pe, order->tracks, start, order->stay);
	pd_stops_end(slot, order);
	pd_stay_free(order->stay);
	/* a PE that waits has its counts kept with it, but for its cells */
	pd_profile_add(pe->program->profile,
		       (const uint64_t *)(const void *)(slot->arena.base + PE_ARENA_PROFILE),
		       order->pe, out->stay ? NULL : &out->times);
	if (pd_check_tell(pe->program, order->pe,
			  (const struct pe_check_table *)(const void *)
			  (slot->arena.base + PE_ARENA_PROFILE), &found) &&
	    !out->end.report.kind)
		out->end.report = (struct pe_report){
			.kind = found.kind == PE_FOUND_UNDEFINED ? PE_FAULT_UNDEFINED :
								   PE_FAULT_RACE,
			.tasklet = found.tasklet[1],
			.address = found.address,
			.pc = PE_TEXT_BASE + found.pc[1],
		};
	if (out->kept)
		pd_arena_wipe_but(&slot->arena, pd_stay_stacks(out->stay));
	else
		pd_arena_wipe(&slot->arena);
	judge_stacks(slot, pe, out);
	start = pd_now_ns();
	pd_window_leave_lane(&slot->arena.window);
	*emulation_ns += pd_now_ns() - start;
	if (!out->kept && pd_wram_leave(&slot->arena, pe) && !out->end.report.kind)
		out->end.report.kind = PE_FAULT_TRANSFER;
}

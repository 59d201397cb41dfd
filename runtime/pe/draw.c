// SPDX-License-Identifier: MIT
/* Draws a PE's tasklets and their waits, of which its program could write anything. */
#include <string.h>

#include "runtime/pe/draw.h"
#include "runtime/pe/shared/cost.h"
#include "runtime/watch/drawn.h"
#include "runtime/watch/timeline.h"

static const char *const waits[] = {
	[PE_WAIT_NOTHING] = NULL,
	[PE_WAIT_BARRIER] = "barrier",
	[PE_WAIT_MUTEX] = "mutex",
	[PE_WAIT_SEMAPHORE] = "semaphore",
	[PE_WAIT_HANDSHAKE] = "handshake",
	[PE_WAIT_FULL] = "full",
	[PE_WAIT_EMPTY] = "empty",
	[PE_WAIT_DMA] = "DMA",
	[PE_WAIT_ROOM] = "room",
};

/* What of a run is drawn: to where its clock has got, from where it was drawn before. */
struct drawing {
	const struct pe_shared *shared;
	struct pd_tracks *tracks;
	uint32_t pe, nr_tasklets;
	uint64_t from;		/* in the timeline, where the clock began */
	uint64_t until;		/* and where what is drawn of it already ends */
	uint64_t now;		/* on the PE's clock */
};

/* A time of the PE's clock as one of the timeline, not of what is drawn already. */
static uint64_t time_of(const struct drawing *d, uint64_t at)
{
	double ns = (double)(at >> PE_CLOCK_SHIFT) * 1e9 / (double)pd_cost()->clock_hz;
	uint64_t time = d->from + (ns < 0x1p62 ? (uint64_t)ns : 1ull << 62);

	return time > d->until ? time : d->until;
}

/* Travellers are where there have been some. */
static bool is_drawn(const struct drawing *d, uint32_t t)
{
	return t < d->nr_tasklets || (pe_is_traveller(t) && d->shared->tasklets[t].sp);
}

static void draw_span(const struct drawing *d, uint32_t tasklet, const char *name,
		      uint64_t begin, uint64_t end)
{
	if (is_drawn(d, tasklet) && begin < end && end <= d->now &&
	    time_of(d, end) > d->until)
		pd_timeline_tasklet(d->tracks, d->pe, tasklet, name, time_of(d, begin),
				    time_of(d, end));
}

static const char *name_of(uint32_t wait)
{
	return wait < sizeof(waits) / sizeof(*waits) ? waits[wait] : NULL;
}

static uint64_t end_of(const struct drawing *d, uint32_t tasklet)
{
	const struct pe_clock_tasklet *w = &d->shared->clock.tasklets[tasklet];

	return w->goal == PE_GOAL_END ? w->since : d->now;
}

/* Waits that have come to an end; returns how far of the PE's clock they are all there. */
static uint64_t draw_waits(const struct drawing *d, const uint8_t *from)
{
	uint32_t all = d->shared->nr_waits;
	uint32_t nr = pd_drawn_take(all < PE_WAITS_MAX ? all : PE_WAITS_MAX);
	uint64_t until = 0;

	for (uint32_t i = 0; i < nr; i++) {
		struct pe_wait_span w;

		memcpy(&w, from + i * sizeof(w), sizeof(w));
		if (name_of(w.kind))
			draw_span(d, w.tasklet, name_of(w.kind), w.begin, w.end);
		until = w.end;
	}
	return nr < all ? until : d->now;
}

/* What a tasklet still waited for when the run came to its end, or to a fault. */
static void draw_last_wait(const struct drawing *d, uint32_t tasklet)
{
	const struct pe_clock *c = &d->shared->clock;
	const char *name = name_of(d->shared->tasklets[tasklet].wait);

	/* one that has not come to where it waits has a time of its wait before */
	if (name && (c->stopped | c->spinning) & 1u << tasklet)
		draw_span(d, tasklet, name, c->tasklets[tasklet].since, d->now);
}

void pd_draw_entry(struct pd_tracks *tracks, const struct pd_order *order, uint32_t begun,
		   uint64_t start)
{
	if (!start)
		return;
	pd_timeline_pe(tracks, order->pe, "program", start, pd_timeline_now());
	for (uint32_t i = 0; i < begun; i++) {
		const struct pd_parcel *p = &order->in[i];

		pd_timeline_arrow(tracks, "parcel", p->from, p->sent, order->pe, start);
	}
}

void pd_draw(const struct pd_slot *slot, struct pd_pe *pe, uint32_t number,
	     struct pd_tracks *tracks, uint64_t start, bool goes_on)
{
	struct drawing d = {
		.shared = slot->arena.shared,
		.tracks = tracks,
		.pe = number,
		.nr_tasklets = pe->program->note.nr_tasklets,
		.now = slot->arena.shared->clock.now,
		.until = pe->drawn_until,
	};
	uint64_t until;

	/* a clock that the program has moved */
	if (d.now > PE_CLOCK_END)
		return;
	if (!goes_on)
		pe->drawn_from = start > pe->drawn_until ? start : pe->drawn_until;
	d.from = pe->drawn_from;
	until = draw_waits(&d, slot->arena.base + PE_ARENA_WAITS);
	for (uint32_t t = 0; t < PE_PLACES; t++) {
		draw_span(&d, t, pe_is_traveller(t) ? "traveller" : "tasklet", 0, end_of(&d, t));
		if (until < d.now)
			draw_span(&d, t, "waits not drawn", until, end_of(&d, t));
		else
			draw_last_wait(&d, t);
	}
	pe->drawn_until = time_of(&d, d.now);
}

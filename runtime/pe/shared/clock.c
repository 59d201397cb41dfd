// SPDX-License-Identifier: MIT
/*
 * A PE's clock: events of its tasklets and of its DMA engine, one after the other.
 * Without libc, since the worker is; its state may hold anything that a program has
 * written there, which makes times wrong, and nothing else.
 */
#include "runtime/pe/shared/clock.h"

#define SLOTS		1024u	/* of the pipeline, the parts that shares come in */
#define MOST_AT_ONCE	(1ull << 40)	/* instructions from one event to the next */

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > PE_CLOCK_END || b > PE_CLOCK_END - a ? PE_CLOCK_END : a + b;
}

static uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t p;

	if (__builtin_mul_overflow(a, b, &p) || p > PE_CLOCK_END)
		return PE_CLOCK_END;
	return p;
}

/* a * by / of, of which the last two are no more than 2^32 */
static uint64_t scale(uint64_t a, uint64_t by, uint64_t of)
{
	uint64_t p;

	if (by == 1)
		return a / of;
	return __builtin_mul_overflow(a, by, &p) ? product(a / of, by) : p / of;
}

static uint64_t scale_up(uint64_t a, uint64_t by, uint64_t of)
{
	uint64_t p = product(a, by);

	if (of == 1)
		return p;
	return p == PE_CLOCK_END ? product(a / of, by) : (p + of - 1) / of;
}

static uint64_t until(uint64_t now, uint64_t due)
{
	return due > now ? due - now : 0;
}

static uint32_t number_of(uint32_t tasklets)
{
	uint32_t pairs = tasklets - (tasklets >> 1 & 0x55555555);
	uint32_t fours = (pairs & 0x33333333) + (pairs >> 2 & 0x33333333);

	return ((fours + (fours >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

static struct pe_event *event(struct pe_events *e, uint32_t i)
{
	return &e->ring[(e->first + i) % PE_EVENTS];
}

/* Most are due after all that are there. */
static void put(struct pe_events *e, uint64_t due, uint64_t what)
{
	uint32_t i = e->nr;

	if (i >= PE_EVENTS)
		return;
	for (; i && event(e, i - 1)->due > due; i--)
		*event(e, i) = *event(e, i - 1);
	*event(e, i) = (struct pe_event){ due, what };
	e->nr++;
}

/* Of more than there is room for, which a program has written, none are left. */
static struct pe_event take(struct pe_events *e)
{
	struct pe_event first = *event(e, 0);

	e->first = (e->first + 1) % PE_EVENTS;
	e->nr = e->nr <= PE_EVENTS ? e->nr - 1 : 0;
	return first;
}

static struct pe_transfer make_transfer(const struct pe_cost *cost, uint32_t bytes,
					int write)
{
	uint64_t byte = write ? cost->write_byte_millicycles :
				cost->read_byte_millicycles;
	uint64_t all = write ? cost->write_cycles : cost->read_cycles;
	struct pe_transfer x = {
		.latency = (all << PE_CLOCK_SHIFT) +
			   (byte * bytes << PE_CLOCK_SHIFT) / 1000,
		.taken = ((uint64_t)cost->engine_cycles << PE_CLOCK_SHIFT) +
			 ((uint64_t)cost->engine_byte_millicycles * bytes <<
			  PE_CLOCK_SHIFT) / 1000,
		.lost = ((uint64_t)cost->issue_byte_millicycles * bytes <<
			 PE_CLOCK_SHIFT) / 1000,
	};

	/* never longer than transfers that come one after the other */
	if (x.taken > x.latency)
		x.taken = x.latency;
	return x;
}

/* Of so many slots those that are open while the engine has this transfer. */
static uint32_t open_slots(const struct pe_transfer *x)
{
	uint64_t closed;

	if (!x->taken || !x->lost)
		return SLOTS;
	closed = x->lost < x->taken ? scale(x->lost, SLOTS, x->taken) : SLOTS;
	return closed < SLOTS ? SLOTS - (uint32_t)closed : 1;
}

static void begin_transfer(struct pe_clock *c, uint32_t t, const struct pe_transfer *x)
{
	uint64_t begin = c->engine_free > c->now ? c->engine_free : c->now;

	c->engine_free = sum(begin, x->taken);
	put(&c->engine, c->engine_free, open_slots(x));
	c->tasklets[t].since = c->now;
	put(&c->transfers, sum(begin, x->latency), t);
}

/* Tasklet @t executes what it told. */
static void begin_burst(struct pe_clock *c, uint32_t t, uint64_t due)
{
	c->computing |= 1u << t;
	put(&c->bursts, due > c->issued ? due : c->issued, t);
}

static void run(struct pe_clock *c, uint32_t t)
{
	c->tasklets[t].begun = c->issued;
	c->running |= 1u << t;
}

void pe_clock_start(struct pe_clock *c, uint32_t t, uint64_t count)
{
	c->tasklets[t] = (struct pe_clock_tasklet){ .seen = count };
	run(c, t);
}

void pe_clock_tell(struct pe_clock *c, uint32_t t, uint64_t count, enum pe_goal goal)
{
	struct pe_clock_tasklet *w = &c->tasklets[t];
	uint64_t burst = count > w->seen ? count - w->seen : 0;

	burst = (burst < MOST_AT_ONCE ? burst : MOST_AT_ONCE) << PE_CLOCK_SHIFT;
	w->seen = count;
	w->goal = goal;
	c->running &= ~(1u << t);
	if (!w->passed.latency) {
		begin_burst(c, t, sum(w->begun, burst));
		return;
	}
	w->burst = burst;
	w->owes = 1;
	begin_transfer(c, t, &w->passed);
	w->passed = (struct pe_transfer){ 0 };
}

void pe_clock_dma(struct pe_clock *c, const struct pe_cost *cost, uint32_t t,
		  uint32_t bytes, int write)
{
	c->tasklets[t].next = make_transfer(cost, bytes, write);
}

void pe_clock_pass(struct pe_clock *c, const struct pe_cost *cost, uint32_t t,
		   uint32_t bytes, int write)
{
	struct pe_transfer x = make_transfer(cost, bytes, write);
	struct pe_transfer *passed = &c->tasklets[t].passed;

	passed->latency = sum(passed->latency, x.latency);
	passed->taken = sum(passed->taken, x.taken);
	passed->lost = sum(passed->lost, x.lost);
}

void pe_clock_wake(struct pe_clock *c, uint32_t t)
{
	struct pe_clock_tasklet *w = &c->tasklets[t];
	struct pe_work *work = &c->work[t];
	uint32_t bit = 1u << t;

	if (c->spinning & bit) {
		work->spin_wait = sum(work->spin_wait, until(w->since, c->now));
		work->spun = sum(work->spun, until(w->since_issued, c->issued));
	} else if (c->stopped & bit) {
		work->stop_wait = sum(work->stop_wait, until(w->since, c->now));
	} else {
		/* it has not even come to where it stops */
		if (w->goal == PE_GOAL_STOP || w->goal == PE_GOAL_SPIN)
			w->goal = PE_GOAL_ON;
		return;
	}
	c->spinning &= ~bit;
	c->stopped &= ~bit;
	run(c, t);
}

/* How what is issued and time go together, at present: by / of a cycle. */
struct rate {
	uint32_t n;		/* that issue */
	uint32_t by;
	uint64_t of;
	int full;		/* no slot that is open is left over */
};

static struct rate find_rate(struct pe_clock *c, const struct pe_cost *cost)
{
	struct rate r = { .n = number_of(c->running | c->computing | c->spinning) };
	uint32_t open = SLOTS;

	if (c->engine.nr)
		open = (uint32_t)event(&c->engine, 0)->what;
	r.full = (uint64_t)r.n * SLOTS > (uint64_t)cost->issue_cycles * open;
	r.by = r.full && open < SLOTS ? open : 1;
	r.of = !r.full ? cost->issue_cycles : open < SLOTS ? r.n * SLOTS : r.n;
	/* nobody issues, where it is without a meaning, or it costs nothing */
	if (!r.of)
		r.of = 1;
	if (!r.by)
		r.by = 1;
	return r;
}

/* Who would have issued in slots that nothing was issued in. */
static void find_idle(struct pe_clock *c, const struct pe_cost *cost, uint32_t n,
		      uint64_t time)
{
	uint32_t missing = cost->issue_cycles > n ? cost->issue_cycles - n : 0;
	uint32_t dma = c->transfers.nr < missing ? c->transfers.nr : missing;
	uint32_t stopped = number_of(c->stopped);

	if (stopped > missing - dma)
		stopped = missing - dma;
	c->idle_dma = sum(c->idle_dma, product(time, dma));
	c->idle_stop = sum(c->idle_stop, product(time, stopped));
}

static void let_pass(struct pe_clock *c, const struct pe_cost *cost,
		     const struct rate *r, uint64_t time, uint64_t issued)
{
	uint64_t used = product(r->n, issued);

	c->now = sum(c->now, time);
	c->issued = sum(c->issued, issued);
	c->slots = sum(c->slots, used);
	c->spun = sum(c->spun, product(number_of(c->spinning), issued));
	if (r->full)
		c->lost = sum(c->lost, until(used, time));
	else
		find_idle(c, cost, r->n, time);
}

/* Tasklet @t has executed what it told. */
static void end_burst(struct pe_clock *c, uint32_t t)
{
	struct pe_clock_tasklet *w = &c->tasklets[t];

	c->computing &= ~(1u << t);
	w->since = c->now;
	w->since_issued = c->issued;
	switch (w->goal) {
	case PE_GOAL_DMA:
		begin_transfer(c, t, &w->next);
		break;
	case PE_GOAL_STOP:
		c->stopped |= 1u << t;
		break;
	case PE_GOAL_SPIN:
		c->spinning |= 1u << t;
		break;
	case PE_GOAL_END:
		break;
	default:
		run(c, t);
	}
}

static void end_transfer(struct pe_clock *c, uint32_t t)
{
	struct pe_clock_tasklet *w = &c->tasklets[t];

	c->work[t].dma_wait = sum(c->work[t].dma_wait, until(w->since, c->now));
	if (!w->owes) {
		run(c, t);
		return;
	}
	w->owes = 0;
	begin_burst(c, t, sum(c->issued, w->burst));
}

/* Lets time go on to the event that is due first; 0: nothing more will happen. */
static int step(struct pe_clock *c, const struct pe_cost *cost)
{
	struct rate r = find_rate(c, cost);
	uint64_t burst = UINT64_MAX, transfer = UINT64_MAX, engine = UINT64_MAX;

	if (!c->bursts.nr && !c->transfers.nr)
		return 0;
	if (c->bursts.nr)
		burst = scale_up(until(c->issued, event(&c->bursts, 0)->due), r.of,
				 r.by);
	if (c->transfers.nr)
		transfer = until(c->now, event(&c->transfers, 0)->due);
	if (c->engine.nr)
		engine = until(c->now, event(&c->engine, 0)->due);
	if (engine <= transfer && engine <= burst) {
		let_pass(c, cost, &r, engine, scale(engine, r.by, r.of));
		take(&c->engine);
	} else if (transfer <= burst) {
		let_pass(c, cost, &r, transfer, scale(transfer, r.by, r.of));
		end_transfer(c, (uint32_t)take(&c->transfers).what % PE_MAX_TASKLETS);
	} else {
		let_pass(c, cost, &r, burst,
			 until(c->issued, event(&c->bursts, 0)->due));
		end_burst(c, (uint32_t)take(&c->bursts).what % PE_MAX_TASKLETS);
	}
	return 1;
}

static uint32_t lowest_above(uint32_t tasklets, uint32_t last)
{
	return tasklets & ~((2u << last % PE_MAX_TASKLETS) - 1);
}

uint32_t pe_clock_next(struct pe_clock *c, const struct pe_cost *cost, uint32_t last)
{
	uint32_t above;

	while (!c->running)
		if (!step(c, cost))
			return PE_MAX_TASKLETS;
	above = lowest_above(c->running, last);
	return (uint32_t)__builtin_ctz(above ? above : c->running) % PE_MAX_TASKLETS;
}

uint32_t pe_clock_force(struct pe_clock *c, const struct pe_cost *cost, uint32_t last)
{
	uint32_t others = c->running & ~(1u << last % PE_MAX_TASKLETS);
	uint32_t above = lowest_above(others, last), before = c->running;

	c->forced = 1;
	if (above)
		return (uint32_t)__builtin_ctz(above);
	/* those that wait for time to go on have their turn, too */
	while (c->running == before && step(c, cost))
		;
	if (c->running != before)
		return (uint32_t)__builtin_ctz(c->running & ~before);
	return others ? (uint32_t)__builtin_ctz(others) : last % PE_MAX_TASKLETS;
}

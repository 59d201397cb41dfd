// SPDX-License-Identifier: MIT
/*
 * A PE's clock: events of its tasklets and of its DMA engine, one after the other.
 * Without libc, since the worker is; its state may hold anything that a program has
 * written there, which makes times wrong, and nothing else.
 */
#include "runtime/pe/shared/clock.h"

#define SLOTS_SHIFT	10
#define SLOTS		(1u << SLOTS_SHIFT)	/* of the pipeline, the parts that shares come in */
#define MOST_AT_ONCE	(1ull << 40)	/* instructions from one event to the next */

/* Said where it is so but for counters that a program has spoilt. */
#define rarely(condition) __builtin_expect(!!(condition), 0)

/* of two times, neither of which is beyond the end, or a little more */
static inline uint64_t sum(uint64_t a, uint64_t b)
{
	return rarely((a + b) / PE_CLOCK_END) ? PE_CLOCK_END : a + b;
}

static inline uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t p;

	return rarely(__builtin_mul_overflow(a, b, &p)) ? 1ull << 63 : p;
}

static inline uint32_t number_of(uint32_t tasklets)
{
	uint32_t pairs = tasklets - (tasklets >> 1 & 0x55555555);
	uint32_t fours = (pairs & 0x33333333) + (pairs >> 2 & 0x33333333);

	return ((fours + (fours >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* 2^63 by each number of tasklets, rounded up: dividing takes several times as long */
#define BY(n)		((1ull << 63) / (n) + ((1ull << 63) % (n) != 0))
#define BY_4(n)		BY(n), BY((n) + 1), BY((n) + 2), BY((n) + 3)
static const uint64_t reciprocals[] = {
	0, BY(1), BY(2), BY(3), BY_4(4), BY_4(8), BY_4(12), BY_4(16), BY_4(20), BY_4(24),
	BY_4(28), BY(32),
};

#define NR_RECIPROCALS	(sizeof(reciprocals) / sizeof(*reciprocals))

/*
 * A reciprocal is too large by less than 1 / 2^63, so that the product is by less than
 * a / 2^63 < 1 / 32: too little to reach the next whole number from a / of, where the
 * way there is 1 / of or more.
 */
static inline uint64_t divide(uint64_t a, uint32_t of)
{
	if (!rarely(of >= NR_RECIPROCALS || a >> 58))
		return (uint64_t)((unsigned __int128)a * reciprocals[of] >> 63);
	return a / of;
}

static inline struct pe_event *event(struct pe_events *e, uint32_t i)
{
	return &e->ring[(e->first + i) % PE_EVENTS];
}

/* In front of all, or between others: what comes behind all is put() alone. */
static __attribute__((noinline))
void put_before(struct pe_events *e, uint64_t due, uint32_t what)
{
	uint32_t i = e->nr - 1;

	if (event(e, 0)->due > due) {
		e->first = (e->first - 1) % PE_EVENTS;
		i = 0;
	}
	for (; i && event(e, i - 1)->due > due; i--)
		*event(e, i) = *event(e, i - 1);
	*event(e, i) = (struct pe_event){ due, what };
}

static inline void put(struct pe_events *e, uint64_t due, uint32_t what)
{
	uint32_t i = e->nr;

	if (rarely(i >= PE_EVENTS))
		return;
	e->nr = i + 1;
	if (i && event(e, i - 1)->due > due)
		put_before(e, due, what);
	else
		*event(e, i) = (struct pe_event){ due, what };
}

/* Of more than there is room for, which a program has written, fewer are left. */
static inline uint32_t take(struct pe_events *e)
{
	uint32_t what = event(e, 0)->what;

	e->first = (e->first + 1) % PE_EVENTS;
	e->nr = (e->nr - 1) % PE_EVENTS;
	return what;
}

/* Of so many slots those that are open while the engine has this transfer. */
static uint32_t open_slots(uint64_t taken, uint64_t lost)
{
	uint64_t closed;

	if (!taken || !lost)
		return SLOTS;
	if (lost >= taken)
		return 1;
	closed = lost < UINT64_MAX / SLOTS ? lost * SLOTS / taken :
					     SLOTS - 1;
	return SLOTS - (uint32_t)closed;
}

static uint64_t units(uint64_t cycles, uint64_t byte_millicycles, uint32_t bytes)
{
	return (cycles << PE_CLOCK_SHIFT) +
	       (byte_millicycles * bytes << PE_CLOCK_SHIFT) / 1000;
}

static void make_transfer(struct pe_transfer *x, const struct pe_cost *cost,
			  uint32_t bytes, uint32_t write)
{
	x->bytes = bytes;
	x->latency = write ?
		units(cost->write_cycles, cost->write_byte_millicycles, bytes) :
		units(cost->read_cycles, cost->read_byte_millicycles, bytes);
	x->taken = units(cost->engine_cycles, cost->engine_byte_millicycles, bytes);
	x->lost = units(0, cost->issue_byte_millicycles, bytes);
	/* never longer than transfers that come one after the other */
	if (x->taken > x->latency)
		x->taken = x->latency;
	x->open = open_slots(x->taken, x->lost);
}

/* Most are like the last one. */
static inline const struct pe_transfer *find_transfer(struct pe_clock *c,
						      const struct pe_cost *cost,
						      uint32_t bytes, uint32_t write)
{
	struct pe_transfer *last = &c->last[write % 2];

	if (last->bytes != bytes)
		make_transfer(last, cost, bytes, write);
	return last;
}

static inline void begin_transfer(struct pe_clock *c, uint32_t t,
				  const struct pe_transfer *x)
{
	uint64_t begin = c->engine_free > c->now ? c->engine_free : c->now;

	c->engine_free = sum(begin, x->taken);
	put(&c->engine, c->engine_free, x->open);
	c->tasklets[t].since = c->now;
	put(&c->transfers, sum(begin, x->latency), t);
}

/* Tasklet @t executes what it told. */
static inline void begin_burst(struct pe_clock *c, uint32_t t, uint64_t due)
{
	put(&c->bursts, due > c->issued ? due : c->issued, t);
}

static inline void run(struct pe_clock *c, uint32_t t)
{
	c->tasklets[t].begun = c->issued;
	c->running |= 1u << t;
}

void pe_clock_start(struct pe_clock *c, uint32_t t, uint64_t count)
{
	c->tasklets[t] = (struct pe_clock_tasklet){ .seen = count };
	run(c, t);
}

/* What it did not wait for has been before what it has executed since. */
static __attribute__((noinline))
void begin_passed(struct pe_clock *c, uint32_t t, uint64_t burst)
{
	struct pe_clock_tasklet *w = &c->tasklets[t];

	w->burst = burst;
	w->owes = 1;
	w->passed.open = open_slots(w->passed.taken, w->passed.lost);
	begin_transfer(c, t, &w->passed);
	w->passed = (struct pe_transfer){ 0 };
}

void pe_clock_tell(struct pe_clock *c, uint32_t t, uint64_t count, enum pe_goal goal)
{
	struct pe_clock_tasklet *w = &c->tasklets[t];
	uint64_t burst = count - w->seen;

	if (rarely(count < w->seen))
		burst = 0;
	else if (rarely(burst > MOST_AT_ONCE))
		burst = MOST_AT_ONCE;
	burst <<= PE_CLOCK_SHIFT;
	w->seen = count;
	w->goal = goal;
	c->running &= ~(1u << t);
	if (rarely(w->passed.latency))
		begin_passed(c, t, burst);
	else
		begin_burst(c, t, sum(w->begun, burst));
}

void pe_clock_dma(struct pe_clock *c, uint32_t t, uint32_t bytes, int write)
{
	c->tasklets[t].bytes = bytes;
	c->tasklets[t].write = write != 0;
}

void pe_clock_pass(struct pe_clock *c, const struct pe_cost *cost, uint32_t t,
		   uint32_t bytes, int write)
{
	const struct pe_transfer *x = find_transfer(c, cost, bytes, write != 0);
	struct pe_transfer *passed = &c->tasklets[t].passed;

	passed->latency = sum(passed->latency, x->latency);
	passed->taken = sum(passed->taken, x->taken);
	passed->lost = sum(passed->lost, x->lost);
}

void pe_clock_wake(struct pe_clock *c, uint32_t t)
{
	struct pe_clock_tasklet *w = &c->tasklets[t];
	struct pe_work *work = &c->work[t];
	uint32_t bit = 1u << t;

	if (c->spinning & bit) {
		work->spin_wait += c->now - w->since;
		work->spun += c->issued - w->since_issued;
	} else if (c->stopped & bit) {
		work->stop_wait += c->now - w->since;
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

/*
 * How what is issued and time go together until the next event: of `by`, each, in `of`
 * times 2^shift cycles.
 */
struct rate {
	uint32_t n;		/* that issue */
	int full;		/* no slot that is open is left over */
	uint32_t by, of, shift;
};

static inline struct rate find_rate(struct pe_clock *c, const struct pe_cost *cost,
				    uint32_t n)
{
	uint32_t open = c->engine.nr ? event(&c->engine, 0)->what : SLOTS;
	struct rate r = { .n = n, .by = 1, .of = cost->issue_cycles };

	r.full = (uint64_t)r.n << SLOTS_SHIFT > (uint64_t)cost->issue_cycles * open;
	if (r.full) {
		r.of = r.n;
		r.by = open < SLOTS ? open : 1;
		r.shift = open < SLOTS ? SLOTS_SHIFT : 0;
	}
	return r;
}

/* what is issued in a time */
static inline uint64_t issued_in(const struct rate *r, uint64_t time)
{
	uint64_t p;

	if (rarely(__builtin_mul_overflow(time, r->by, &p)))
		return (time >> r->shift) / r->of * r->by;
	return divide(p >> r->shift, r->of);
}

/* in how long so much is issued, which is `all` of `by` */
static inline uint64_t time_for(const struct rate *r, uint64_t all)
{
	return r->by > 1 ? all / r->by + (all % r->by != 0) : all;
}

/* Whether that is over before a time is: said without dividing. */
static inline int is_before(const struct rate *r, uint64_t all, uint64_t time)
{
	uint64_t most;

	return rarely(__builtin_mul_overflow(time, r->by, &most)) || all + r->by <= most;
}

/* Who would have issued in slots that nothing was issued in. */
static inline void find_idle(struct pe_clock *c, uint32_t missing, uint64_t time)
{
	uint32_t dma = c->transfers.nr < missing ? c->transfers.nr : missing;
	uint32_t stopped = 0;

	if (c->stopped) {
		stopped = number_of(c->stopped);
		if (stopped > missing - dma)
			stopped = missing - dma;
		c->idle_stop += time * stopped;
	}
	c->idle_dma += time * dma;
}

static inline void let_pass(struct pe_clock *c, const struct pe_cost *cost,
			    const struct rate *r, uint64_t time, uint64_t issued)
{
	uint64_t used = r->n * issued;

	c->now = sum(c->now, time);
	c->issued = sum(c->issued, issued);
	c->slots += used;
	if (c->spinning)
		c->spun += number_of(c->spinning) * issued;
	if (r->full)
		c->lost += time - used;
	else if (cost->issue_cycles > r->n)
		find_idle(c, cost->issue_cycles - r->n, time);
}

/* Tasklet @t has executed what it told. */
static inline void end_burst(struct pe_clock *c, const struct pe_cost *cost, uint32_t t)
{
	struct pe_clock_tasklet *w = &c->tasklets[t];

	w->since = c->now;
	w->since_issued = c->issued;
	if (w->goal == PE_GOAL_DMA)
		begin_transfer(c, t, find_transfer(c, cost, w->bytes, w->write));
	else if (w->goal == PE_GOAL_STOP)
		c->stopped |= 1u << t;
	else if (w->goal == PE_GOAL_SPIN)
		c->spinning |= 1u << t;
	else if (w->goal != PE_GOAL_END)
		run(c, t);
}

static inline void end_transfer(struct pe_clock *c, uint32_t t)
{
	struct pe_clock_tasklet *w = &c->tasklets[t];

	c->work[t].dma_wait += c->now - w->since;
	if (!w->owes) {
		run(c, t);
		return;
	}
	w->owes = 0;
	begin_burst(c, t, sum(c->issued, w->burst));
}

static inline uint32_t take_tasklet(struct pe_events *e)
{
	uint32_t t = take(e);

	return rarely(t >= PE_PLACES) ? 0 : t;
}

/* Nobody issues: what share the engine leaves of the slots is all the same then. */
static inline void step_idle(struct pe_clock *c, const struct pe_cost *cost)
{
	uint64_t due = event(&c->transfers, 0)->due;

	if (due > c->now) {
		find_idle(c, cost->issue_cycles, due - c->now);
		c->now = sum(due, 0);
	}
	while (c->engine.nr && event(&c->engine, 0)->due <= c->now)
		take(&c->engine);
	end_transfer(c, take_tasklet(&c->transfers));
}

/* Of equal ones the engine's is first, then a transfer's. */
static inline __attribute__((always_inline))
void step_busy(struct pe_clock *c, const struct pe_cost *cost, uint32_t n)
{
	struct rate r = find_rate(c, cost, n);
	uint64_t time = UINT64_MAX, issued = 0, all;
	enum { BURST, TRANSFER, ENGINE } first = TRANSFER;

	if (c->transfers.nr)
		time = event(&c->transfers, 0)->due - c->now;
	if (c->engine.nr && event(&c->engine, 0)->due - c->now <= time) {
		time = event(&c->engine, 0)->due - c->now;
		first = ENGINE;
	}
	if (c->bursts.nr) {
		issued = event(&c->bursts, 0)->due - c->issued;
		all = product(issued, (uint64_t)r.of << r.shift);
		if (is_before(&r, all, time)) {
			time = time_for(&r, all);
			first = BURST;
		}
	}
	if (first != BURST)
		issued = issued_in(&r, time);
	if (time)
		let_pass(c, cost, &r, time, issued);
	if (first == BURST)
		end_burst(c, cost, take_tasklet(&c->bursts));
	else if (first == TRANSFER)
		end_transfer(c, take_tasklet(&c->transfers));
	else
		take(&c->engine);
}

/* Lets time go on to the event that is due first; 0: nothing more will happen. */
static inline __attribute__((always_inline))
int step(struct pe_clock *c, const struct pe_cost *cost)
{
	uint32_t others = c->running | c->spinning;

	if (!c->bursts.nr && !c->transfers.nr)
		return 0;
	c->steps++;
	if (c->bursts.nr || others)
		step_busy(c, cost, c->bursts.nr + (others ? number_of(others) : 0));
	else
		step_idle(c, cost);
	return 1;
}

static inline uint32_t choose(uint32_t tasklets, uint32_t last)
{
	uint32_t above = tasklets & ~((2u << last % 32) - 1);

	return (uint32_t)__builtin_ctz(above ? above : tasklets);
}

uint32_t pe_clock_next(struct pe_clock *c, const struct pe_cost *cost, uint32_t last)
{
	while (!c->running) {
		if (!step(c, cost))
			return PE_PLACES;
	}
	return choose(c->running, last);
}

uint32_t pe_clock_force(struct pe_clock *c, const struct pe_cost *cost, uint32_t last)
{
	uint32_t before = c->running;
	uint32_t others = before & ~(1u << last % 32), woken;

	c->forced = 1;
	if (others >> last % 32)
		return choose(others, last);
	/* those that wait for time to go on have their turn, too */
	do {
		woken = c->running & ~before;
	} while (!woken && step(c, cost));
	if (woken)
		return choose(woken, PE_PLACES - 1);
	return others ? choose(others, PE_PLACES - 1) : last % PE_PLACES;
}

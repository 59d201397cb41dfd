// SPDX-License-Identifier: MIT
/*
 * The clock of a PE against a pipeline and a DMA engine that are followed cycle by
 * cycle, on small random programs of tasklets; and what hostile counters make of it.
 */
#include <math.h>

#include "runtime/pe/shared/clock.h"
#include "tests/unit/unit.h"

#define MAX_OPS		12
#define NR_MUTEXES	2
#define NR_PROGRAMS	1000

/* much as runtime/pe/shared/cost.c has them, but that DMA takes no issue slots */
static const struct pe_cost plain = {
	.read_cycles = 77, .read_byte_millicycles = 500,
	.write_cycles = 61, .write_byte_millicycles = 500,
	.engine_cycles = 38, .engine_byte_millicycles = 520,
	.issue_cycles = 11,
};

enum op {
	COMPUTE,	/* and nothing else: an event all the same */
	DMA,
	BARRIER,
	LOCK,
	UNLOCK,
	NOTIFY,		/* the tasklet above, if it is there */
	AWAIT,		/* the one below */
	END,
};

/* what a tasklet does: so many instructions, then this */
struct action {
	uint32_t burst;
	enum op op;
	uint32_t arg;		/* bytes, or which mutex */
	int write;
};

struct program {
	uint32_t nr_tasklets;
	struct action actions[PE_PLACES][3 * MAX_OPS];
	struct pe_cost cost;
};

static uint64_t seed;

static uint32_t any(uint32_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % below;
}

static uint32_t any_burst(void)
{
	return 1 + any(1u << any(10));
}

static void make_actions(const struct program *p, struct action a[3], uint32_t t,
			 uint32_t kind)
{
	for (int k = 0; k < 3; k++)
		a[k] = (struct action){ .burst = any_burst() };
	if (kind == 0) {
		a[1].op = BARRIER;
	} else if (kind == 1) {
		a[0].op = t ? AWAIT : COMPUTE;
		a[1].op = t + 1 < p->nr_tasklets ? NOTIFY : COMPUTE;
	} else if (kind == 2) {
		for (int k = 0; k < 3; k += 2) {
			a[k].op = DMA;
			a[k].arg = 8 + 8 * any(1u << any(9));
			a[k].write = (int)any(2);
		}
	} else {
		a[0].op = LOCK;
		a[1].op = UNLOCK;
		a[0].arg = a[1].arg = any(NR_MUTEXES);
	}
}

/*
 * Every tasklet has the same waits at the same places of its list, so that none waits
 * for ever; what lies between them is its own.
 */
static void make_program(struct program *p, uint32_t kinds)
{
	uint32_t nr_ops = 1 + any(MAX_OPS);

	memset(p, 0, sizeof(*p));
	p->nr_tasklets = 1 + any(PE_PLACES);
	p->cost = plain;
	if (any(2))
		p->cost.issue_byte_millicycles = any(500);
	for (uint32_t i = 0; i < nr_ops; i++) {
		uint32_t kind = any(kinds);

		for (uint32_t t = 0; t < p->nr_tasklets; t++)
			make_actions(p, &p->actions[t][3 * i], t, kind);
	}
	for (uint32_t t = 0; t < p->nr_tasklets; t++)
		p->actions[t][3 * nr_ops - 1].op = END;
}

/* Waits, as both have them: who is where, and who is woken. */
struct waits {
	uint32_t at_barrier;
	uint32_t owner[NR_MUTEXES];		/* + 1 */
	uint32_t queue[NR_MUTEXES][PE_PLACES], nr[NR_MUTEXES];
	uint32_t notifies, awaits;		/* sets of tasklets that stopped there */
};

/*
 * Tasklet @t does it; returns the set of tasklets that go on for it, its own bit
 * among them unless it waits.
 */
static uint32_t act(struct waits *w, const struct program *p, uint32_t t,
		    const struct action *a)
{
	uint32_t me = 1u << t, woken;

	switch (a->op) {
	case BARRIER:
		w->at_barrier |= me;
		if (w->at_barrier != (2u << (p->nr_tasklets - 1)) - 1)
			return 0;
		w->at_barrier = 0;
		return (2u << (p->nr_tasklets - 1)) - 1;
	case LOCK:
		if (w->owner[a->arg]) {
			w->queue[a->arg][w->nr[a->arg]++] = t;
			return 0;
		}
		w->owner[a->arg] = t + 1;
		return me;
	case UNLOCK:
		w->owner[a->arg] = 0;
		if (!w->nr[a->arg])
			return me;
		woken = w->queue[a->arg][0];
		memmove(w->queue[a->arg], w->queue[a->arg] + 1,
			--w->nr[a->arg] * sizeof(woken));
		w->owner[a->arg] = woken + 1;
		return me | 1u << woken;
	case NOTIFY:
		woken = 1u << (t + 1);
		if (!(w->awaits & woken)) {
			w->notifies |= me;
			return 0;
		}
		w->awaits &= ~woken;
		return me | woken;
	case AWAIT:
		woken = 1u << (t - 1);
		if (!(w->notifies & woken)) {
			w->awaits |= me;
			return 0;
		}
		w->notifies &= ~woken;
		return me | woken;
	default:
		return me;
	}
}

/* By the clock. */
static uint64_t by_events(const struct program *p, struct pe_clock *c)
{
	uint64_t counts[PE_PLACES] = { 0 };
	uint32_t at[PE_PLACES] = { 0 }, t;
	/* of tasklets whose burst is over when they run again */
	uint32_t acting = 0, waiting = 0;
	struct waits w = { 0 };

	memset(c, 0, sizeof(*c));
	for (t = 0; t < p->nr_tasklets; t++)
		pe_clock_start(c, t, 0);
	t = PE_PLACES - 1;
	while ((t = pe_clock_next(c, &p->cost, t)) < PE_PLACES) {
		const struct action *a = &p->actions[t][at[t]];
		uint32_t me = 1u << t, go;

		if (acting & me) {
			acting &= ~me;
			at[t]++;
			go = act(&w, p, t, a);
			if (!(go & me)) {
				waiting |= me;
				pe_clock_tell(c, t, counts[t], a->op == LOCK ?
					      PE_GOAL_SPIN : PE_GOAL_STOP);
			}
			for (uint32_t k = 0; k < p->nr_tasklets; k++) {
				if (go & waiting & 1u << k)
					pe_clock_wake(c, k);
			}
			waiting &= ~go;
			continue;
		}
		counts[t] += a->burst;
		if (a->op == DMA) {
			at[t]++;
			pe_clock_dma(c, t, a->arg, a->write);
			pe_clock_tell(c, t, counts[t], PE_GOAL_DMA);
		} else if (a->op == END) {
			pe_clock_tell(c, t, counts[t], PE_GOAL_END);
		} else {
			acting |= me;
			pe_clock_tell(c, t, counts[t], PE_GOAL_ON);
		}
	}
	return c->now >> PE_CLOCK_SHIFT;
}

/* A tasklet of the machine that is followed cycle by cycle. */
struct thread {
	uint32_t at;
	uint32_t left;		/* instructions of its burst */
	uint64_t ready;		/* cycle of its next instruction */
	enum { COMPUTES, WAITS, SPINS, TRANSFERS, ENDED } state;
	double until;		/* TRANSFERS */
};

struct machine {
	const struct program *p;
	struct thread threads[PE_PLACES];
	struct waits w;
	double engine_free;
	/* transfers in the order of their coming: slots they take a cycle, until */
	struct {
		double from, until, share;
	} engine[PE_PLACES * 3 * MAX_OPS];
	uint32_t nr_transfers, first;
	double lost;		/* of issue slots, not taken yet */
	uint32_t last;
};

static void next_action(struct machine *m, uint32_t t)
{
	struct thread *h = &m->threads[t];

	h->state = COMPUTES;
	h->left = m->p->actions[t][h->at].burst;
}

static void transfer(struct machine *m, uint32_t t, const struct action *a, double now)
{
	const struct pe_cost *c = &m->p->cost;
	double latency = a->write ? c->write_cycles + c->write_byte_millicycles * a->arg / 1e3 :
				    c->read_cycles + c->read_byte_millicycles * a->arg / 1e3;
	double taken = c->engine_cycles + c->engine_byte_millicycles * a->arg / 1e3;
	double begin = m->engine_free > now ? m->engine_free : now;

	if (taken > latency)
		taken = latency;
	m->engine_free = begin + taken;
	m->engine[m->nr_transfers].from = begin;
	m->engine[m->nr_transfers].until = begin + taken;
	m->engine[m->nr_transfers++].share = c->issue_byte_millicycles * a->arg / 1e3 / taken;
	m->threads[t].until = begin + latency;
	m->threads[t].state = TRANSFERS;
}

/* The last instruction before an event has been issued; that is at the cycle's end. */
static void event_of(struct machine *m, uint32_t t, uint64_t cycle)
{
	struct thread *h = &m->threads[t];
	const struct action *a = &m->p->actions[t][h->at];
	uint32_t go;

	if (a->op == END) {
		h->state = ENDED;
		return;
	}
	h->at++;
	if (a->op == DMA) {
		transfer(m, t, a, (double)(cycle + 1));
		return;
	}
	go = act(&m->w, m->p, t, a);
	if (!(go & 1u << t))
		h->state = a->op == LOCK ? SPINS : WAITS;
	for (uint32_t k = 0; k < m->p->nr_tasklets; k++) {
		if (go & 1u << k)
			next_action(m, k);
	}
}

/* The slot is taken by the DMA engine's use of the WRAM. */
static bool slot_lost(struct machine *m, uint64_t cycle)
{
	while (m->first < m->nr_transfers && m->engine[m->first].until <= (double)cycle)
		m->first++;
	if (m->first < m->nr_transfers && m->engine[m->first].from <= (double)cycle)
		m->lost += m->engine[m->first].share;
	if (m->lost < 1)
		return false;
	m->lost--;
	return true;
}

/* One instruction of one tasklet, each in its turn; false: all have ended. */
static bool issue(struct machine *m, uint64_t cycle)
{
	uint32_t n = m->p->nr_tasklets, ended = 0;
	bool lost = slot_lost(m, cycle);

	for (uint32_t k = 0; k < n; k++) {
		struct thread *h = &m->threads[k];

		if (h->state == TRANSFERS && h->until <= (double)cycle)
			next_action(m, k);
		ended += h->state == ENDED;
	}
	for (uint32_t k = 1; k <= n && !lost; k++) {
		uint32_t t = (m->last + k) % n;
		struct thread *h = &m->threads[t];

		if ((h->state != COMPUTES && h->state != SPINS) || h->ready > cycle)
			continue;
		h->ready = cycle + m->p->cost.issue_cycles;
		m->last = t;
		if (h->state == COMPUTES && !--h->left)
			event_of(m, t, cycle);
		break;
	}
	return ended < n;
}

static uint64_t by_cycles(const struct program *p)
{
	struct machine *m = calloc(1, sizeof(*m));
	uint64_t cycle = 0;

	m->p = p;
	for (uint32_t t = 0; t < p->nr_tasklets; t++)
		next_action(m, t);
	while (issue(m, cycle))
		cycle++;
	free(m);
	return cycle;
}

struct difference {
	double mean, worst;	/* of the cycles followed one by one */
};

static struct difference compare(uint32_t kinds)
{
	struct program *p = malloc(sizeof(*p));
	struct pe_clock *c = malloc(sizeof(*c));
	struct difference d = { 0 };

	assert_true(p && c);
	for (seed = 1; seed <= NR_PROGRAMS; seed++) {
		uint64_t number = seed;
		double events, cycles, off;

		make_program(p, kinds);
		events = (double)by_events(p, c);
		cycles = (double)by_cycles(p);
		/* an instruction's own 11 cycles are no error of a long program */
		off = fabs(events - cycles) / (cycles + 300);
		d.mean += off / NR_PROGRAMS;
		if (off > d.worst)
			d.worst = off;
		seed = number;
	}
	free(p);
	free(c);
	print_message("%u kinds of waits: %.2f %% off, %.2f %% at the worst\n", kinds,
		      100 * d.mean, 100 * d.worst);
	return d;
}

/*
 * The clock has tasklets come on evenly, where the pipeline takes one after the other:
 * an event is a few cycles too early or late, which barriers and handshakes add up.
 */
static void test_waits(void **state)
{
	struct difference d = compare(2);

	(void)state;
	assert_true(d.mean < 0.01 && d.worst < 0.05);
}

/* The order in which transfers come to the engine can differ then, and what waits. */
static void test_transfers(void **state)
{
	struct difference d = compare(3);

	(void)state;
	assert_true(d.mean < 0.01 && d.worst < 0.10);
}

/* And who gets a mutex first, on which all of a short program may depend. */
static void test_mutexes(void **state)
{
	struct difference d = compare(4);

	(void)state;
	assert_true(d.mean < 0.01 && d.worst < 0.20);
}

/* Instructions, and slots for which a reason is known, make up all cycles. */
static void test_slots(void **state)
{
	struct program *p = malloc(sizeof(*p));
	struct pe_clock *c = malloc(sizeof(*c));

	(void)state;
	assert_true(p && c);
	for (seed = 1; seed <= 200; seed++) {
		uint64_t number = seed, instructions = 0, known;

		make_program(p, 4);
		by_events(p, c);
		for (uint32_t t = 0; t < p->nr_tasklets; t++)
			instructions += c->tasklets[t].seen;
		known = c->slots + c->lost + (c->idle_dma + c->idle_stop) / 11;
		assert_in_range((c->slots - c->spun) >> PE_CLOCK_SHIFT,
				instructions - instructions / 1000 - 1,
				instructions + instructions / 1000 + 1);
		assert_true(known <= c->now + c->now / 1000);
		seed = number;
	}
	free(p);
	free(c);
}

/* What @n tasklets issue beside a transfer of @bytes, to the last unit. */
static void issue_beside(uint32_t n, uint32_t bytes)
{
	struct pe_clock *c = calloc(1, sizeof(*c));
	uint64_t each = n > plain.issue_cycles ? n : plain.issue_cycles;
	uint64_t latency = (uint64_t)plain.read_cycles << PE_CLOCK_SHIFT;
	uint64_t taken = (uint64_t)plain.engine_cycles << PE_CLOCK_SHIFT;
	uint64_t before;

	assert_non_null(c);
	latency += ((uint64_t)plain.read_byte_millicycles * bytes << PE_CLOCK_SHIFT) / 1000;
	taken += ((uint64_t)plain.engine_byte_millicycles * bytes << PE_CLOCK_SHIFT) / 1000;
	if (taken > latency)
		taken = latency;
	for (uint32_t t = 0; t <= n; t++)
		pe_clock_start(c, t, 0);
	pe_clock_dma(c, n, bytes, 0);
	pe_clock_tell(c, n, 0, PE_GOAL_DMA);
	for (uint32_t t = 0; t < n; t++)
		pe_clock_tell(c, t, 1 << 20, PE_GOAL_END);
	assert_int_equal(pe_clock_next(c, &plain, 0), n);
	assert_int_equal(c->now, latency);
	assert_int_equal(c->issued, taken / each + (latency - taken) / each);
	before = c->issued;
	pe_clock_tell(c, n, 3, PE_GOAL_ON);
	assert_int_equal(pe_clock_next(c, &plain, 0), n);
	assert_int_equal(c->issued - before, 3 << PE_CLOCK_SHIFT);
	each = n + 1 > plain.issue_cycles ? n + 1 : plain.issue_cycles;
	assert_int_equal(c->now - latency, each * 3 << PE_CLOCK_SHIFT);
	free(c);
}

static void test_shares(void **state)
{
	(void)state;
	for (uint32_t n = 1; n < PE_PLACES; n++) {
		for (uint32_t bytes = 8; bytes <= 2048; bytes += 8)
			issue_beside(n, bytes);
	}
}

/* what tasklets do that makes the clock work as much as anything can */
enum burden {
	ALL_TRANSFER,		/* and never compute */
	ALL_PASS,		/* transfers that they do not wait for, before each */
	ALL_YIELD,		/* without an instruction */
	ALL_CONTEND,		/* for one mutex */
	ALL_MEET,		/* at one barrier */
	ANYTHING,
	NR_BURDENS,
};

#define BURDEN_EVENTS	100000u

/* Tasklet @t has its turn; returns how many events it told. */
static uint32_t bear(struct pe_clock *c, enum burden burden, uint32_t t, uint64_t *counts,
		     uint32_t *waiting)
{
	const uint32_t all = UINT32_MAX;
	enum pe_goal goal = PE_GOAL_ON;
	uint32_t told = 1;

	if (burden == ANYTHING)
		burden = any(ANYTHING);
	if (burden == ALL_TRANSFER || burden == ALL_PASS) {
		for (; burden == ALL_PASS && told < 3; told++)
			pe_clock_pass(c, &plain, t, 8 + 8 * any(256), (int)any(2));
		pe_clock_dma(c, t, 8 + 8 * any(256), (int)any(2));
		goal = PE_GOAL_DMA;
	} else if (burden == ALL_CONTEND || burden == ALL_MEET) {
		counts[t] += any(100);
		/* the last one has all others go on, or the one that came first */
		if ((*waiting | 1u << t) != all) {
			*waiting |= 1u << t;
			goal = burden == ALL_MEET ? PE_GOAL_STOP : PE_GOAL_SPIN;
		}
	}
	pe_clock_tell(c, t, counts[t], goal);
	if (goal == PE_GOAL_ON && *waiting) {
		uint32_t woken = burden == ALL_MEET ? *waiting : *waiting & -*waiting;

		*waiting &= ~woken;
		for (; woken; woken &= woken - 1)
			pe_clock_wake(c, (uint32_t)__builtin_ctz(woken));
	}
	return told;
}

/* The clock's own work is no more than what it is told calls for. */
static void test_bounded(void **state)
{
	struct pe_clock *c = malloc(sizeof(*c));

	(void)state;
	assert_non_null(c);
	for (enum burden burden = 0; burden < NR_BURDENS; burden++) {
		uint64_t counts[PE_PLACES] = { 0 }, events = PE_PLACES;
		uint32_t waiting = 0, t = 0;

		seed = burden + 1;
		memset(c, 0, sizeof(*c));
		for (uint32_t k = 0; k < PE_PLACES; k++)
			pe_clock_start(c, k, 0);
		while (events < BURDEN_EVENTS) {
			t = pe_clock_next(c, &plain, t);
			assert_true(t < PE_PLACES);
			events += bear(c, burden, t, counts, &waiting);
		}
		print_message("burden %u: %.2f steps an event\n", burden,
			      (double)c->steps / (double)events);
		assert_in_range(c->steps, 1, 3 * events);
	}
	free(c);
}

/* Counters that jump anywhere, and costs that nothing has: an end all the same. */
static void test_hostile(void **state)
{
	static const uint64_t counts[] = {
		0, 1, UINT64_MAX, UINT64_MAX - 5, 1ull << 63, 1ull << 40, 77,
	};
	struct pe_cost cost = plain;
	struct pe_clock *c = calloc(1, sizeof(*c));
	uint64_t before = 0;
	uint32_t t;

	(void)state;
	assert_non_null(c);
	cost.read_cycles = cost.read_byte_millicycles = UINT32_MAX;
	cost.issue_byte_millicycles = UINT32_MAX;
	for (t = 0; t < PE_PLACES; t++)
		pe_clock_start(c, t, counts[t % ARRAY_SIZE(counts)]);
	for (uint32_t i = 0; i < 1000000; i++) {
		cost.issue_cycles = i % 3 ? 11 : i % 2 ? UINT32_MAX : 0;
		t = pe_clock_next(c, &cost, i);
		assert_true(t < PE_PLACES);
		assert_true(c->now >= before && c->now <= PE_CLOCK_END);
		before = c->now;
		if (any(2))
			pe_clock_dma(c, t, 2048, 0);
		pe_clock_tell(c, t, counts[any(ARRAY_SIZE(counts))],
			      any(2) ? PE_GOAL_DMA : PE_GOAL_ON);
	}
	free(c);
}

/* What lies in the clock's memory is the program's to write. */
static void test_spoilt(void **state)
{
	struct pe_clock *c = malloc(sizeof(*c));

	(void)state;
	assert_non_null(c);
	for (seed = 1; seed <= 1000; seed++) {
		uint64_t number = seed;

		for (size_t i = 0; i < sizeof(*c); i++)
			((uint8_t *)c)[i] = (uint8_t)any(256);
		for (uint32_t i = 0; i < 100; i++) {
			uint32_t t = pe_clock_next(c, &plain, i);

			if (t == PE_PLACES)
				break;
			pe_clock_tell(c, t, any(1000), i % 5);
		}
		seed = number;
	}
	free(c);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_waits),
	cmocka_unit_test(test_transfers),
	cmocka_unit_test(test_mutexes),
	cmocka_unit_test(test_slots),
	cmocka_unit_test(test_shares),
	cmocka_unit_test(test_bounded),
	cmocka_unit_test(test_hostile),
	cmocka_unit_test(test_spoilt),
};

UNIT_MAIN(tests)

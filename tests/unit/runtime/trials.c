// SPDX-License-Identifier: MIT
/*
 * Around the caches or through them: parts of a call try, or whole calls, the rest
 * of it and later calls know. Times are what the tests say they are.
 */
#include "collectives/call/comm.h"
#include "runtime/ranks/system.h"
#include "runtime/machine/trials.h"
#include "tests/unit/unit.h"

#define MIB	(UINT64_C(1) << 20)
#define THREADS	2

static const char places[64];

static struct pd_kind kind(unsigned int n, uint64_t traits, uint64_t work_set)
{
	return (struct pd_kind){ places + n, traits, work_set, false };
}

static int setup(void **state)
{
	(void)state;
	pd_trials_forget();
	return 0;
}

/* what parts take either way, and the fractions of it that noise adds in turn */
struct machine {
	double around, through;
	const double *noise;
	unsigned int nr_noise, at;
};

static uint64_t part_ns(struct machine *m, enum pd_stores stores)
{
	double ns = stores == PD_STORES_AROUND ? m->around : m->through;

	if (m->nr_noise)
		ns *= 1 + m->noise[m->at++ % m->nr_noise];
	return (uint64_t)(1000 * ns);
}

/* a call of which so many parts try; how the others store in the end */
static enum pd_stores call(const struct pd_kind *k, struct machine *m,
			   unsigned int parts, enum pd_stores guess, bool *open)
{
	struct pd_trial t;

	pd_trials_begin(&t, k, PD_STORES_AHEAD, guess);
	*open = t.open;
	for (unsigned int i = 0; t.open && i < parts; i++) {
		enum pd_stores stores = pd_trial_way(&t, i, THREADS);

		pd_trial_note(&t, stores, part_ns(m, stores), 10);
	}
	if (t.open)
		pd_trial_decide(&t);
	pd_trials_end(&t);
	return t.stores;
}

/* the very first call's parts decide how the rest of it stores */
static void test_first_call_knows(void **state)
{
	struct machine fast = { .around = 1, .through = 1.3 };
	struct machine slow = { .around = 1.3, .through = 1 };
	struct pd_kind a = kind(1, 1, 64 * MIB), b = kind(2, 1, 64 * MIB);
	bool open;

	(void)state;
	assert_int_equal(call(&a, &fast, 16, PD_STORES_AHEAD, &open),
			 PD_STORES_AROUND);
	assert_true(open);
	assert_int_equal(call(&b, &slow, 16, PD_STORES_AROUND, &open),
			 PD_STORES_AHEAD);
}

/* whatever the guess is, below the caches' size or above */
static void test_guess_counts_for_nothing_else(void **state)
{
	struct machine m = { .around = 1, .through = 2 };
	struct pd_kind k = kind(1, 1, MIB);
	bool open;

	(void)state;
	assert_int_equal(call(&k, &m, 0, PD_STORES_PLAIN, &open),
			 PD_STORES_PLAIN);
	assert_true(open);
	assert_int_equal(call(&k, &m, 8, PD_STORES_PLAIN, &open),
			 PD_STORES_AROUND);
}

static void test_ways_take_turns(void **state)
{
	struct pd_trial t = { .through = PD_STORES_PLAIN };
	unsigned int around = 0, first = 0;

	(void)state;
	for (uint64_t part = 0; part < 8 * THREADS; part++) {
		enum pd_stores way = pd_trial_way(&t, part, THREADS);

		/* those that are at work together do the same */
		assert_int_equal(way, pd_trial_way(&t, part / THREADS * THREADS,
						   THREADS));
		around += way == PD_STORES_AROUND;
		if (part >= THREADS && way == PD_STORES_AROUND)
			first += pd_trial_way(&t, part - THREADS, THREADS) !=
				 way;
	}
	assert_int_equal(around, 4 * THREADS);
	assert_int_equal(first, 2 * THREADS);
}

/* a few parts that were lucky or disturbed decide nothing */
static void test_middle_time_counts(void **state)
{
	static const double lucky[] = { 0, 0, -0.9, 0, 0, 0, 0, 0 };
	static const double disturbed[] = { 0, 30, 0, 0, 0, 0, 0, 0 };
	struct machine m[] = {
		{ 1, 1.2, lucky, ARRAY_SIZE(lucky), 0 },
		{ 1, 1.2, disturbed, ARRAY_SIZE(disturbed), 0 },
	};
	bool open;

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(m); i++) {
		struct pd_kind k = kind(i, 1, 64 * MIB);

		for (unsigned int calls = 0; calls < 10; calls++)
			assert_int_equal(call(&k, &m[i], 16, PD_STORES_AHEAD,
					      &open), PD_STORES_AROUND);
	}
}

/* One call of several that was disturbed from its begin to its end. */
static void test_middle_call_counts(void **state)
{
	struct machine good = { .around = 1, .through = 0.5 };
	struct machine bad = { .around = 1, .through = 5 };
	struct pd_kind k = kind(1, 1, 64 * MIB);
	bool open;

	(void)state;
	/* the first one finds caches that the kind has not left yet */
	call(&k, &bad, 16, PD_STORES_AROUND, &open);
	assert_int_equal(call(&k, &good, 16, PD_STORES_AROUND, &open),
			 PD_STORES_AHEAD);
	assert_int_equal(call(&k, &good, 16, PD_STORES_AROUND, &open),
			 PD_STORES_AHEAD);
	assert_true(open);
	assert_int_equal(call(&k, &good, 16, PD_STORES_AROUND, &open),
			 PD_STORES_AHEAD);
	assert_false(open);
}

/* calls of 200 that try, when so many of their parts can be timed */
static unsigned int trying_calls(const struct pd_kind *k, unsigned int parts)
{
	struct machine m = { .around = 1, .through = 2 };
	unsigned int tried = 0;
	bool open;

	for (unsigned int i = 0; i < 200; i++) {
		call(k, &m, parts, PD_STORES_AROUND, &open);
		tried += open;
	}
	return tried;
}

/* three calls, then fewer and fewer; and it ends where nothing can be timed */
static void test_trying_ends(void **state)
{
	struct pd_kind k = kind(1, 1, 64 * MIB), never = kind(2, 1, 64 * MIB);

	(void)state;
	assert_int_equal(trying_calls(&k, 16), 3 + 3);	/* 12, 48, 192 */
	assert_int_equal(trying_calls(&never, 0), 8 + 2);	/* 32, 128 */
}

/* a machine that has changed is noticed */
static void test_change_is_noticed(void **state)
{
	struct machine before = { .around = 1, .through = 2 };
	struct machine after = { .around = 2, .through = 1 };
	struct pd_kind k = kind(1, 1, 64 * MIB);
	enum pd_stores stores = PD_STORES_AROUND;
	bool open;

	(void)state;
	for (unsigned int i = 0; i < 10; i++)
		call(&k, &before, 16, PD_STORES_AROUND, &open);
	for (unsigned int i = 0; i < 4000; i++)
		stores = call(&k, &after, 16, PD_STORES_AROUND, &open);
	assert_int_equal(stores, PD_STORES_AHEAD);
}

static void test_kinds_are_apart(void **state)
{
	struct machine m = { .around = 2, .through = 1 };
	struct pd_kind k = kind(5, 1, 64 * MIB);
	struct pd_kind like = kind(5, 1, 95 * MIB);
	struct pd_kind other[] = { kind(6, 1, 64 * MIB), kind(5, 2, 64 * MIB),
				   kind(5, 1, 96 * MIB), kind(5, 1, 128 * MIB) };
	bool open;

	(void)state;
	for (unsigned int i = 0; i < 5; i++)
		call(&k, &m, 16, PD_STORES_AROUND, &open);
	assert_false(open);
	assert_int_equal(call(&like, &m, 0, PD_STORES_AROUND, &open),
			 PD_STORES_AHEAD);
	for (unsigned int i = 0; i < ARRAY_SIZE(other); i++) {
		assert_int_equal(call(&other[i], &m, 0, PD_STORES_AROUND, &open),
				 PD_STORES_AROUND);
		assert_true(open);
	}
}

/*
 * Kinds that alternate learn all the same: of axes one apart and work sets eight
 * times as large, of any that a program has at once.
 */
static void test_kinds_do_not_evict_each_other(void **state)
{
	struct machine m = { .around = 2, .through = 1 };
	unsigned int still_open = 0;
	bool open;

	(void)state;
	for (unsigned int round = 0; round < 5; round++) {
		for (unsigned int n = 0; n < 32; n++) {
			struct pd_kind k = kind(n % 4, n / 4 % 4,
						MIB << 3 * (n / 16));

			call(&k, &m, 16, PD_STORES_AROUND, &open);
			still_open += round == 4 && open;
		}
	}
	assert_int_equal(still_open, 0);
}

/* what is in use stays when thousands of others come and go */
static void test_least_recently_used_goes(void **state)
{
	struct machine m = { .around = 2, .through = 1 };
	struct pd_kind k = kind(1, 1, 64 * MIB);
	bool open;

	(void)state;
	for (unsigned int i = 0; i < 5; i++)
		call(&k, &m, 16, PD_STORES_AROUND, &open);
	for (uint64_t n = 0; n < 5000; n++) {
		struct pd_kind other = kind(2, n, 64 * MIB);

		call(&other, &m, 16, PD_STORES_AROUND, &open);
		if (n % 16)
			continue;
		assert_int_equal(call(&k, &m, 0, PD_STORES_AROUND, &open),
				 PD_STORES_AHEAD);
	}
}

/*
 * A machine in whose caches calls find what the last one has left: through them
 * calls take `cold`, and with each that follows another so a step less, down to
 * `warm`; around them they take `around`.
 */
struct caches {
	uint64_t around, cold, step, warm;
	uint64_t now;		/* what the next one through them takes */
	/* of which this one and `disturbances` after it take a hundred times as long */
	uint64_t calls, disturbed, disturbances;
	uint64_t faulted;	/* the first ones, which have page faults */
	uint64_t tried;
};

static uint64_t call_ns(struct caches *c, enum pd_stores stores)
{
	uint64_t ns = stores == PD_STORES_AROUND ? c->around : c->now;

	if (stores == PD_STORES_AROUND)
		c->now = c->cold;
	else
		c->now = c->now > c->warm + c->step ? c->now - c->step : c->warm;
	c->calls++;
	return c->disturbed && c->calls >= c->disturbed &&
	       c->calls <= c->disturbed + c->disturbances ? 100 * ns : ns;
}

/* how a call of a kind that fits in the caches stores in the end */
static enum pd_stores whole_call(const struct pd_kind *k, struct caches *c)
{
	struct machine parts = { (double)c->around, (double)c->now, NULL, 0, 0 };
	struct pd_trial t;
	uint64_t ns;

	pd_trials_begin(&t, k, PD_STORES_AHEAD, PD_STORES_AHEAD);
	for (unsigned int i = 0; t.open && i < 16; i++) {
		enum pd_stores stores = pd_trial_way(&t, i, THREADS);

		pd_trial_note(&t, stores, part_ns(&parts, stores), 10);
	}
	if (t.open)
		pd_trial_decide(&t);
	c->tried += t.tried;
	ns = call_ns(c, t.stores);
	if (t.whole || t.open)
		pd_trials_learn(&t, ns, c->calls <= c->faulted);
	return t.stores;
}

static struct pd_kind fitting_kind(void)
{
	struct pd_kind k = kind(1, 1, 8 * MIB);

	k.fits = true;
	return k;
}

/* The first call is served by its parts; `settled` calls on all do as the best. */
static void check_settles(struct caches c, enum pd_stores first,
			  unsigned int settled, enum pd_stores best)
{
	struct pd_kind k = fitting_kind();

	pd_trials_forget();
	c.now = c.cold;
	assert_int_equal(whole_call(&k, &c), first);
	for (unsigned int calls = 1; calls < settled; calls++)
		whole_call(&k, &c);
	for (unsigned int calls = 0; calls < 12; calls++)
		assert_int_equal(whole_call(&k, &c), best);
	assert_in_range(c.tried, 6, settled);
}

/* Cold memory decides how the call stores that finds it, and no other. */
static void test_cold_memory_decides_nothing(void **state)
{
	(void)state;
	check_settles((struct caches){ .around = 100, .cold = 200, .step = 150,
				       .warm = 50 },
		      PD_STORES_AROUND, 13, PD_STORES_AHEAD);
	/* which takes several calls to be warm */
	check_settles((struct caches){ .around = 100, .cold = 200, .step = 40,
				       .warm = 50 },
		      PD_STORES_AROUND, 14, PD_STORES_AHEAD);
	/* faster as well where it is cold */
	check_settles((struct caches){ .around = 100, .cold = 90, .step = 20,
				       .warm = 50 },
		      PD_STORES_AHEAD, 14, PD_STORES_AHEAD);
}

static void test_around_wins_where_nothing_stays(void **state)
{
	(void)state;
	check_settles((struct caches){ .around = 100, .cold = 200, .step = 1,
				       .warm = 190 },
		      PD_STORES_AROUND, 12, PD_STORES_AROUND);
	/* though it is the slower one on memory that nobody has touched */
	check_settles((struct caches){ .around = 100, .cold = 80, .warm = 120,
				       .step = 0 },
		      PD_STORES_AHEAD, 12, PD_STORES_AROUND);
}

/* From call `at` on, 1 + more calls are disturbed: it is found all the same which way is faster. */
static void check_disturbed(uint64_t at, uint64_t more)
{
	check_settles((struct caches){ .around = 100, .cold = 200, .step = 150,
				       .warm = 50, .disturbed = at,
				       .disturbances = more },
		      PD_STORES_AROUND, 18, PD_STORES_AHEAD);
	check_settles((struct caches){ .around = 100, .cold = 200, .step = 1,
				       .warm = 190, .disturbed = at,
				       .disturbances = more },
		      PD_STORES_AROUND, 18, PD_STORES_AROUND);
}

/* Whichever call is disturbed: none decides alone. */
static void test_disturbed_call_decides_nothing(void **state)
{
	(void)state;
	for (uint64_t at = 2; at <= 7; at++)
		check_disturbed(at, 0);
}

/* Nor do all calls of a way in a round. */
static void test_disturbed_round_decides_nothing(void **state)
{
	(void)state;
	for (uint64_t at = 2; at <= 6; at++)
		check_disturbed(at, 1);
}

/* A call that has page faults tells nothing, and is not asked for ever. */
static void test_page_faults_tell_nothing(void **state)
{
	struct caches c = { .around = 100, .cold = 200, .step = 150, .warm = 50,
			    .faulted = UINT64_MAX, .now = 200 };
	struct pd_kind k = fitting_kind();

	(void)state;
	check_settles((struct caches){ .around = 100, .cold = 200, .step = 150,
				       .warm = 50, .faulted = 4 },
		      PD_STORES_AROUND, 17, PD_STORES_AHEAD);
	pd_trials_forget();
	for (unsigned int calls = 0; calls < 200; calls++)
		assert_int_equal(whole_call(&k, &c), PD_STORES_AROUND);
	assert_int_equal(c.tried, 1 + 8 + 8 + 8);	/* from 2, 36 and 172 on */
}

/* A round now and then, each of which tries the other way three times. */
static void test_rounds_become_rare(void **state)
{
	struct caches c = { .around = 100, .cold = 200, .step = 150, .warm = 50,
			    .now = 200 };
	struct pd_kind k = fitting_kind();
	unsigned int around = 0;

	(void)state;
	for (unsigned int calls = 0; calls < 400; calls++)
		around += whole_call(&k, &c) == PD_STORES_AROUND;
	assert_int_equal(around, 3 + 3 + 3 * 2);	/* at first; from 44 and 192 on */
}

static void test_two_rounds_outvote_the_past(void **state)
{
	struct caches c = { .around = 100, .cold = 200, .step = 150, .warm = 50,
			    .now = 200 };
	struct pd_kind k = fitting_kind();

	(void)state;
	for (unsigned int calls = 0; calls < 800; calls++)
		whole_call(&k, &c);
	assert_int_equal(whole_call(&k, &c), PD_STORES_AHEAD);
	/* from now on a neighbour fills the caches */
	c.warm = 190;
	for (unsigned int calls = 0; calls < 16 * 800; calls++)
		whole_call(&k, &c);
	assert_int_equal(whole_call(&k, &c), PD_STORES_AROUND);
}

/* the parts of a run, and what was done with each item */
struct items {
	uint64_t items;
	uint8_t stored[4096];
	_Atomic uint64_t done, twice;
};

static uint64_t do_items(void *ctx, uint64_t first, uint64_t count,
			 enum pd_stores stores)
{
	struct items *s = ctx;

	for (uint64_t i = first; i < first + count; i++) {
		s->twice += s->stored[i] != 0;
		s->stored[i] = (uint8_t)(1 + stores);
	}
	s->done += count;
	return count;
}

static unsigned int stored_so(const struct items *s, enum pd_stores stores)
{
	unsigned int n = 0;

	for (uint64_t i = 0; i < s->items; i++)
		n += s->stored[i] == 1 + stores;
	return n;
}

/* Every item is done once, and of the first ones as many either way. */
static void check_run(unsigned int threads, uint64_t items, bool tries)
{
	struct pd_kind k = kind(1, items, 64 * MIB);
	struct items s = { .items = items };
	struct pd_placement *placement;
	struct pd_workers *workers;
	struct pd_trial t;
	unsigned int around, through;

	assert_ok(pd_placement_make(threads, NULL, 0, &placement));
	assert_ok(pd_workers_create(placement, &workers));
	pd_trials_begin(&t, &k, PD_STORES_AHEAD, PD_STORES_PLAIN);
	pd_trial_run(&t, workers, items, 64, do_items, &s);
	assert_int_equal(s.done, items);
	assert_int_equal(s.twice, 0);
	around = stored_so(&s, PD_STORES_AROUND);
	through = stored_so(&s, PD_STORES_AHEAD);
	if (tries) {
		uint64_t least = items / 32;

		assert_true(around >= least && through >= least);
	} else {
		assert_int_equal(around + through, 0);
		assert_false(t.tried);
	}
	pd_workers_destroy(workers);
	pd_placement_free(placement);
}

static void test_first_parts_try(void **state)
{
	static const uint64_t items[] = { 64, 100, 1000, 2047, 4096 };

	(void)state;
	for (unsigned int threads = 1; threads <= 3; threads++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(items); i++) {
			pd_trials_forget();
			check_run(threads, items[i], true);
		}
		/* too few to try and do the rest */
		pd_trials_forget();
		check_run(threads, 7, false);
		check_run(threads, 1, false);
	}
}

/* whether these calls are tried, of one thread, and of another hypercube's */
static unsigned int calls_that_try(enum pd_nt nt, uint64_t bytes,
				   const char *algorithm)
{
	struct pimdimm *sys;
	struct pidcomm *hc;
	unsigned int tried = 0;

	pd_trials_forget();
	assert_ok(pimdimm_open("mem:ranks=1,mram=256K", &sys));
	sys->nt = nt;
	for (int i = 0; i < 60; i++) {
		assert_ok(pidcomm_create(sys, 2, (uint32_t[]){ 8, 8 }, &hc));
		assert_ok(pidcomm_set_algorithm(hc, "alltoall", algorithm));
		assert_ok(pidcomm_alltoall(hc, "10", bytes, 0, bytes));
		tried += hc->tried;
		pidcomm_destroy(hc);
	}
	pimdimm_close(sys);
	return tried;
}

/* a few calls of all hypercubes together are tried, and none of little memory */
static void test_calls_try(void **state)
{
	(void)state;
	assert_in_range(calls_that_try(PD_NT_AUTO, 128 << 10, "auto"), 1, 40);
	assert_int_equal(calls_that_try(PD_NT_AUTO, 4 << 10, "auto"), 0);
	assert_int_equal(calls_that_try(PD_NT_ALWAYS, 128 << 10, "auto"), 0);
	assert_int_equal(calls_that_try(PD_NT_NEVER, 128 << 10, "auto"), 0);
	assert_int_equal(calls_that_try(PD_NT_AUTO, 128 << 10, "conventional"),
			 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_first_call_knows, setup),
	cmocka_unit_test_setup(test_guess_counts_for_nothing_else, setup),
	cmocka_unit_test_setup(test_ways_take_turns, setup),
	cmocka_unit_test_setup(test_middle_time_counts, setup),
	cmocka_unit_test_setup(test_middle_call_counts, setup),
	cmocka_unit_test_setup(test_trying_ends, setup),
	cmocka_unit_test_setup(test_change_is_noticed, setup),
	cmocka_unit_test_setup(test_kinds_are_apart, setup),
	cmocka_unit_test_setup(test_kinds_do_not_evict_each_other, setup),
	cmocka_unit_test_setup(test_least_recently_used_goes, setup),
	cmocka_unit_test_setup(test_cold_memory_decides_nothing, setup),
	cmocka_unit_test_setup(test_around_wins_where_nothing_stays, setup),
	cmocka_unit_test_setup(test_disturbed_call_decides_nothing, setup),
	cmocka_unit_test_setup(test_disturbed_round_decides_nothing, setup),
	cmocka_unit_test_setup(test_page_faults_tell_nothing, setup),
	cmocka_unit_test_setup(test_rounds_become_rare, setup),
	cmocka_unit_test_setup(test_two_rounds_outvote_the_past, setup),
	cmocka_unit_test_setup(test_first_parts_try, setup),
	cmocka_unit_test_setup(test_calls_try, setup),
};

UNIT_MAIN(tests)

// SPDX-License-Identifier: MIT
/* Stores around the caches or through them: the first calls try, later ones know. */
#include "../../collectives/hypercube.h"
#include "../../runtime/system.h"
#include "unit.h"

#define MIB (1024.0 * 1024)

static const struct pidcomm_algorithm *algorithm(unsigned int n)
{
	static const char places[64 * sizeof(void *)];

	return (const void *)(places + n * sizeof(void *));
}

static struct pc_kind kind(unsigned int n, uint32_t axes, uint64_t work_set)
{
	return (struct pc_kind){ algorithm(n), axes, work_set };
}

static struct pc_trials *trials(void **state)
{
	return *state;
}

static int setup(void **state)
{
	*state = need(calloc(1, sizeof(struct pc_trials)));
	pc_trials_init(*state);
	return 0;
}

static int teardown(void **state)
{
	pc_trials_destroy(*state);
	free(*state);
	return 0;
}

/* a call, which takes so many ns a MiB either way; how it stored */
static enum pd_stores call(struct pc_trials *t, const struct pc_kind *k,
			   double around, double through, bool *open)
{
	enum pd_stores stores = pc_trials_choose(t, k, open);
	double ns = stores == PD_STORES_AHEAD ? through : around;

	assert_true(stores == PD_STORES_AHEAD || stores == PD_STORES_AROUND);
	if (*open)
		pc_trials_learn(t, k, stores,
				(uint64_t)(ns * (double)k->work_set / MIB));
	return stores;
}

/* calls until it is decided; what it is then, for good */
static enum pd_stores decide(struct pc_trials *t, const struct pc_kind *k,
			     double around, double through, unsigned int *calls)
{
	enum pd_stores stores;
	bool open = true;

	for (*calls = 0; open; (*calls)++) {
		assert_true(*calls < 100);
		stores = call(t, k, around, through, &open);
	}
	for (int i = 0; i < 10; i++)
		assert_int_equal(call(t, k, through, around, &open), stores);
	assert_false(open);
	return stores;
}

static void test_faster_wins(void **state)
{
	struct pc_kind a = kind(1, 1, 64 << 20), b = kind(2, 1, 64 << 20);
	unsigned int calls;

	assert_int_equal(decide(trials(state), &a, 100e3, 130e3, &calls),
			 PD_STORES_AROUND);
	assert_int_equal(decide(trials(state), &b, 130e3, 100e3, &calls),
			 PD_STORES_AHEAD);
}

static void test_both_are_tried_in_turn(void **state)
{
	struct pc_kind k = kind(0, 1, 64 << 20);
	bool open;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(call(trials(state), &k, 1e5, 1e5, &open),
				 PD_STORES_AROUND);
		assert_int_equal(call(trials(state), &k, 1e5, 1e5, &open),
				 PD_STORES_AHEAD);
		assert_true(open);
	}
	call(trials(state), &k, 1e5, 1e5, &open);
	assert_false(open);
}

/* one disturbed time of a way does not decide against it */
static void test_least_time_counts(void **state)
{
	struct pc_kind k = kind(3, 1, 64 << 20);
	unsigned int calls;
	bool open;

	for (int i = 0; i < 4; i++)
		call(trials(state), &k, 100e3, 900e3, &open);
	assert_int_equal(decide(trials(state), &k, 100e3, 50e3, &calls),
			 PD_STORES_AHEAD);
}

/* work sets within twice each other are of a kind, and speeds compare */
static void test_speeds_not_times(void **state)
{
	struct pc_trials *t = trials(state);
	struct pc_kind small = kind(4, 1, 64 << 20);
	struct pc_kind large = kind(4, 1, (128 << 20) - 1);
	bool open;

	for (int i = 0; i < 3; i++) {
		call(t, &small, 110e3, 100e3, &open);
		call(t, &large, 110e3, 100e3, &open);
	}
	/* around was timed on the smaller, through on the larger one */
	assert_int_equal(call(t, &small, 1, 1, &open), PD_STORES_AHEAD);
	assert_false(open);
}

static void test_kinds_are_apart(void **state)
{
	struct pc_trials *t = trials(state);
	struct pc_kind k = kind(5, 1, 64 << 20);
	struct pc_kind other[] = { kind(6, 1, 64 << 20), kind(5, 2, 64 << 20),
				   kind(5, 1, 128 << 20) };
	unsigned int calls;
	bool open;

	assert_int_equal(decide(t, &k, 130e3, 100e3, &calls), PD_STORES_AHEAD);
	for (size_t i = 0; i < ARRAY_SIZE(other); i++) {
		pc_trials_choose(t, &other[i], &open);
		assert_true(open);
	}
	assert_int_equal(pc_trials_choose(t, &k, &open), PD_STORES_AHEAD);
	assert_false(open);
}

/* a kind whose place another took begins again, and what comes late for it is
 * not put down to the other */
static void test_places_are_taken(void **state)
{
	struct pc_trials *t = trials(state);
	struct pc_kind k = kind(0, 0, 64 << 20), other;
	unsigned int calls;
	bool open;

	assert_int_equal(decide(t, &k, 130e3, 100e3, &calls), PD_STORES_AHEAD);
	for (unsigned int axes = 1; axes < 64; axes++) {
		other = kind(0, axes * 64, 64 << 20);
		pc_trials_choose(t, &other, &open);
		assert_true(open);
		pc_trials_learn(t, &k, PD_STORES_AROUND, 1);
	}
	assert_int_equal(decide(t, &other, 130e3, 100e3, &calls),
			 PD_STORES_AHEAD);
	assert_int_equal(decide(t, &k, 100e3, 130e3, &calls), PD_STORES_AROUND);
}

/* where no call is fit to learn from, trying ends all the same */
static void test_patience_ends(void **state)
{
	struct pc_kind k = kind(7, 1, 64 << 20);
	bool open = true;
	int calls = 0;

	while (open) {
		assert_true(calls++ < 100);
		pc_trials_choose(trials(state), &k, &open);
	}
	assert_int_equal(pc_trials_choose(trials(state), &k, &open),
			 PD_STORES_AROUND);
}

/* calls whose time the hypercube has learned from */
static unsigned int learned(const struct pidcomm *hc)
{
	unsigned int timed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(hc->trials.at); i++)
		timed += hc->trials.at[i].around.timed +
			 hc->trials.at[i].through.timed;
	return timed;
}

/* how many of these calls are, where caches hold so much */
static unsigned int learned_of(enum pd_nt nt, uint64_t cache_bytes)
{
	struct pimdimm *sys;
	struct pidcomm *hc;
	unsigned int timed;

	assert_ok(pimdimm_open("mem:ranks=1,mram=64K", &sys));
	assert_ok(pidcomm_create(sys, 2, (uint32_t[]){ 8, 8 }, &hc));
	sys->nt = nt;
	sys->cache_bytes = cache_bytes;
	for (int i = 0; i < 40; i++)
		assert_ok(pidcomm_alltoall(hc, "10", 4096, 0, 4096));
	timed = learned(hc);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	return timed;
}

/* those beyond the caches; not the first one, which touches its pages */
static void test_calls_are_learned_from(void **state)
{
	(void)state;
	assert_in_range(learned_of(PD_NT_AUTO, 4096), 6, 23);
	assert_int_equal(learned_of(PD_NT_AUTO, UINT64_C(1) << 40), 0);
	assert_int_equal(learned_of(PD_NT_ALWAYS, 4096), 0);
	assert_int_equal(learned_of(PD_NT_NEVER, 4096), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_faster_wins, setup, teardown),
	cmocka_unit_test_setup_teardown(test_both_are_tried_in_turn, setup,
					teardown),
	cmocka_unit_test_setup_teardown(test_least_time_counts, setup, teardown),
	cmocka_unit_test_setup_teardown(test_speeds_not_times, setup, teardown),
	cmocka_unit_test_setup_teardown(test_kinds_are_apart, setup, teardown),
	cmocka_unit_test_setup_teardown(test_places_are_taken, setup, teardown),
	cmocka_unit_test_setup_teardown(test_patience_ends, setup, teardown),
	cmocka_unit_test(test_calls_are_learned_from),
};

UNIT_MAIN(tests)

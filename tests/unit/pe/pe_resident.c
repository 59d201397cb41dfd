// SPDX-License-Identifier: MIT
/* PEs that wait in workers of their own: what comes of them is the same without. */
#include "runtime/pe/state.h"
#include "tests/unit/pe/pe_unit.h"

#define PES	9u
#define MRAM	(64u << 10)

/* as the program has them */
enum act { RING, ALL_TO_ALL, WAIT_FOR_NOBODY, WRONG_PE, WRONG_ENTRY, FOR_EVER,
	   FLOOD, FAULTY, NO_ROOM, FRAMES, PLACES, LETTERS, HOLDS };

static const struct {
	const char *resident, *threads;
} ways[] = {
	{ "0", "1" }, { "1", "1" }, { "64", "1" }, { "0", "5" }, { "3", "5" }, { "64", "5" },
};

/* all that a launch leaves */
struct left {
	int ret;
	struct pimdimm_times total;
	uint64_t cycles;
	uint32_t stack_used, nr_faulted;
	uint8_t wram[PES][PE_WRAM_BYTES];
	uint8_t mram[PES][MRAM];
};

static void open_unit(struct pe_unit *u, uint32_t nr_pes, enum act act)
{
	pe_unit_open(u, "mem:ranks=1,mram=64K", "parcels", nr_pes);
	for (uint32_t pe = 0; pe < nr_pes; pe++) {
		uint64_t hops = 5 * nr_pes;

		pe_set32(u, pe, "act", act);
		pe_set32(u, pe, "nr_pes", nr_pes);
		pe_set(u, pe, "hops", &hops, 8);
	}
}

static void assert_none_left(const struct pe_unit *u)
{
	assert_int_equal(u->sys->pe->nr_spared, 0);
}

static void run_act(enum act act, struct left *left)
{
	static uint8_t filled[MRAM];
	struct pe_unit u;

	open_unit(&u, PES, act);
	memset(filled, 0x5a, sizeof(filled));
	for (uint32_t pe = 0; pe < PES; pe++)
		assert_ok(pimdimm_write(u.sys, pe, 0, filled, MRAM));
	left->ret = pe_unit_run(&u);
	left->total = u.run.total;
	left->cycles = u.run.cycles;
	left->stack_used = u.run.stack_used;
	left->nr_faulted = u.run.nr_faulted;
	for (uint32_t pe = 0; pe < PES; pe++) {
		assert_ok(pimdimm_wram_read(u.sys, pe, 0, left->wram[pe], PE_WRAM_BYTES));
		assert_ok(pimdimm_read(u.sys, pe, 0, left->mram[pe], MRAM));
	}
	assert_none_left(&u);
	pe_unit_close(&u);
}

static void assert_same(const struct left *a, const struct left *b)
{
	assert_int_equal(a->ret, b->ret);
	assert_int_equal(a->nr_faulted, b->nr_faulted);
	assert_int_equal(a->cycles, b->cycles);
	assert_int_equal(a->total.instructions, b->total.instructions);
	assert_int_equal(a->total.dma_bytes, b->total.dma_bytes);
	assert_int_equal(a->stack_used, b->stack_used);
	assert_memory_equal(a->wram, b->wram, sizeof(a->wram));
	assert_memory_equal(a->mram, b->mram, sizeof(a->mram));
}

/* One act by all numbers of workers and threads. */
static void check_act(enum act act)
{
	static struct left first, other;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		setenv("PIMDIMM_THREADS", ways[i].threads, 1);
		setenv("PIMDIMM_RESIDENT", ways[i].resident, 1);
		run_act(act, i ? &other : &first);
		if (i)
			assert_same(&first, &other);
	}
	unsetenv("PIMDIMM_THREADS");
	unsetenv("PIMDIMM_RESIDENT");
}

/* One token: nothing depends on who runs a PE, the clock neither. */
static void test_ring(void **state)
{
	(void)state;
	check_act(RING);
}

static void test_random(void **state)
{
	static const enum act acts[] = { ALL_TO_ALL, LETTERS, HOLDS };

	(void)state;
	setenv("PIMDIMM_SCHEDULE", "random:11", 1);
	for (size_t i = 0; i < ARRAY_SIZE(acts); i++)
		check_act(acts[i]);
	unsetenv("PIMDIMM_SCHEDULE");
}

static void count_entries(const char *resident, uint32_t nr_pes, uint64_t *hand_overs,
			  uint64_t *reloads)
{
	struct pe_unit u;

	setenv("PIMDIMM_RESIDENT", resident, 1);
	open_unit(&u, nr_pes, RING);
	assert_ok(pe_unit_run(&u));
	*hand_overs = u.sys->pe->nr_hand_overs;
	*reloads = u.sys->pe->nr_reloads;
	pe_unit_close(&u);
	unsetenv("PIMDIMM_RESIDENT");
}

/*
 * Whoever is kept is handed over to; only its first return is a reload. The token comes to each
 * PE five times: PE 0, which sends it off, returns for each of them, the others for all but the
 * first, which is there as they begin.
 */
static void test_hand_overs(void **state)
{
	const uint32_t n = 8;
	const uint64_t all = 4 * n + 1;
	uint64_t hand_overs, reloads;

	(void)state;
	count_entries("0", n, &hand_overs, &reloads);
	assert_int_equal(hand_overs, 0);
	assert_int_equal(reloads, all);
	count_entries("64", n, &hand_overs, &reloads);
	assert_int_equal(hand_overs, all - n);
	assert_int_equal(reloads, n);
	/* PE 0 is kept; the others of the ring go on as they did */
	count_entries("1", n, &hand_overs, &reloads);
	assert_int_equal(hand_overs, 4);
	assert_int_equal(reloads, all - 4);
}

/* Who faults, waits for ever or does not end leaves no worker behind. */
static void test_faults(void **state)
{
	static const struct {
		enum act act;
		const char *words;
	} bad[] = {
		{ WAIT_FOR_NOBODY, "deadlock" },
		{ WRONG_PE, "it does not run this program" },
		{ FOR_EVER, "did not end in 2000 ms" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct pe_unit u;

		/* a ring whose fourth PE does something else: the others wait for ever */
		open_unit(&u, PES, RING);
		pe_set32(&u, 3, "act", bad[i].act);
		u.run.timeout_ms = bad[i].act == FOR_EVER ? 2000 : 200000;
		assert_refused(pe_unit_run(&u), EFAULT,
			       bad[i].act == WRONG_PE ? "deadlock" : bad[i].words);
		assert_none_left(&u);
		pe_set32(&u, 3, "act", RING);
		u.run.timeout_ms = 200000;
		for (uint32_t pe = 0; pe < PES; pe++)
			pe_set32(&u, pe, "full", 0);
		assert_ok(pe_unit_run(&u));
		assert_none_left(&u);
		pe_unit_close(&u);
	}
}

static void test_refused(void **state)
{
	static const char *const wrong[] = { "65", "-1", "many", "1K" };
	struct pe_unit u;

	(void)state;
	open_unit(&u, 2, RING);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		setenv("PIMDIMM_RESIDENT", wrong[i], 1);
		assert_refused(pe_unit_run(&u), EINVAL, "expected 0 to 64 workers");
	}
	unsetenv("PIMDIMM_RESIDENT");
	pe_unit_close(&u);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ring),
	cmocka_unit_test(test_random),
	cmocka_unit_test(test_hand_overs),
	cmocka_unit_test(test_faults),
	cmocka_unit_test(test_refused),
};

UNIT_MAIN(tests)

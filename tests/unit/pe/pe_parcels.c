// SPDX-License-Identifier: MIT
/* Parcels between PEs; PEs that are left waiting and entered again. */
#include "tests/unit/pe/pe_unit.h"

enum act { RING, ALL_TO_ALL, WAIT_FOR_NOBODY, WRONG_PE, WRONG_ENTRY, FOR_EVER,
	   FLOOD, FAULTY, NO_ROOM, FRAMES, PLACES, LETTERS, HOLDS, WRONG, FORGE,
	   OVERFLOW };

static void start(struct pe_unit *u, uint32_t nr_pes, enum act act)
{
	pe_unit_open(u, "mem:ranks=1,mram=64K", "parcels", nr_pes);
	for (uint32_t pe = 0; pe < nr_pes; pe++) {
		pe_set32(u, pe, "act", act);
		pe_set32(u, pe, "nr_pes", nr_pes);
	}
}

static uint64_t get64(const struct pe_unit *u, uint32_t pe, const char *name)
{
	uint64_t value;

	pe_get(u, pe, name, &value, 8);
	return value;
}

static void test_ring(void **state)
{
	static const uint32_t sizes[] = { 1, 2, 8, 9, 40 };
	struct pe_unit u;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint32_t n = sizes[i];
		uint64_t hops = 5 * n, sum = 0;

		start(&u, n, RING);
		for (uint32_t pe = 0; pe < n; pe++)
			pe_set(&u, pe, "hops", &hops, 8);
		assert_ok(pe_unit_run(&u));
		for (uint32_t pe = 0; pe < n; pe++) {
			sum += get64(&u, pe, "sum");
			assert_int_equal(pe_get32(&u, pe, "odd"), 0);
		}
		assert_int_equal(sum, hops * (hops + 1) / 2);
		pe_unit_close(&u);
	}
}

static void test_all_to_all(void **state)
{
	const uint32_t n = 20;
	struct pe_unit u;

	(void)state;
	start(&u, n, ALL_TO_ALL);
	for (uint32_t round = 1; round <= 2; round++) {
		assert_ok(pe_unit_run(&u));
		for (uint32_t pe = 0; pe < n; pe++) {
			assert_int_equal(pe_get32(&u, pe, "got"),
					 round * n * 10);
			assert_int_equal(get64(&u, pe, "sum"),
					 round * (10 * 1000 * n * (n - 1) / 2 +
						  n * 45));
		}
	}
	pe_unit_close(&u);
}

static void test_nobody(void **state)
{
	struct pe_unit u;

	(void)state;
	start(&u, 16, ALL_TO_ALL);
	pe_set32(&u, 9, "act", WAIT_FOR_NOBODY);
	assert_refused(pe_unit_run(&u), EFAULT, "deadlock");
	assert_int_equal(u.run.nr_faulted, 1);
	assert_int_equal(u.run.first.pe, 9);
	assert_non_null(strstr(u.run.first.text,
			       "tasklet 0 waits for a word to be full (WRAM"));
	/* what was sent to it ran all the same */
	assert_int_equal(pe_get32(&u, 9, "got"), 15 * 10);
	pe_unit_close(&u);
}

static void test_refused(void **state)
{
	static const struct {
		enum act act;
		const char *word;
	} refused[] = {
		{ WRONG_PE, "parcel to PE 8: it does not run this program" },
		{ WRONG_ENTRY, "parcel to PE 0: its entry is no code" },
	};
	struct pe_unit u;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		start(&u, 8, WAIT_FOR_NOBODY);
		for (uint32_t pe = 0; pe < 8; pe++)
			pe_set32(&u, pe, "act", FAULTY);
		pe_set32(&u, 3, "act", refused[i].act);
		/* a quarter of a million parcels, on a machine that is busy */
		u.run.timeout_ms = 200000;
		assert_refused(pe_unit_run(&u), EFAULT, refused[i].word);
		assert_int_equal(u.run.first.kind, PE_FAULT_RUNTIME);
		assert_int_equal(u.run.first.pe, 3);
		/* the fault that a parcel brought is its receiver's */
		assert_true(u.faulted[5]);
		assert_int_equal(u.run.nr_faulted, 2);
		pe_unit_close(&u);
	}
}

/* each turn is short, all together are as long as any endless loop */
static void test_for_ever(void **state)
{
	struct pe_unit u;

	(void)state;
	start(&u, 3, FAULTY);
	pe_set32(&u, 0, "act", ALL_TO_ALL);
	pe_set32(&u, 1, "act", FOR_EVER);
	u.run.timeout_ms = 2000;
	assert_refused(pe_unit_run(&u), EFAULT, "did not end in 2000 ms");
	assert_int_equal(u.run.first.pe, 1);
	assert_int_equal(u.run.nr_faulted, 1);
	pe_unit_close(&u);
}

/* More than an inbox takes: the sender waits, and all come in order. */
static void test_flood(void **state)
{
	uint64_t hops = 5000;
	struct pe_unit u;

	(void)state;
	start(&u, 4, FAULTY);
	pe_set32(&u, 0, "act", ALL_TO_ALL);
	pe_set32(&u, 0, "nr_pes", 0);
	pe_set32(&u, 3, "act", FLOOD);
	pe_set(&u, 3, "hops", &hops, 8);
	assert_ok(pe_unit_run(&u));
	assert_int_equal(pe_get32(&u, 0, "got"), hops);
	assert_int_equal(pe_get32(&u, 0, "odd"), 0);
	pe_unit_close(&u);
}

/* Nobody is left to make room: who waits for whom is said. */
static void test_no_room(void **state)
{
	struct pe_unit u;

	(void)state;
	start(&u, 8, ALL_TO_ALL);
	for (uint32_t pe = 0; pe < 8; pe++)
		pe_set32(&u, pe, "nr_pes", 0);
	pe_set32(&u, 3, "act", NO_ROOM);
	assert_refused(pe_unit_run(&u), EFAULT, "PE 3, tasklet 0: deadlock");
	assert_int_equal(u.run.nr_faulted, 2);
	assert_true(u.faulted[5]);
	assert_non_null(strstr(u.run.first.text,
			       "tasklet 0 waits for room for a parcel to PE 5"));
	assert_int_equal(pe_get32(&u, 5, "got"), PE_TRAVELLERS);
	pe_unit_close(&u);
	/* and the one that has no room left */
	start(&u, 8, ALL_TO_ALL);
	for (uint32_t pe = 0; pe < 8; pe++)
		pe_set32(&u, pe, "nr_pes", 0);
	pe_set32(&u, 6, "act", NO_ROOM);
	assert_refused(pe_unit_run(&u), EFAULT, "PE 5, tasklet 0: deadlock");
	assert_non_null(strstr(u.run.first.text, "traveller 7 waits for a word to be full"));
	pe_unit_close(&u);
}

static void test_frames(void **state)
{
	const uint32_t n = 9;
	struct pe_unit u;

	(void)state;
	start(&u, n, FRAMES);
	assert_ok(pe_unit_run(&u));
	for (uint32_t pe = 0; pe < n; pe++) {
		assert_int_equal(pe_get32(&u, pe, "odd"), 0);
		assert_int_equal(pe_get32(&u, pe, "got"), n * (PE_FRAME_MAX + 1));
	}
	pe_unit_close(&u);
}

static void test_places(void **state)
{
	struct pe_unit u;

	(void)state;
	start(&u, 3, PLACES);
	assert_ok(pe_unit_run(&u));
	for (uint32_t pe = 0; pe < 3; pe++) {
		assert_int_equal(get64(&u, pe, "sum"), 40);
		assert_int_equal(pe_get32(&u, pe, "got"), PE_TRAVELLERS);
	}
	pe_unit_close(&u);
}

/* what the program's letters are: see there */
static const uint32_t sizes[] = { 1, 7, 8, 64, 100, 3000, 4096, 8191 };

static void check_gaps(const struct pe_unit *u, uint32_t pe)
{
	static uint8_t mram[0x8000];
	uint32_t at = 0x1001;

	assert_ok(pimdimm_read(u->sys, pe, 0, mram, sizeof(mram)));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (uint32_t k = 1; k <= 3; k++)
			assert_int_equal(mram[at - k], 0x5a);
		at += sizes[i] + 3;
	}
	for (; at < sizeof(mram); at++)
		assert_int_equal(mram[at - 3], 0x5a);
}

/* Payloads come whole, and nothing beside them changes. */
static void test_letters(void **state)
{
	static uint8_t mram[0x10000];
	const uint32_t n = 9;
	struct pe_unit u;

	(void)state;
	start(&u, n, LETTERS);
	memset(mram, 0x5a, sizeof(mram));
	for (uint32_t pe = 0; pe < n; pe++)
		assert_ok(pimdimm_write(u.sys, pe, 0, mram, sizeof(mram)));
	assert_ok(pe_unit_run(&u));
	for (uint32_t pe = 0; pe < n; pe++) {
		assert_int_equal(pe_get32(&u, pe, "odd"), 0);
		assert_int_equal(pe_get32(&u, pe, "got"), 2 * ARRAY_SIZE(sizes));
		check_gaps(&u, pe);
	}
	pe_unit_close(&u);
}

/* What is aboard stays so while its traveller waits, and its PE is given up. */
static void test_holds(void **state)
{
	struct pe_unit u;

	(void)state;
	start(&u, 3, HOLDS);
	assert_ok(pe_unit_run(&u));
	assert_int_equal(pe_get32(&u, 1, "odd"), 0);
	assert_int_equal(pe_get32(&u, 1, "got"), 7);
	pe_unit_close(&u);
}

static void test_wrong(void **state)
{
	static const struct {
		uint32_t kind;
		const char *words;
	} due[] = {
		{ PE_FAULT_RUNTIME, "expected a frame of up to 128 bytes" },
		{ PE_FAULT_RUNTIME, "expected a frame of up to 128 bytes" },
		{ PE_FAULT_RUNTIME, "the MRAM ends before its payload" },
		{ PE_FAULT_ACCESS, "access to MRAM" },
		{ PE_FAULT_ACCESS, "access to WRAM" },
		{ PE_FAULT_ACCESS, "no memory of a PE" },
	};
	struct pe_unit u;

	(void)state;
	for (uint64_t i = 0; i < ARRAY_SIZE(due); i++) {
		start(&u, 8, ALL_TO_ALL);
		pe_set32(&u, 3, "act", WRONG);
		pe_set(&u, 3, "hops", &i, 8);
		assert_refused(pe_unit_run(&u), EFAULT, due[i].words);
		assert_int_equal(u.run.first.kind, due[i].kind);
		assert_int_equal(u.run.first.pe, 3);
		assert_int_equal(u.run.nr_faulted, 1);
		assert_non_null(strstr(u.run.first.text, "parcels.c:"));
		assert_int_equal(pe_get32(&u, 0, "got"), 7 * 10);
		pe_unit_close(&u);
	}
}

/* Whatever lies where parcels do, the others have theirs. */
static void test_forged(void **state)
{
	struct pe_unit u;

	(void)state;
	for (uint64_t i = 0; i < 32; i++) {
		int ret;

		start(&u, 8, ALL_TO_ALL);
		pe_set32(&u, 3, "act", FORGE);
		pe_set(&u, 3, "hops", &i, 8);
		ret = pe_unit_run(&u);
		assert_true(!ret || (ret == -EFAULT && u.run.first.pe == 3));
		assert_int_equal(u.run.nr_faulted, !!ret);
		for (uint32_t pe = 1; pe < 8; pe++) {
			if (pe != 3)
				assert_int_equal(pe_get32(&u, pe, "got"), 7 * 10);
		}
		pe_unit_close(&u);
	}
}

static void test_overflow(void **state)
{
	struct pe_unit u;

	(void)state;
	start(&u, 2, OVERFLOW);
	assert_refused(pe_unit_run(&u), EFAULT, "PE 0, traveller 0: stack overflow");
	assert_non_null(strstr(u.run.first.text, "a traveller has 4096"));
	assert_int_equal(u.run.first.tasklet, PE_MAX_TASKLETS);
	pe_unit_close(&u);
}

/* The same seed: the same order, whoever runs the PEs. */
static void test_order(void **state)
{
	const uint32_t n = 12;
	uint64_t sums[2][3];

	(void)state;
	for (int seed = 0; seed < 2; seed++) {
		char text[32];

		snprintf(text, sizeof(text), "random:%d", seed + 5);
		setenv("PIMDIMM_SCHEDULE", text, 1);
		for (int k = 0; k < 3; k++) {
			struct pe_unit u;

			start(&u, n, ALL_TO_ALL);
			if (pe_unit_run(&u))
				fail_msg("seed %d: %s", seed, pimdimm_errmsg());
			sums[seed][k] = 0;
			for (uint32_t pe = 0; pe < n; pe++) {
				assert_int_equal(pe_get32(&u, pe, "got"), n * 10);
				sums[seed][k] = sums[seed][k] * 1000003 +
						get64(&u, pe, "order");
			}
			pe_unit_close(&u);
		}
		assert_int_equal(sums[seed][0], sums[seed][1]);
		assert_int_equal(sums[seed][0], sums[seed][2]);
	}
	unsetenv("PIMDIMM_SCHEDULE");
	assert_int_not_equal(sums[0][0], sums[1][0]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ring),
	cmocka_unit_test(test_all_to_all),
	cmocka_unit_test(test_nobody),
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_for_ever),
	cmocka_unit_test(test_flood),
	cmocka_unit_test(test_no_room),
	cmocka_unit_test(test_frames),
	cmocka_unit_test(test_places),
	cmocka_unit_test(test_letters),
	cmocka_unit_test(test_holds),
	cmocka_unit_test(test_wrong),
	cmocka_unit_test(test_forged),
	cmocka_unit_test(test_overflow),
	cmocka_unit_test(test_order),
};

UNIT_MAIN(tests)

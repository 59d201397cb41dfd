// SPDX-License-Identifier: MIT
/* Parcels between PEs; PEs that are left waiting and entered again. */
#include "tests/unit/pe/pe_unit.h"

enum act { RING, ALL_TO_ALL, WAIT_FOR_NOBODY, WRONG_PE, WRONG_ENTRY, FOR_EVER,
	   FLOOD, FAULTY };

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
		{ FLOOD, "parcel to PE 0: too many" },
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
	u.run.timeout_ms = 200;
	assert_refused(pe_unit_run(&u), EFAULT, "did not end in 200 ms");
	assert_int_equal(u.run.first.pe, 1);
	assert_int_equal(u.run.nr_faulted, 1);
	pe_unit_close(&u);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ring),
	cmocka_unit_test(test_all_to_all),
	cmocka_unit_test(test_nobody),
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_for_ever),
};

UNIT_MAIN(tests)

// SPDX-License-Identifier: MIT
/*
 * A program writes noise to the memory that it shares with the host while the host
 * reads it: the host tells of a fault or of none, within its time, and the PEs after
 * it find nothing of that. What a round does follows from its number.
 */
#include "tests/unit/pe/pe_unit.h"

#ifdef __SANITIZE_ADDRESS__
#define ROUNDS	150
#else
#define ROUNDS	400
#endif

static void disturb(struct pe_unit *u, uint64_t seed, unsigned int *faults)
{
	const uint32_t pe = 3;
	struct pimdimm_run run = { .size = sizeof(run), .timeout_ms = 100 };
	int ret;

	assert_ok(pimdimm_load(u->sys, &pe, 1, u->program));
	pe_set(u, pe, "seed", &seed, sizeof(seed));
	ret = pimdimm_run(u->sys, &pe, 1, &run);
	if (ret && ret != -EFAULT)
		fail_msg("round %llu: %d: %s", (unsigned long long)seed, ret,
			 pimdimm_errmsg());
	for (const char *c = run.first.text; ret && *c; c++)
		assert_in_range(*c, ' ', '~');
	*faults += ret != 0;
	assert_ok(pimdimm_load(u->sys, &pe, 1, u->program));
}

static void test_noise(void **state)
{
	unsigned int faults = 0;
	struct pe_unit u;

	(void)state;
	setenv("PIMDIMM_THREADS", "1", 1);
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "noise", 8);
	unsetenv("PIMDIMM_THREADS");
	/* no round takes longer, by far */
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		alarm(600);
		disturb(&u, seed * 0x9e3779b97f4a7c15, &faults);
		assert_ok(pe_unit_run(&u));
		for (uint32_t pe = 0; pe < 8; pe++)
			assert_int_equal(pe_get32(&u, pe, "answer"), pe + 42);
	}
	alarm(0);
	pe_unit_close(&u);
	printf("# %u of %u rounds were faults\n", faults, ROUNDS);
	assert_true(faults > ROUNDS / 4);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_noise),
};

UNIT_MAIN(tests)

// SPDX-License-Identifier: MIT
/* What a PE leaves behind is not there for the next one of its worker. */
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "tests/unit/pe/pe_unit.h"

#define SECRET	0x5ec4e7a1d00dfeed

#define HAS_BASES	2	/* of AT_HWCAP2 */

enum act { SPILL, LOOK, ASK };

static void set_act(const struct pe_unit *u, uint32_t pe, enum act act)
{
	const uint64_t secret = SECRET;

	pe_set32(u, pe, "act", act);
	pe_set32(u, pe, "bases", getauxval(AT_HWCAP2) & HAS_BASES);
	pe_set(u, pe, "secret", &secret, 8);
}

static void test_leaks(void **state)
{
	static const char *const places[] = {
		"found_registers", "found_segments", "found_stacks",
		"found_shared", "found_mram",
	};
	struct pe_unit u;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "leaks", 8);
	/* twice: the second time the worker knows where PEs leave what */
	for (int round = 0; round < 2; round++) {
		for (uint32_t pe = 0; pe < 8; pe++)
			set_act(&u, pe, pe % 2 ? LOOK : SPILL);
		assert_ok(pe_unit_run(&u));
		for (uint32_t pe = 1; pe < 8; pe += 2) {
			for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
				if (pe_get32(&u, pe, places[i]))
					fail_msg("PE %u: %s", pe, places[i]);
			}
		}
	}
	pe_unit_close(&u);
}

/* What the PE before has set a timer to is the kernel's to tell, and it does not. */
static void test_timer(void **state)
{
	struct pe_unit u;
	char call[32];

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "leaks", 2);
	set_act(&u, 0, SPILL);
	set_act(&u, 1, ASK);
	snprintf(call, sizeof(call), "system call %d", SYS_setitimer);
	assert_refused(pe_unit_run(&u), EFAULT, call);
	assert_int_equal(u.run.first.pe, 1);
	assert_int_equal(pe_get32(&u, 1, "found_timer"), 0);
	pe_unit_close(&u);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_leaks),
	cmocka_unit_test(test_timer),
};

UNIT_MAIN(tests)

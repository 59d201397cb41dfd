// SPDX-License-Identifier: MIT
/* What a PE leaves behind is not there for the next one of its worker. */
#include "pe_unit.h"

#define SECRET	0x5ec4e7a1d00dfeed

enum act { SPILL, LOOK };

static void test_leaks(void **state)
{
	static const char *const places[] = {
		"found_registers", "found_stacks", "found_shared", "found_mram",
	};
	const uint64_t secret = SECRET;
	struct pe_unit u;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "leaks", 8);
	/* twice: the second time the worker knows where PEs leave what */
	for (int round = 0; round < 2; round++) {
		for (uint32_t pe = 0; pe < 8; pe++) {
			pe_set32(&u, pe, "act", pe % 2 ? LOOK : SPILL);
			pe_set(&u, pe, "secret", &secret, 8);
		}
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_leaks),
};

UNIT_MAIN(tests)

// SPDX-License-Identifier: MIT
/* Faults name the calls that led to them, and what was inlined there. */
#include "tests/unit/pe/pe_unit.h"

#define STORE "at frames.c:30 (store), inlined there: frames.c:24 (by_way), frames.c:14 (store_through)"

static const struct {
	uint32_t act;
	const char *text;
} traces[] = {
	{ 1, STORE "; called from frames.c:39 (middle), frames.c:87 (pe_start)" },
	{ 2, "at frames.c:45 (transfer), inlined there: frames.c:19 (fetch); called from frames.c:90 (pe_start)" },
	{ 3, STORE "; called from frames.c:52 (again), frames.c:53 (again) 5 times, frames.c:93 (pe_start)" },
	{ 4, "deadlock, at frames.c:58 (wait_for_ever): tasklet 0 has ended, tasklet 1 waits at a barrier (WRAM 0x18, buffer); called from frames.c:96 (pe_start)" },
	{ 5, "at frames.c:65 (bare); called from frames.c:73 (jump), frames.c:99 (pe_start)" },
};

static void trace_all(const char *name)
{
	struct pe_unit u;

	pe_unit_open(&u, "mem:ranks=1,mram=64K", name, 3);
	for (size_t i = 0; i < ARRAY_SIZE(traces); i++) {
		const char *at;

		pe_set32(&u, 1, "act", traces[i].act);
		assert_int_equal(pe_unit_run(&u), -EFAULT);
		assert_int_equal(u.run.first.pe, 1);
		at = strstr(u.run.first.text, traces[i].text);
		if (!at || strlen(at) != strlen(traces[i].text))
			fail_msg("%s: expected at its end: %s: %s", name, traces[i].text,
				 u.run.first.text);
	}
	pe_unit_close(&u);
}

static void test_traces(void **state)
{
	(void)state;
	trace_all("frames");
}

/* By the debug information of older compilers. */
static void test_versions(void **state)
{
	(void)state;
	trace_all("frames2");
	trace_all("frames3");
	trace_all("frames4");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_traces),
	cmocka_unit_test(test_versions),
};

UNIT_MAIN(tests)

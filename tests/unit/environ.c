// SPDX-License-Identifier: MIT
/* PIMDIMM_ variables: wrong values are refused at open, by name. */
#include "unit.h"

static void refused(const char *name, const char *value, int err)
{
	struct pimdimm *sys = NULL;

	setenv(name, value, 1);
	assert_refused(pimdimm_open("mem:ranks=1,mram=64K", &sys), err, name);
	unsetenv(name);
}

static void taken(const char *name, const char *value)
{
	struct pimdimm *sys;

	setenv(name, value, 1);
	sys = unit_open("mem:ranks=1,mram=64K");
	pimdimm_close(sys);
	unsetenv(name);
}

static void test_threads(void **state)
{
	static const char *const bad[] = {
		"0", "-1", "two", "1.5", "3x", " 3", "99999999999999999999",
		"1000000",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refused("PIMDIMM_THREADS", bad[i], EINVAL);
	taken("PIMDIMM_THREADS", "1");
	taken("PIMDIMM_THREADS", "2");
	taken("PIMDIMM_THREADS", "9");
}

static void test_isa(void **state)
{
	(void)state;
	refused("PIMDIMM_ISA", "sse9", EINVAL);
	refused("PIMDIMM_ISA", "AVX2", EINVAL);
	taken("PIMDIMM_ISA", "portable");
}

static void test_nt(void **state)
{
	(void)state;
	refused("PIMDIMM_NT", "sometimes", EINVAL);
	taken("PIMDIMM_NT", "always");
	taken("PIMDIMM_NT", "never");
}

/* Nothing in the library prints, but for what PIMDIMM_LOG asks for. */
static void test_silent(void **state)
{
	char buf[256] = "";
	struct pimdimm *sys;
	int saved = dup(STDOUT_FILENO), pipes[2];

	(void)state;
	fflush(stdout);
	assert_int_equal(pipe(pipes), 0);
	dup2(pipes[1], STDOUT_FILENO);
	dup2(pipes[1], STDERR_FILENO);
	pimdimm_open("mem:ranks=none", &sys);
	if (!pimdimm_open("mem:ranks=1,mram=64K", &sys))
		pimdimm_close(sys);
	fflush(NULL);
	dup2(saved, STDOUT_FILENO);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(pipes[1]);
	assert_int_equal(read(pipes[0], buf, sizeof(buf)), 0);
	close(pipes[0]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_threads),
	cmocka_unit_test(test_isa),
	cmocka_unit_test(test_nt),
	cmocka_unit_test(test_silent),
};

UNIT_MAIN(tests)

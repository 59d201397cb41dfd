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
	taken("PIMDIMM_ISA", "count");
}

static void test_nt(void **state)
{
	(void)state;
	refused("PIMDIMM_NT", "sometimes", EINVAL);
	taken("PIMDIMM_NT", "always");
	taken("PIMDIMM_NT", "never");
}

/* What @run prints on either stream. */
static void capture(void (*run)(void), char *text, size_t bytes)
{
	int saved = dup(STDOUT_FILENO), pipes[2];
	ssize_t got, all = 0;

	fflush(NULL);
	assert_int_equal(pipe(pipes), 0);
	dup2(pipes[1], STDOUT_FILENO);
	dup2(pipes[1], STDERR_FILENO);
	close(pipes[1]);
	run();
	fflush(NULL);
	dup2(saved, STDOUT_FILENO);
	dup2(saved, STDERR_FILENO);
	close(saved);
	while ((got = read(pipes[0], text + all, bytes - 1 - (size_t)all)) > 0)
		all += got;
	text[all] = '\0';
	close(pipes[0]);
}

static void open_some(void)
{
	struct pimdimm *sys;

	pimdimm_open("mem:ranks=none", &sys);
	for (int i = 0; i < 2; i++)
		if (!pimdimm_open("mem:ranks=1,mram=64K", &sys))
			pimdimm_close(sys);
}

/* The first open of this program, which warns once and no more. */
static void test_unknown(void **state)
{
	char text[4096], *found;

	(void)state;
	setenv("PIMDIMM_TRHEADS", "2", 1);
	capture(open_some, text, sizeof(text));
	unsetenv("PIMDIMM_TRHEADS");
	found = strstr(text, "PIMDIMM_TRHEADS");
	assert_non_null(found);
	assert_null(strstr(found + 1, "PIMDIMM_TRHEADS"));
}

/* Nothing in the library prints, but for that and what PIMDIMM_LOG asks for. */
static void test_silent(void **state)
{
	char text[256];

	(void)state;
	capture(open_some, text, sizeof(text));
	assert_string_equal(text, "");
}

static void run_call(void)
{
	static const uint32_t dims[] = { 2, 2, 2 };
	struct pidcomm *hc;
	struct pimdimm *sys;

	if (pimdimm_open("mem:ranks=1,mram=64K", &sys))
		return;
	if (!pidcomm_create(sys, 3, dims, &hc)) {
		pidcomm_allreduce(hc, "101", 4096, 0, 8192, PIDCOMM_I16,
				  PIDCOMM_MAX);
		pidcomm_destroy(hc);
	}
	pimdimm_close(sys);
}

static void test_trace(void **state)
{
	static const char *const words[] = {
		"allreduce", "101", "4096", "i16", "max", "direct",
	};
	char text[4096];

	(void)state;
	refused("PIMDIMM_LOG", "everything", EINVAL);
	setenv("PIMDIMM_LOG", "trace", 1);
	capture(run_call, text, sizeof(text));
	unsetenv("PIMDIMM_LOG");
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strstr(text, words[i]))
			fail_msg("no \"%s\" in: %s", words[i], text);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_unknown),
	cmocka_unit_test(test_threads),
	cmocka_unit_test(test_isa),
	cmocka_unit_test(test_nt),
	cmocka_unit_test(test_silent),
	cmocka_unit_test(test_trace),
};

UNIT_MAIN(tests)

// SPDX-License-Identifier: MIT
/* PIMDIMM_ variables: wrong values are refused at open, by name. */
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/unit/unit.h"

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

/* Read once a process: in one of its own for each, before any system is opened. */
static int cost_of(const char *path)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct pimdimm *sys;

		setenv("PIMDIMM_COST", path, 1);
		if (!pimdimm_open("mem:ranks=1,mram=64K", &sys))
			_exit(0);
		_exit(strstr(pimdimm_errmsg(), "PIMDIMM_COST") ? 1 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_cost(void **state)
{
	char path[] = "/tmp/pimdimm-cost.XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(cost_of(path), 0);
	assert_int_equal(write(fd, "clock_hz = fast\n", 16), 16);
	close(fd);
	assert_int_equal(cost_of(path), 1);
	unlink(path);
	assert_int_equal(cost_of(path), 1);
}

/* Programs for PEs and of UPMEM's read them, others refuse them all the same. */
static void test_others(void **state)
{
	char folder[] = "/tmp/pimdimm-environ.XXXXXX", path[64];

	(void)state;
	refused("PIMDIMM_WATCHDOG", "soon", EINVAL);
	refused("PIMDIMM_WATCHDOG", "0", EINVAL);
	taken("PIMDIMM_WATCHDOG", "1000");
	refused("PIMDIMM_ON_FAULT", "stop", EINVAL);
	refused("PIMDIMM_ON_FAULT", "core:", EINVAL);
	taken("PIMDIMM_ON_FAULT", "wait");
	taken("PIMDIMM_ON_FAULT", "core:somewhere");
	refused("PIMDIMM_DEBUG", "1", EINVAL);
	refused("PIMDIMM_DEBUG", "one:folder", EINVAL);
	taken("PIMDIMM_DEBUG", "1:folder");
	/* read once: wrong ones of all kinds are tests/upmem/timeline.t's */
	taken("PIMDIMM_TRACE_TASKLETS", "0,64-67");
	refused("PIMDIMM_COUNT", "yes", EINVAL);
	taken("PIMDIMM_COUNT", "0");
	taken("PIMDIMM_COUNT", "1");
	assert_non_null(mkdtemp(folder));
	refused("PIMDIMM_REPORT", folder, EISDIR);
	snprintf(path, sizeof(path), "%s/none/report", folder);
	refused("PIMDIMM_REPORT", path, ENOENT);
	snprintf(path, sizeof(path), "%s/report", folder);
	taken("PIMDIMM_REPORT", path);
	taken("PIMDIMM_REPORT", "-");
	taken("PIMDIMM_REPORT", "");
	refused("PIMDIMM_PROFILE_FILE", folder, EISDIR);
	snprintf(path, sizeof(path), "%s/none/profile", folder);
	refused("PIMDIMM_PROFILE_FILE", path, ENOENT);
	snprintf(path, sizeof(path), "%s/profile", folder);
	taken("PIMDIMM_PROFILE_FILE", path);
	/* nothing is made until there is something to tell */
	assert_int_equal(rmdir(folder), 0);
}

/* Messages, datatypes and hosts read them, who may come much later. */
static void test_of_messages(void **state)
{
	(void)state;
	refused("PIMDIMM_EAGER", "64 KiB", EINVAL);
	taken("PIMDIMM_EAGER", "64K");
	refused("PIMDIMM_POOL", "-1", EINVAL);
	taken("PIMDIMM_POOL", "0");
	refused("PIMDIMM_LOITER", "sleep", EINVAL);
	taken("PIMDIMM_LOITER", "poll");
	refused("PIMDIMM_ZEROCOPY", "fast", EINVAL);
	taken("PIMDIMM_ZEROCOPY", "memo");
	refused("PIMDIMM_LAYOUTS", "many", EINVAL);
	taken("PIMDIMM_LAYOUTS", "0");
	refused("PIMDIMM_TIMEOUT", "1s", EINVAL);
	taken("PIMDIMM_TIMEOUT", "1000");
	taken("PIMDIMM_TIMEOUT", "");
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
	refused("PIMDIMM_LOG", "trace;hosts", EINVAL);
	setenv("PIMDIMM_LOG", "trace", 1);
	capture(run_call, text, sizeof(text));
	unsetenv("PIMDIMM_LOG");
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strstr(text, words[i]))
			fail_msg("no \"%s\" in: %s", words[i], text);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_cost),
	cmocka_unit_test(test_unknown),
	cmocka_unit_test(test_others),
	cmocka_unit_test(test_of_messages),
	cmocka_unit_test(test_threads),
	cmocka_unit_test(test_isa),
	cmocka_unit_test(test_nt),
	cmocka_unit_test(test_silent),
	cmocka_unit_test(test_trace),
};

UNIT_MAIN(tests)

// SPDX-License-Identifier: MIT
/*
 * The environment of a setuid program is another's: neither the library's options
 * nor its files are taken from it. To the kernel such a program is one that starts
 * with an effective user who is not its own.
 */
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <pimdimm/program.h>

#include "tests/unit/unit.h"

#define NOBODY	65534

/* exit status of the program that is started */
enum { DONE, REFUSED, NOT_SECURE, NOT_STARTED };

static const char *const wrong[] = {
	"PIMDIMM_URI", "PIMDIMM_THREADS", "PIMDIMM_NT", "PIMDIMM_LOG",
	"PIMDIMM_ISA", "PIMDIMM_INJECT", "PIMDIMM_WATCHDOG", "PIMDIMM_SCHEDULE",
	"PIMDIMM_ON_FAULT", "PIMDIMM_DEBUG",
	"PIMDIMM_COST", "PIMDIMM_COUNT", "PIMDIMM_TRACE_TASKLETS",
};

/* the program that is started */
static int use_all(bool secure)
{
	struct pimdimm *sys;
	int ret;

	if (!!getauxval(AT_SECURE) != secure)
		return NOT_SECURE;
	ret = pimdimm_open(NULL, &sys);
	if (!ret) {
		ret = pimdimm_run(sys, NULL, 0, NULL);
		pimdimm_close(sys);
	}
	if (ret)
		puts(pimdimm_errmsg());
	return ret ? REFUSED : DONE;
}

/* Start it with this variable of this value. */
static int started(bool secure, const char *name, const char *value)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		setenv(name, value, 1);
		/* whoever waits for a FIFO's other end does so for ever */
		alarm(600);
		if (!secure || !setresuid(NOBODY, 0, 0))
			execl("/proc/self/exe", "secure",
			      secure ? "secure" : "plain", NULL);
		_exit(NOT_STARTED);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void test_secure(void **state)
{
	(void)state;
	if (geteuid()) {
		print_message("# only root can make a setuid program\n");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(started(false, wrong[i], "no-such"), REFUSED);
		if (started(true, wrong[i], "no-such"))
			fail_msg("%s is believed", wrong[i]);
	}
}

static void test_fifo(void **state)
{
	char dir[] = "/tmp/pimdimm-secure-XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(started(false, "PIMDIMM_COST", path), REFUSED);
	assert_int_equal(started(false, "PIMDIMM_COST", dir), REFUSED);
	unlink(path);
	rmdir(dir);
}

/* Whoever started it names no file for it to write when it ends. */
static void test_report(void **state)
{
	char dir[] = "/tmp/pimdimm-secure-XXXXXX", path[64];

	(void)state;
	if (geteuid())
		return;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/report", dir);
	assert_int_equal(started(true, "PIMDIMM_REPORT", path), DONE);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(started(false, "PIMDIMM_REPORT", path), DONE);
	assert_int_equal(unlink(path), 0);
	rmdir(dir);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_secure),
	cmocka_unit_test(test_fifo),
	cmocka_unit_test(test_report),
};

int main(int argc, char **argv)
{
	unit_start();
	if (argc > 1)
		return use_all(!strcmp(argv[1], "secure"));
	return cmocka_run_group_tests(tests, NULL, NULL);
}

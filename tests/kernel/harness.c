// SPDX-License-Identifier: MIT
/* Runs each test in a process of its own, with a time limit, and reports in TAP. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/kernel/harness.h"

#define EXIT_PASS 0
#define EXIT_FAIL 1
#define EXIT_SKIP 4

/* A process that cannot be killed within this time never will be. */
#define KILL_SECONDS 10

/* From here on a test's time is worth a remark. */
#define SLOW_SECONDS 1.0

/* With more, a limit in milliseconds would be no int. */
#define MOST_SLOW 100

/* In shared memory: a test's children tell their results here too. */
struct outcome {
	bool failed;
	bool skipped;
	char reason[200];
};

static struct test *tests;
static struct test **tests_tail = &tests;
static struct outcome *outcome;
static unsigned int slow = 1;

void test_register(struct test *test)
{
	*tests_tail = test;
	tests_tail = &test->next;
}

bool test_failed(void)
{
	return outcome->failed;
}

unsigned int test_slowness(void)
{
	return slow;
}

double test_patience(double seconds)
{
	return seconds * slow;
}

static bool read_slow(void)
{
	const char *text = getenv("SELFTEST_SLOW");
	char *rest;

	if (!text)
		return true;
	errno = 0;
	slow = (unsigned int)strtoul(text, &rest, 10);
	return *text && !*rest && !errno && slow >= 1 && slow <= MOST_SLOW;
}

/* One write a line, so that lines of several processes stay whole. */
static void diagnose(const char *prefix, const char *format, va_list args)
{
	char line[512];
	int length;

	length = snprintf(line, sizeof(line), "# %s", prefix);
	length += vsnprintf(line + length, sizeof(line) - length, format, args);
	if (length > (int)sizeof(line) - 2)
		length = sizeof(line) - 2;
	line[length++] = '\n';
	if (write(STDOUT_FILENO, line, length) != length)
		outcome->failed = true;
}

void test_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diagnose("", format, args);
	va_end(args);
}

void test_fail(const char *file, int line, const char *format, ...)
{
	const char *base = strrchr(file, '/');
	char prefix[128];
	va_list args;

	outcome->failed = true;
	snprintf(prefix, sizeof(prefix), "%s:%d: ", base ? base + 1 : file,
		 line);
	va_start(args, format);
	diagnose(prefix, format, args);
	va_end(args);
}

void test_skip(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(outcome->reason, sizeof(outcome->reason), format, args);
	va_end(args);
	outcome->skipped = true;
	_exit(EXIT_SKIP);
}

void test_stop(void)
{
	_exit(EXIT_FAIL);
}

/*
 * The kernel's log, watched for complaints while a test runs. Only when asked
 * to: on a user's machine any driver may complain at any time.
 */
static int open_kernel_log(void)
{
	if (!getenv("SELFTEST_KMSG"))
		return -1;
	return open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static bool is_complaint(const char *record)
{
	static const char *const signs[] = {
		"BUG:", "kernel BUG", "WARNING:", "KASAN", "UBSAN", "Oops",
		"general protection",
		"possible circular", "possible recursive", "suspicious RCU",
		"sleeping function", "scheduling while atomic", "Call Trace",
		"blocked for more than", "list_add corruption",
		"list_del corruption", "bad page state", "refcount_t",
		"non-static key", "locking correctness validator",
	};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (strstr(record, signs[i]))
			return true;
	return false;
}

static void check_kernel_log(int log)
{
	char record[8192];
	ssize_t length;

	if (log < 0)
		return;
	/* EPIPE says that records were overwritten unread: go on. */
	while ((length = read(log, record, sizeof(record) - 1)) > 0 ||
	       (length < 0 && errno == EPIPE)) {
		if (length < 0)
			continue;
		record[length] = '\0';
		record[strcspn(record, "\n")] = '\0';
		if (is_complaint(record))
			test_fail("kmsg", 0, "%s", record);
	}
}

static void run_child(const struct test *test)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	test->run();
	_exit(outcome->failed ? EXIT_FAIL : EXIT_PASS);
}

/* Waits for the child's end, at most @seconds; says whether it came. */
static bool await(int pidfd, double seconds)
{
	struct pollfd poll_fd = { .fd = pidfd, .events = POLLIN };

	return poll(&poll_fd, 1, (int)(seconds * 1000)) == 1;
}

static void judge(const struct test *test, int status)
{
	if (WIFSIGNALED(status))
		test_fail(test->name, 0, "killed by signal %d (%s)",
			  WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) == EXIT_SKIP && outcome->skipped)
		return;
	else if (WEXITSTATUS(status) != EXIT_PASS && !outcome->failed)
		test_fail(test->name, 0, "ended with status %d",
			  WEXITSTATUS(status));
}

static void run_test(const struct test *test)
{
	const double limit = test_patience(test->timeout);
	int log = open_kernel_log();
	int pidfd, status = 0;
	pid_t pid;

	memset(outcome, 0, sizeof(*outcome));
	if (log >= 0)
		lseek(log, 0, SEEK_END);

	pid = fork();
	if (pid == 0)
		run_child(test);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pid < 0 || pidfd < 0) {
		printf("Bail out! no process for %s: %m\n", test->name);
		exit(EXIT_FAIL);
	}

	if (!await(pidfd, limit)) {
		test_fail(test->name, 0, "no end after %.0f s", limit);
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
		if (!await(pidfd, test_patience(KILL_SECONDS))) {
			printf("Bail out! %s cannot be killed\n", test->name);
			exit(EXIT_FAIL);
		}
	}
	/* What the test left running would disturb the next one. */
	kill(-pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(pidfd);
	if (!outcome->failed)
		judge(test, status);
	check_kernel_log(log);
	if (log >= 0)
		close(log);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void report(const struct test *test, int number, double seconds)
{
	/* in one write, so that no line of a test's child comes between */
	bool skipped = outcome->skipped && !outcome->failed;

	printf("%s %d %s%s%s\n", outcome->failed ? "not ok" : "ok", number,
	       test->name, skipped ? " # SKIP " : "",
	       skipped ? outcome->reason : "");
	if (seconds >= SLOW_SECONDS)
		printf("# %s took %.1f s\n", test->name, seconds);
}

static bool is_selected(const struct test *test, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], test->name))
			return true;
	return argc < 2;
}

static int count_selected(int argc, char **argv)
{
	int count = 0;

	for (struct test *test = tests; test; test = test->next)
		count += is_selected(test, argc, argv);
	return count;
}

static int usage(const char *program)
{
	fprintf(stderr, "usage: %s [TEST...]\ntests:\n", program);
	for (struct test *test = tests; test; test = test->next)
		fprintf(stderr, "  %s\n", test->name);
	return 2;
}

int main(int argc, char **argv)
{
	int number = 0, failed = 0, skipped = 0;
	int count = count_selected(argc, argv);

	if (!count)
		return usage(argv[0]);
	if (!read_slow()) {
		printf("Bail out! SELFTEST_SLOW=%s: expected 1 to %d\n",
		       getenv("SELFTEST_SLOW"), MOST_SLOW);
		return EXIT_FAIL;
	}
	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (outcome == MAP_FAILED) {
		printf("Bail out! no memory\n");
		return EXIT_FAIL;
	}
	/* Nothing may be left in the buffer for a forked test to print again. */
	setvbuf(stdout, NULL, _IONBF, 0);
	printf("TAP version 13\n1..%d\n", count);
	for (struct test *test = tests; test; test = test->next) {
		double start = now();

		if (!is_selected(test, argc, argv))
			continue;
		run_test(test);
		failed += outcome->failed;
		skipped += outcome->skipped && !outcome->failed;
		report(test, ++number, now() - start);
	}
	if (failed)
		return EXIT_FAIL;
	return skipped == count ? EXIT_SKIP : EXIT_PASS;
}

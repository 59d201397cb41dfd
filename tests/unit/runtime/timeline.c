// SPDX-License-Identifier: MIT
/*
 * PIMDIMM_TRACE: every call leaves its events in the file, whole lines and in
 * whole numbers, whatever threads and children do, and whatever ends them.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <pimdimm/spmd.h>

#include "tests/unit/unit.h"

#define THREADS	4
#define WRITES	500

static char path[] = "/tmp/pimdimm-timeline.XXXXXX";

static char *read_all(void)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	ssize_t length;

	assert_non_null(file);
	length = getdelim(&text, &size, '\0', file);
	assert_true(length > 0);
	fclose(file);
	return text;
}

/* lines that hold both */
static unsigned int count(const char *text, const char *a, const char *b)
{
	unsigned int n = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");
		char line[1024];

		assert_true(length < sizeof(line));
		memcpy(line, text, length);
		line[length] = '\0';
		n += strstr(line, a) && strstr(line, b);
		text += length + (text[length] == '\n');
	}
	return n;
}

/* "[", then an object and a comma a line */
static void check_lines(const char *text)
{
	assert_int_equal(strncmp(text, "[\n", 2), 0);
	for (text += 2; *text; text = strchr(text, '\n') + 1) {
		size_t length = strcspn(text, "\n");

		assert_int_equal(text[length], '\n');
		assert_true(length > 4);
		assert_int_equal(strncmp(text, "{\"ph\":\"", 7), 0);
		assert_int_equal(strncmp(text + length - 3, "}},", 3), 0);
	}
}

/* to a word that no other thread writes meanwhile */
static void *write_often(void *sys)
{
	static _Atomic uint64_t writers;
	uint64_t off = 8 * (writers++ % THREADS), value = 1;

	for (unsigned int i = 0; i < WRITES; i++)
		assert_ok(pimdimm_write(sys, i % 64, off, &value, 8));
	return NULL;
}

static void nothing(struct pimdimm_pe *pe, void *arg)
{
	(void)pe;
	(void)arg;
}

/* Refused before anything was written, and nothing begins. */
static void test_refused(void **state)
{
	struct pimdimm *sys;
	char fifo[] = "/tmp/pimdimm-timeline-fifo";

	(void)state;
	setenv("PIMDIMM_TRACE", "/nowhere/at/all", 1);
	assert_refused(pimdimm_open("mem:ranks=1", &sys), ENOENT,
		       "PIMDIMM_TRACE");
	setenv("PIMDIMM_TRACE", "/dev/null", 1);
	assert_refused(pimdimm_open("mem:ranks=1", &sys), EINVAL, "/dev/null");
	unlink(fifo);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	setenv("PIMDIMM_TRACE", fifo, 1);
	assert_true(pimdimm_open("mem:ranks=1", &sys) < 0);
	unlink(fifo);
	unsetenv("PIMDIMM_TRACE");
}

static void test_off(void **state)
{
	struct pimdimm *sys = unit_open("mem:ranks=1");
	struct stat st;

	(void)state;
	assert_int_equal(truncate(path, 0), 0);
	write_often(sys);
	pimdimm_close(sys);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
}

/* From here on the timeline runs. */
static void test_calls(void **state)
{
	static const uint32_t dims[] = { 64 };
	const void *bufs[64] = { NULL };
	static uint8_t host[4096];
	struct pimdimm *sys;
	struct pidcomm *hc;
	char *text;

	(void)state;
	setenv("PIMDIMM_TRACE", path, 1);
	sys = unit_open("mem:ranks=1");
	bufs[3] = host;
	bufs[4] = host;
	assert_ok(pimdimm_push(sys, 0, 64, 0, bufs, 4096));
	assert_ok(pimdimm_read(sys, 5, 8, host, 24));
	assert_ok(pimdimm_launch(sys, 8, 40, 3, nothing, NULL));
	assert_ok(pidcomm_create(sys, 1, dims, &hc));
	assert_ok(pidcomm_allreduce(hc, "1", 4096, 0, 8192, PIDCOMM_I16,
				    PIDCOMM_MAX));
	/* what is refused has taken no time */
	assert_true(pidcomm_allreduce(hc, "1", 4, 0, 8192, PIDCOMM_I16,
				      PIDCOMM_MAX) < 0);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	text = read_all();
	check_lines(text);
	assert_int_equal(count(text, "\"push\"", "\"total_bytes\":8192,\"modelled_ns\":"), 1);
	assert_int_equal(count(text, "\"read\"", "\"pe\":5,\"off\":8,\"bytes\":24,\"modelled_ns\":134705}"), 1);
	assert_int_equal(count(text, "\"launch\"", "\"first_pe\":8,\"nr_pes\":40,\"tasklets\":3,\"ret\":0}"), 1);
	assert_int_equal(count(text, "\"kernel\"", "\"ph\":\"X\""), 40);
	assert_int_equal(count(text, "\"thread_name\"", "\"PE 8\""), 1);
	assert_int_equal(count(text, "\"thread_name\"", "\"PE "), 40);
	assert_int_equal(count(text, "\"process_name\"", "\"rank 0 of timeline\""), 1);
	assert_int_equal(count(text, "\"allreduce\"", "\"axes\":\"1\",\"bytes\":4096,\"groups\":1,\"members\":64,\"total_bytes\":262144,\"type\":\"i16\",\"op\":\"max\",\"algorithm\":\"direct\",\"ret\":0}"), 1);
	assert_int_equal(count(text, "\"allreduce\"", "\"axes\""), 1);
	free(text);
}

static void test_threads(void **state)
{
	struct pimdimm *sys = unit_open("mem:ranks=1");
	pthread_t threads[THREADS];
	char *text;

	(void)state;
	for (unsigned int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_often,
						sys), 0);
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pimdimm_close(sys);
	text = read_all();
	check_lines(text);
	assert_int_equal(count(text, "\"write\"", "\"ph\":\"X\""),
			 THREADS * WRITES);
	free(text);
}

static void child(struct pimdimm *sys)
{
	struct pimdimm *own;

	write_often(sys);
	own = unit_open("mem:ranks=1");
	assert_ok(pimdimm_launch(own, 0, 8, 1, nothing, NULL));
	pimdimm_close(own);
	_exit(0);
}

/* What the parent has not written yet is written once, and by the parent. */
__attribute__((unused)) static void test_fork(void **state)
{
	struct pimdimm *sys = unit_open("mem:ranks=1");
	char *text, own[32], theirs[32];
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(truncate(path, 2), 0);
	for (unsigned int i = 0; i < 10; i++)
		assert_ok(pimdimm_write(sys, 0, 0, &i, 4));
	pid = fork();
	if (!pid)
		child(sys);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	pimdimm_close(sys);
	text = read_all();
	check_lines(text);
	snprintf(own, sizeof(own), "\"pid\":%d,", getpid());
	snprintf(theirs, sizeof(theirs), "\"pid\":%d,", pid);
	assert_int_equal(count(text, "\"write\"", own), 10);
	assert_int_equal(count(text, "\"write\"", theirs), WRITES);
	assert_int_equal(count(text, "\"process_name\"", theirs), 1);
	assert_int_equal(count(text, "\"kernel\"", "\"ph\":\"X\""), 8);
	free(text);
}

/* In a child whose timeline is its own; how it ended. */
static int status_of(void (*run)(void), const char *trace)
{
	int status;
	pid_t pid;

	unlink(trace);
	pid = fork();
	if (!pid) {
		setenv("PIMDIMM_TRACE", trace, 1);
		setenv("PIMDIMM_THREADS", "1", 1);
		run();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void ending_kernel(struct pimdimm_pe *pe, void *arg)
{
	(void)arg;
	pimdimm_barrier(pe);
	if (pimdimm_pe_id(pe) == 5)
		raise(SIGKILL);
}

static void end_in_a_kernel(void)
{
	struct pimdimm *sys = unit_open("mem:ranks=1");
	uint64_t word = 1;

	assert_ok(pimdimm_write(sys, 3, 8, &word, 8));
	pimdimm_launch(sys, 0, 64, 2, ending_kernel, NULL);
}

/* What it has done is there, and what it was at as spans without an end. */
__attribute__((unused)) static void test_killed(void **state)
{
	int status = status_of(end_in_a_kernel, path);
	char *text = read_all();

	(void)state;
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	check_lines(text);
	assert_int_equal(count(text, "\"write\"", "\"ph\":\"X\""), 1);
	assert_int_equal(count(text, "\"kernel\"", "\"ph\":\"X\""), 5);
	assert_int_equal(count(text, "\"kernel\"", "\"ph\":\"B\""), 1);
	assert_int_equal(count(text, "\"launch\"", "\"ph\":\"B\""), 1);
	assert_int_equal(count(text, "\"launch\"", "\"ph\":\"X\""), 0);
	assert_int_equal(count(text, "\"thread_name\"", "\"PE 5\""), 1);
	free(text);
}

static void cut_kernel(struct pimdimm_pe *pe, void *arg)
{
	if (pimdimm_pe_id(pe) == 1)
		assert_int_equal(truncate(path, 2), 0);
	(void)arg;
}

static void cut_the_file(void)
{
	struct pimdimm *sys = unit_open("mem:ranks=1");

	assert_ok(pimdimm_launch(sys, 0, 64, 1, cut_kernel, NULL));
}

/* What began before it was cut is appended, and nothing overwritten. */
__attribute__((unused)) static void test_cut(void **state)
{
	int status = status_of(cut_the_file, path);
	char *text = read_all();

	(void)state;
	assert_int_equal(status, 0);
	check_lines(text);
	assert_int_equal(count(text, "\"kernel\"", "\"ph\":\"X\""), 63);
	assert_int_equal(count(text, "\"launch\"", "\"ph\":\"X\""), 1);
	assert_int_equal(count(text, "", "\"ph\":\"B\""), 0);
	free(text);
}

/* a daemon's way: all that is open is closed, and numbers are used again */
static void close_all(void)
{
	struct pimdimm *sys = unit_open("mem:ranks=1");
	char own[sizeof(path) + 4];
	uint64_t word = 1;
	struct stat st;

	assert_ok(pimdimm_write(sys, 0, 0, &word, 8));
	snprintf(own, sizeof(own), "%s.own", path);
	close_range(3, 1000, 0);
	for (int fd = open(own, O_RDWR | O_CREAT | O_TRUNC, 0600); fd < 50;)
		fd = dup(fd);
	if (!freopen("/dev/null", "w", stderr))
		_exit(1);
	assert_ok(pimdimm_write(sys, 0, 0, &word, 8));
	assert_ok(pimdimm_launch(sys, 0, 64, 1, nothing, NULL));
	assert_int_equal(stat(own, &st), 0);
	unlink(own);
	if (st.st_size)
		_exit(1);
}

__attribute__((unused)) static void test_closed(void **state)
{
	int status = status_of(close_all, path);
	char *text = read_all();

	(void)state;
	assert_int_equal(status, 0);
	check_lines(text);
	assert_int_equal(count(text, "\"write\"", "\"ph\":\"X\""), 1);
	free(text);
}

static void stay_there(struct pimdimm_pe *pe, void *frame)
{
	(void)pe;
	(void)frame;
}

/* Every PE goes to the next one and back, and sends a parcel there and one to itself. */
static void travel(struct pimdimm_pe *pe, void *arg)
{
	uint32_t me = pimdimm_pe_id(pe);

	(void)arg;
	assert_ok(pimdimm_parcel(pe, (me + 1) % 4, stay_there, NULL, 0));
	assert_ok(pimdimm_parcel(pe, me, stay_there, NULL, 0));
	assert_ok(pimdimm_migrate(pe, (me + 1) % 4));
	assert_ok(pimdimm_migrate(pe, me));
}

static void send_parcels(void)
{
	struct pimdimm *sys = unit_open("mem:ranks=1");
	struct pimdimm_spmd how = { .size = sizeof(how), .nr_tasklets = 1 };

	assert_ok(pimdimm_spmd(sys, 0, 4, travel, NULL, &how));
	if (how.hops != 12)
		_exit(1);
}

/* An arrow a hop, each with a beginning and an end. */
__attribute__((unused)) static void test_arrows(void **state)
{
	int status = status_of(send_parcels, path);
	char *text = read_all();

	(void)state;
	assert_int_equal(status, 0);
	check_lines(text);
	assert_int_equal(count(text, "\"parcel\"", "\"ph\":\"s\""), 12);
	assert_int_equal(count(text, "\"parcel\"", "\"ph\":\"f\""), 12);
	free(text);
}

static void open_locked(void)
{
	struct pimdimm *sys;

	alarm(300);
	if (pimdimm_open("mem:ranks=1", &sys) != -EBUSY ||
	    !strstr(pimdimm_errmsg(), "locked"))
		_exit(1);
}

static void lock_and_open(void)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	if (flock(fd, LOCK_EX))
		_exit(2);
	open_locked();
}

/* Somebody else's lock is nothing to wait for. */
__attribute__((unused)) static void test_locked(void **state)
{
	(void)state;
	assert_int_equal(status_of(lock_and_open, path), 0);
}

#define LIMIT	10000

static void write_limited(void)
{
	const struct rlimit limit = { LIMIT, LIMIT };
	struct pimdimm *sys = unit_open("mem:ranks=1");
	int pipes[2];
	char text[256] = "";

	if (setrlimit(RLIMIT_FSIZE, &limit) || pipe(pipes) ||
	    dup2(pipes[1], STDERR_FILENO) < 0)
		_exit(2);
	write_often(sys);
	close(pipes[1]);
	close(STDERR_FILENO);
	if (read(pipes[0], text, sizeof(text) - 1) <= 0 ||
	    !strstr(text, strerror(EFBIG)))
		_exit(3);
}

/* Where the file may not grow it ends with a whole event, and that is all. */
__attribute__((unused)) static void test_limited(void **state)
{
	int status = status_of(write_limited, path);
	char *text = read_all();

	(void)state;
	assert_int_equal(status, 0);
	check_lines(text);
	assert_true(strlen(text) <= LIMIT && strlen(text) > LIMIT / 2);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_refused),
#ifndef __SANITIZE_THREAD__	/* it ends a child that starts threads */
	cmocka_unit_test(test_killed),
	cmocka_unit_test(test_cut),
	cmocka_unit_test(test_arrows),
	cmocka_unit_test(test_closed),
	cmocka_unit_test(test_locked),
	cmocka_unit_test(test_limited),
#endif
	cmocka_unit_test(test_off),
	cmocka_unit_test(test_calls),
	cmocka_unit_test(test_threads),
#ifndef __SANITIZE_THREAD__	/* it ends a child that starts threads */
	cmocka_unit_test(test_fork),
#endif
};

int main(void)
{
	int fd = mkstemp(path), ret;

	unit_start();
	if (fd < 0)
		return 1;
	close(fd);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return ret;
}

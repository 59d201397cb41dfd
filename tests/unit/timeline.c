// SPDX-License-Identifier: MIT
/*
 * PIMDIMM_TRACE: every call leaves its events in the file, whole lines and in
 * whole numbers, whatever threads and children do.
 */
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "unit.h"

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

static void *write_often(void *sys)
{
	uint64_t value = 1;

	for (unsigned int i = 0; i < WRITES; i++)
		assert_ok(pimdimm_write(sys, i % 64, 0, &value, 8));
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
	assert_int_equal(count(text, "\"push\"", "\"total_bytes\":8192}"), 1);
	assert_int_equal(count(text, "\"read\"", "\"pe\":5,\"off\":8,\"bytes\":24}"), 1);
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_refused),
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

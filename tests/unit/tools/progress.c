// SPDX-License-Identifier: MIT
/*
 * What takes over a second shows how far it is: on a terminal, a line that is rewritten a
 * few times a second and gone at the end, and nowhere else. Its clock is the test's.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#include "tools/apps/common/progress.h"

static uint64_t now;

uint64_t __wrap_tool_now(void);
uint64_t __wrap_tool_now(void)
{
	return now;
}

/* What is written on standard error, which is this, since the last time. */
static const char *written(int fd)
{
	static char text[256];
	ssize_t length;

	fflush(stderr);
	length = read(fd, text, sizeof(text) - 1);
	text[length > 0 ? length : 0] = '\0';
	return text;
}

/* A long work of two parts, of which one does not know how long it is. */
static void work(int fd, bool shown)
{
	static const char first[] = "reading", second[] = "sorting";

	now = 5000000000;
	app_progress(first, 0, 200);
	now += 999999999;
	app_progress(first, 20, 200);
	assert_string_equal(written(fd), "");
	now++;
	app_progress(first, 50, 200);
	assert_string_equal(written(fd), shown ? "\rreading: 25 %\033[K" : "");
	now += 199999999;
	app_progress(first, 90, 200);
	assert_string_equal(written(fd), "");
	now++;
	app_progress(first, 100, 200);
	assert_string_equal(written(fd), shown ? "\rreading: 50 %\033[K" : "");
	/* another one has a second of its own */
	app_progress(second, 0, 0);
	assert_string_equal(written(fd), shown ? "\r\033[K" : "");
	now += 1000000000;
	app_progress(second, 7, 0);
	assert_string_equal(written(fd), shown ? "\rsorting: 7\033[K" : "");
	app_progress_end();
	assert_string_equal(written(fd), shown ? "\r\033[K" : "");
	app_progress_end();
	assert_string_equal(written(fd), "");
}

/* With standard error being @error, of which @fd has the other end. */
static void work_on(int error, int fd, bool shown)
{
	int kept = dup(STDERR_FILENO);

	assert_true(kept >= 0);
	assert_int_equal(dup2(error, STDERR_FILENO), STDERR_FILENO);
	work(fd, shown);
	assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
	close(kept);
	close(error);
	close(fd);
}

static void test_terminal(void **state)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK), error;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(grantpt(fd), 0);
	assert_int_equal(unlockpt(fd), 0);
	error = open(ptsname(fd), O_RDWR | O_NOCTTY);
	assert_true(error >= 0);
	work_on(error, fd, true);
}

static void test_pipe(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	work_on(ends[1], ends[0], false);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_terminal),
	cmocka_unit_test(test_pipe),
};

UNIT_MAIN(tests)

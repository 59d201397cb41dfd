// SPDX-License-Identifier: MIT
/* pimdimm_export and pimdimm_import of a rank in memory. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "tests/unit/unit.h"

static void check_shared(const char *uri)
{
	struct pimdimm *sys = unit_open(uri);
	uint8_t *window, *map;
	uint64_t word = 0x0123456789abcdef, got;
	size_t bytes, mapped;
	void *p = NULL;
	int fd;

	window = pimdimm_mram(sys, 1, &bytes);
	fd = pimdimm_export(sys, 1, 0, bytes);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_ok(pimdimm_import(fd, &p, &mapped));
	map = p;
	close(fd);
	assert_true(mapped == bytes);

	assert_ok(pimdimm_write(sys, 70, 8192, &word, 8));
	assert_memory_equal(map, window, 4096);
	map[pimdimm_layout_offset(pimdimm_geometry(sys)->layout, 0x10000, 0,
				  1024) + 6] ^= 0xff;
	assert_ok(pimdimm_read(sys, 70, 8192, &got, 8));
	assert_true(got == (word ^ 0xff));

	/* the pages outlive the system */
	pimdimm_close(sys);
	assert_int_equal(map[pimdimm_layout_offset(uri == unit_uris[1], 0x10000,
						   0, 1024) + 6 + 8], 0xcd);
	munmap(map, mapped);
}

static void test_shared(void **state)
{
	(void)state;
	check_shared(unit_uris[0]);
	check_shared(unit_uris[1]);
}

/* Another process sees the same bytes. */
static void test_process(void **state)
{
	struct pimdimm *sys = unit_open(unit_uris[0]);
	uint64_t word = 77;
	int fd, status;
	size_t bytes;
	pid_t child;

	(void)state;
	assert_non_null(pimdimm_mram(sys, 0, &bytes));
	fd = pimdimm_export(sys, 0, 0, bytes);
	assert_true(fd >= 0);
	child = fork();
	if (!child) {
		void *map;

		if (pimdimm_import(fd, &map, &bytes))
			_exit(1);
		((uint8_t *)map)[0] = 78;
		_exit(0);
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	assert_ok(pimdimm_read(sys, 0, 0, &word, 8));
	assert_int_equal(word, 78);
	close(fd);
	pimdimm_close(sys);
}

/* Nobody who holds the descriptor can make the window shorter. */
static void test_sealed(void **state)
{
	struct pimdimm *sys = unit_open(unit_uris[0]);
	size_t bytes;
	int fd;

	(void)state;
	pimdimm_mram(sys, 0, &bytes);
	fd = pimdimm_export(sys, 0, 0, bytes);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(ftruncate(fd, (off_t)bytes * 2), -1);
	close(fd);
	pimdimm_close(sys);
}

static void test_refusals(void **state)
{
	struct pimdimm *sys = unit_open(unit_uris[0]);
	int pipes[2];
	size_t bytes;
	void *map;

	(void)state;
	pimdimm_mram(sys, 0, &bytes);
	assert_refused(pimdimm_export(sys, 2, 0, bytes), EINVAL, "rank");
	assert_refused(pimdimm_export(sys, 0, 1, 4096), EINVAL, "off");
	assert_refused(pimdimm_export(sys, 0, 0, 4095), EINVAL, "bytes");
	assert_refused(pimdimm_export(sys, 0, 0, 0), EINVAL, "bytes");
	assert_refused(pimdimm_export(sys, 0, 0, bytes + 4096), EINVAL, "bytes");
	assert_refused(pimdimm_export(sys, 0, UINT64_MAX - 4095, 8192), EINVAL,
		       "off");
	assert_refused(pimdimm_export(sys, 0, 4096, 4096), EOPNOTSUPP, "whole");
	assert_true(pimdimm_import(-1, &map, &bytes) < 0);
	assert_true(pimdimm_import(9999, &map, &bytes) < 0);
	assert_refused(pimdimm_import(0, NULL, &bytes), EINVAL, "map");
	assert_int_equal(pipe(pipes), 0);
	assert_true(pimdimm_import(pipes[0], &map, &bytes) < 0);
	assert_true(strlen(pimdimm_errmsg()) > 0);
	close(pipes[0]);
	close(pipes[1]);
	pimdimm_close(sys);
}

static void test_no_system(void **state)
{
	(void)state;
	assert_refused(pimdimm_export(NULL, 0, 0, 4096), EINVAL, "sys");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_shared),
	cmocka_unit_test(test_process),
	cmocka_unit_test(test_sealed),
	cmocka_unit_test(test_refusals),
	cmocka_unit_test(test_no_system),
};

UNIT_MAIN(tests)

// SPDX-License-Identifier: MIT
/*
 * Programs on PEs whose MRAM is kept in a file: what they write is there when it is opened
 * again, and a full disk is a sentence of the launch, whichever of its PEs meets it.
 */
#include <sys/wait.h>

#include "tests/unit/disk.h"
#include "tests/unit/pe/pe_unit.h"

#define BYTES 2048

static char folder[64], uri[128];

static void name_file(const char *keys)
{
	snprintf(uri, sizeof(uri), "mem:file=%s/a,%s", folder, keys);
}

static void make_folder(void)
{
	strcpy(folder, "/tmp/pimdimm-pefile-XXXXXX");
	assert_non_null(mkdtemp(folder));
}

static void remove_folder(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void assert_ran(struct pimdimm *sys, uint32_t pe)
{
	uint64_t words[BYTES / 8];

	assert_ok(pimdimm_read(sys, pe, BYTES, words, sizeof(words)));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_int_equal(words[i], pe);
}

static void test_kept(void **state)
{
	struct pimdimm *sys;
	struct pe_unit u;

	(void)state;
	make_folder();
	name_file("ranks=1,mram=64K");
	pe_unit_open(&u, uri, "hello", 64);
	assert_ok(pe_unit_run(&u));
	pe_unit_close(&u);
	sys = unit_open(uri);
	for (uint32_t pe = 0; pe < 64; pe++)
		assert_ran(sys, pe);
	pimdimm_close(sys);
	remove_folder();
}

/* The first group's room is taken before, the others have none. */
static int run_on_full_disk(void)
{
	struct pe_unit u;
	uint64_t off = 0, x = 0;
	int ret = 0;

	if (!unit_small_disk("8m", folder, sizeof(folder)))
		return 77;
	name_file("ranks=1,mram=16M");
	pe_unit_open(&u, uri, "hello", 64);
	for (; !ret; off += 16384)
		ret = pimdimm_write(u.sys, 0, off, &x, 8);
	assert_int_equal(ret, -ENOSPC);
	assert_refused(pe_unit_run(&u), ENOSPC, "room");
	/* and those that have it go on */
	assert_ok(pimdimm_run(u.sys, (const uint32_t[]){ 0, 1, 7 }, 3, NULL));
	assert_ran(u.sys, 7);
	pe_unit_close(&u);
	return 0;
}

static void test_full_disk(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	if (!pid)
		_exit(run_on_full_disk());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		unit_skip("a disk of its own may not be made here");
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_full_disk),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/*
 * Systems that come and go, and files that tell of ranks, with each allocation
 * and copy that this makes failing. Most of them are the kernel's own, whose
 * errors are more than ours.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/nth.h"

#define FOLDER "/sys/kernel/config/pimdimm/failnth"

static struct scene scene;

/* --- configfs --- */

static int run_make(void *unused)
{
	(void)unused;
	return as_result(mkdir(FOLDER, 0755));
}

static int run_drop(void *unused)
{
	(void)unused;
	return as_result(rmdir(FOLDER));
}

static void undo_make(void *unused)
{
	ASSERT_EQ(0, run_drop(unused));
}

static void undo_drop(void *unused)
{
	ASSERT_EQ(0, run_make(unused));
}

static void need_configfs(void)
{
	/* before there is anything that a skipped test would leave */
	need_failures();
	if (access("/sys/kernel/config/pimdimm", W_OK))
		SKIP("no pimdimm in configfs: %s", strerror(errno));
	/* what a test that failed has left */
	rmdir(FOLDER);
}

static void check_absent(void *unused)
{
	(void)unused;
	EXPECT_NE(0, access(FOLDER, F_OK));
}

TEST(making_a_system)
{
	static const struct operation op = { run_make, undo_make, check_absent,
					     NULL };

	need_configfs();
	fail_each(&op, &scene);
}

TEST(dropping_a_system)
{
	static const struct operation op = { run_drop, undo_drop, NULL, NULL };

	need_configfs();
	ASSERT_EQ(0, run_make(&scene));
	fail_each(&op, &scene);
	ASSERT_EQ(0, run_drop(&scene));
}

static unsigned int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int count = 0;

	if (!dir)
		return 0;
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* how many entries there were, of which some are ranks */
static unsigned int ranks_before, folders_before;

static int write_enable(const char *value)
{
	return as_result(pwrite(scene.fd, value, 1, 0));
}

static int run_enable(void *unused)
{
	(void)unused;
	return write_enable("1");
}

static int run_disable(void *unused)
{
	(void)unused;
	return write_enable("0");
}

static void undo_enable(void *unused)
{
	ASSERT_EQ(0, run_disable(unused));
}

static void undo_disable(void *unused)
{
	ASSERT_EQ(0, run_enable(unused));
}

/* No rank of a system that did not come, and no system. */
static void check_disabled(void *unused)
{
	char value;

	(void)unused;
	ASSERT_EQ(1, pread(scene.fd, &value, 1, 0));
	EXPECT_EQ('0', value);
	EXPECT_EQ(ranks_before, count_entries("/sys/class/pimdimm"));
	EXPECT_EQ(folders_before, count_entries("/sys/kernel/debug/pimdimm"));
	EXPECT_NE(0, access("/sys/class/pimdimm_system/failnth", F_OK));
}

/* Two ranks: the second one may fail where the first one is there already. */
static void open_system(void)
{
	need_configfs();
	ranks_before = count_entries("/sys/class/pimdimm");
	folders_before = count_entries("/sys/kernel/debug/pimdimm");
	ASSERT_EQ(0, run_make(&scene));
	scene.fd = open(FOLDER "/ranks", O_WRONLY | O_CLOEXEC);
	ASSERT_EQ(1, write(scene.fd, "2", 1));
	close(scene.fd);
	scene.fd = open(FOLDER "/enable", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, scene.fd);
}

static void close_system(void)
{
	check_disabled(&scene);
	close(scene.fd);
	ASSERT_EQ(0, run_drop(&scene));
}

TEST_LIMIT(enabling_a_system, 300)
{
	static const struct operation op = { run_enable, undo_enable,
					     check_disabled, NULL };

	open_system();
	fail_each(&op, &scene);
	close_system();
}

TEST_LIMIT(disabling_a_system, 300)
{
	static const struct operation op = { run_disable, undo_disable, NULL,
					     NULL };

	open_system();
	ASSERT_EQ(0, run_enable(&scene));
	fail_each(&op, &scene);
	ASSERT_EQ(0, run_disable(&scene));
	close_system();
}

/* --- files that tell of ranks --- */

static char path[400];

static int run_read(void *unused)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[4096];
	int result;

	(void)unused;
	if (fd < 0)
		return -errno;
	result = as_result(read(fd, text, sizeof(text)));
	close(fd);
	return result;
}

static void fail_each_file_in(const char *format)
{
	static const struct operation op = { run_read, NULL, NULL, NULL };
	unsigned int files = 0;
	char folder[128];
	struct dirent *entry;
	DIR *dir;

	snprintf(folder, sizeof(folder), format, scene.rank.number);
	dir = opendir(folder);
	if (!dir)
		SKIP("%s: %s", folder, strerror(errno));
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (entry->d_type != DT_REG || run_read(&scene))
			continue;
		files++;
		test_note("%s", path);
		fail_each(&op, &scene);
	}
	closedir(dir);
	EXPECT_LT(0, files);
	check_rank(&scene);
}

/* Of a rank that is in use and mapped: it has the most to tell. */
TEST(attributes)
{
	open_scene(&scene, 0);
	fail_each_file_in("/sys/class/pimdimm/pimdimm%d");
}

TEST(knobs)
{
	open_scene(&scene, PIMDIMM_FEATURE_INJECT);
	fail_each_file_in("/sys/class/pimdimm/pimdimm%d/inject");
}

TEST(debugging_files)
{
	open_scene(&scene, 0);
	scene.rank.window[0] = 1;
	fail_each_file_in("/sys/kernel/debug/pimdimm/pimdimm%d");
}

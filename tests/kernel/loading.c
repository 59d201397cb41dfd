// SPDX-License-Identifier: MIT
/* Loads and unloads the module, and reads what the kernel says of it. */
#include <fcntl.h>
#include <glob.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/loading.h"

int open_module(void)
{
	int fd = open(getenv("SELFTEST_KO"), O_RDONLY | O_CLOEXEC);

	ASSERT_LE(0, fd);
	return fd;
}

int load_from(int fd, const char *parameters)
{
	return (int)syscall(SYS_finit_module, fd, parameters, 0);
}

int load(const char *parameters)
{
	int fd = open_module();
	int result = load_from(fd, parameters);
	int error = errno;

	close(fd);
	errno = error;
	return result;
}

int unload(void)
{
	return (int)syscall(SYS_delete_module, "pimdimm", O_NONBLOCK);
}

static bool is_loaded(void)
{
	return access("/sys/module/pimdimm", F_OK) == 0;
}

void need_unloaded(void)
{
	const char *file = getenv("SELFTEST_KO");

	if (!file || access(file, R_OK))
		SKIP("SELFTEST_KO names no module to load");
	if (geteuid())
		SKIP("only root can load modules");
	if (is_loaded() && unload())
		SKIP("the loaded module is in use: %s", strerror(errno));
}

int count_nodes(void)
{
	glob_t nodes;
	int count = 0;

	if (!glob("/dev/pimdimm*", 0, NULL, &nodes)) {
		count = (int)nodes.gl_pathc;
		globfree(&nodes);
	}
	return count;
}

static bool file_names_us(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[512];
	bool found = false;

	ASSERT_TRUE(file != NULL);
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, "pimdimm") != NULL;
	fclose(file);
	return found;
}

void expect_nothing_left(void)
{
	EXPECT_TRUE(!is_loaded());
	EXPECT_NE(0, access("/sys/class/pimdimm", F_OK));
	EXPECT_NE(0, access("/sys/class/pimdimm_system", F_OK));
	EXPECT_NE(0, access("/sys/devices/virtual/pimdimm", F_OK));
	EXPECT_NE(0, access("/sys/kernel/debug/pimdimm", F_OK));
	EXPECT_EQ(0, count_nodes());
	EXPECT_TRUE(!file_names_us("/proc/devices"));
	EXPECT_TRUE(!file_names_us("/proc/modules"));
}

// SPDX-License-Identifier: MIT
/*
 * How many threads there are where nobody says it, and how much memory: affinity masks and
 * control groups.
 */
#include <limits.h>
#include <sched.h>
#include <sys/stat.h>

#include "runtime/base/env.h"
#include "runtime/base/quota.h"
#include "tests/unit/unit.h"

static char root[] = "/tmp/pimdimm-quota-XXXXXX";

/* a file below the root that stands for the machine's, and its folders */
static void write_file(const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root, name);
	for (char *slash = path + strlen(root); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int make_root(void **state)
{
	(void)state;
	strcpy(root, "/tmp/pimdimm-quota-XXXXXX");
	return !mkdtemp(root);
}

static int remove_root(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

static void test_no_groups(void **state)
{
	(void)state;
	assert_int_equal(pd_quota_cpus(root), 0);
	write_file("/proc/self/cgroup", "");
	assert_int_equal(pd_quota_cpus(root), 0);
	write_file("/proc/self/cgroup", "0\n0:\n::\n0::\n3:cpu\n");
	assert_int_equal(pd_quota_cpus(root), 0);
}

static void test_v2(void **state)
{
	(void)state;
	write_file("/proc/self/cgroup", "0::/a/b\n");
	assert_int_equal(pd_quota_cpus(root), 0);
	write_file("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
	assert_int_equal(pd_quota_cpus(root), 0);
	write_file("/sys/fs/cgroup/a/b/cpu.max", "200000 100000\n");
	assert_int_equal(pd_quota_cpus(root), 2);
	write_file("/sys/fs/cgroup/a/b/cpu.max", "200001 100000\n");
	assert_int_equal(pd_quota_cpus(root), 3);
	write_file("/sys/fs/cgroup/a/b/cpu.max", "5000 100000\n");
	assert_int_equal(pd_quota_cpus(root), 1);
}

/* the least of those around it */
static void test_v2_outer(void **state)
{
	(void)state;
	write_file("/proc/self/cgroup", "0::/a/b/c\n");
	write_file("/sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
	write_file("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
	write_file("/sys/fs/cgroup/a/cpu.max", "350000 100000\n");
	assert_int_equal(pd_quota_cpus(root), 4);
}

/* a container whose group is the mount: its path is "/", or a name of outside */
static void test_v2_container(void **state)
{
	(void)state;
	write_file("/sys/fs/cgroup/cpu.max", "150000 100000\n");
	write_file("/proc/self/cgroup", "0::/\n");
	assert_int_equal(pd_quota_cpus(root), 2);
	write_file("/proc/self/cgroup", "0::/docker/0123456789abcdef\n");
	assert_int_equal(pd_quota_cpus(root), 2);
}

static void test_v1(void **state)
{
	(void)state;
	write_file("/proc/self/cgroup",
		   "9:cpuset:/x\n4:cpu,cpuacct:/a/b\n1:name=systemd:/y\n0::/\n");
	write_file("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "50000\n");
	write_file("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
	assert_int_equal(pd_quota_cpus(root), 0);
	write_file("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "300000\n");
	assert_int_equal(pd_quota_cpus(root), 6);
	write_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
	write_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "450000\n");
	assert_int_equal(pd_quota_cpus(root), 5);
}

static void test_nonsense(void **state)
{
	static const char *const lines[] = {
		"", "\n", "maximum\n", "-5 100000\n", "100000\n", "100000 0\n",
		"0 100000\n", "x 100000\n",
	};

	(void)state;
	write_file("/proc/self/cgroup", "0::/a\n");
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		write_file("/sys/fs/cgroup/a/cpu.max", lines[i]);
		assert_int_equal(pd_quota_cpus(root), 0);
	}
	write_file("/sys/fs/cgroup/a/cpu.max", "9223372036854775807 1\n");
	assert_int_equal(pd_quota_cpus(root), INT_MAX);
}

/* limits of a group of version 2: used, of that in files that may go */
static void memory_group(const char *group, const char *most, const char *used,
			 const char *files)
{
	const char *const names[] = { "max", "current", "stat" };
	const char *const texts[] = { most, used, files };
	char name[256], text[256];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(name, sizeof(name), "/sys/fs/cgroup%s/memory.%s", group, names[i]);
		snprintf(text, sizeof(text), i < 2 ? "%s\n" :
			 "anon 1\nfile 900\ninactive_file %s\nactive_file 3\n", texts[i]);
		write_file(name, text);
	}
}

static void test_memory_v2(void **state)
{
	(void)state;
	assert_true(pd_quota_memory(root) == UINT64_MAX);
	write_file("/proc/self/cgroup", "0::/a/b\n");
	assert_true(pd_quota_memory(root) == UINT64_MAX);
	memory_group("/a/b", "max", "1000", "0");
	assert_true(pd_quota_memory(root) == UINT64_MAX);
	memory_group("/a/b", "9000", "1000", "400");
	assert_int_equal(pd_quota_memory(root), 8400);
	/* the least of those around it */
	memory_group("/a", "8000", "5000", "100");
	assert_int_equal(pd_quota_memory(root), 3100);
	memory_group("/a", "8000", "9000", "100");
	assert_int_equal(pd_quota_memory(root), 0);
	memory_group("/a", "8000", "90", "100");
	assert_int_equal(pd_quota_memory(root), 8000);
	/* a container whose group is the mount */
	write_file("/proc/self/cgroup", "0::/docker/0123\n");
	memory_group("", "700", "500", "0");
	assert_int_equal(pd_quota_memory(root), 200);
}

static void test_memory_v1(void **state)
{
	(void)state;
	write_file("/proc/self/cgroup", "9:cpu:/x\n4:memory:/a/b\n0::/\n");
	write_file("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes",
		   "9223372036854771712\n");
	write_file("/sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "4096\n");
	assert_true(pd_quota_memory(root) > UINT64_C(1) << 60);
	write_file("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "10000\n");
	assert_int_equal(pd_quota_memory(root), 10000);
	write_file("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "6000\n");
	write_file("/sys/fs/cgroup/memory/a/memory.stat",
		   "inactive_file 5\ntotal_inactive_file 1000\n");
	assert_int_equal(pd_quota_memory(root), 5000);
	assert_int_equal(pd_quota_cpus(root), 0);
}

int __wrap_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set);
int __real_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set);

/* CPUs of a machine that there is none of here; 0: this one */
static size_t machine_cpus;

/* as Linux does: a mask that is shorter than its own is refused */
int __wrap_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
	if (!machine_cpus)
		return __real_sched_getaffinity(pid, bytes, set);
	if (8 * bytes < machine_cpus) {
		errno = EINVAL;
		return -1;
	}
	memset(set, 0, bytes);
	CPU_SET_S(3, bytes, set);
	CPU_SET_S(machine_cpus - 2, bytes, set);
	CPU_SET_S(machine_cpus - 1, bytes, set);
	return 0;
}

static void test_many_cpus(void **state)
{
	(void)state;
	for (machine_cpus = 256; machine_cpus <= 8192; machine_cpus *= 2)
		assert_int_equal(pd_affinity_cpus(), 3);
	machine_cpus = 0;
	assert_in_range(pd_affinity_cpus(), 1, 8192);
}

#define IN_ROOT(name) \
	cmocka_unit_test_setup_teardown(name, make_root, remove_root)

static const struct CMUnitTest tests[] = {
	IN_ROOT(test_no_groups),
	IN_ROOT(test_v2),
	IN_ROOT(test_v2_outer),
	IN_ROOT(test_v2_container),
	IN_ROOT(test_v1),
	IN_ROOT(test_nonsense),
	IN_ROOT(test_memory_v2),
	IN_ROOT(test_memory_v1),
	cmocka_unit_test(test_many_cpus),
};

UNIT_MAIN(tests)

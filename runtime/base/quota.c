// SPDX-License-Identifier: MIT
/*
 * The CPU quota of a process's control group and of those that it is inside of:
 * containers have one, which neither the affinity mask nor `nproc` knows of. What
 * cannot be read has no limit.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/quota.h"

/* the numbers of a file of one line; how many there are of two */
static int read_numbers(const char *dir, const char *file, long long n[2])
{
	char path[PATH_MAX];
	int count = 0;
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/%s", dir, file) >= PATH_MAX)
		return 0;
	f = fopen(path, "re");
	if (!f)
		return 0;
	count = fscanf(f, "%lld %lld", &n[0], &n[1]);
	fclose(f);
	return count < 0 ? 0 : count;
}

static unsigned int cpus_of(long long quota, long long period)
{
	long long cpus;

	if (quota <= 0 || period <= 0)
		return 0;
	cpus = quota / period + (quota % period != 0);
	return cpus > INT_MAX ? INT_MAX : (unsigned int)cpus;
}

/* "max", which is no number, is no limit */
static unsigned int group_v2(const char *dir)
{
	long long n[2];

	return read_numbers(dir, "cpu.max", n) == 2 ? cpus_of(n[0], n[1]) : 0;
}

/* a quota of -1 is no limit */
static unsigned int group_v1(const char *dir)
{
	long long quota[2], period[2];

	if (!read_numbers(dir, "cpu.cfs_quota_us", quota) ||
	    !read_numbers(dir, "cpu.cfs_period_us", period))
		return 0;
	return cpus_of(quota[0], period[0]);
}

static unsigned int lesser(unsigned int a, unsigned int b)
{
	return a && (!b || a < b) ? a : b;
}

/*
 * The least limit of a group and of those around it up to the mount. Where a
 * container's mount begins at its own group, and so names none of those on the
 * path, the mount itself is that group.
 */
static unsigned int up_from(const char *root, const char *mount,
			    const char *group,
			    unsigned int (*limit)(const char *dir))
{
	unsigned int least = 0;
	char dir[PATH_MAX];
	size_t top;

	if (snprintf(dir, sizeof(dir), "%s/sys/fs/cgroup%s%s", root, mount,
		     group) >= PATH_MAX)
		return 0;
	top = strlen(dir) - strlen(group);
	for (;;) {
		char *slash = strrchr(dir + top, '/');

		least = lesser(least, limit(dir));
		if (!slash)
			return least;
		*slash = '\0';
	}
}

/* whether a list of names, commas between, has `cpu` */
static bool has_cpu(const char *names)
{
	for (;;) {
		size_t length = strcspn(names, ",");

		if (length == 3 && !strncmp(names, "cpu", 3))
			return true;
		if (!names[length])
			return false;
		names += length + 1;
	}
}

/* a line of /proc/self/cgroup: number, controllers, group; it is cut to pieces */
static unsigned int line_limit(const char *root, char *line)
{
	char *names = strchr(line, ':'), *group, mount[64];

	group = names ? strchr(names + 1, ':') : NULL;
	if (!group)
		return 0;
	*names++ = '\0';
	*group++ = '\0';
	group[strcspn(group, "\n")] = '\0';
	if (!strcmp(line, "0") && !*names)
		return lesser(up_from(root, "", group, group_v2),
			      up_from(root, "/unified", group, group_v2));
	if (!has_cpu(names))
		return 0;
	snprintf(mount, sizeof(mount), "/%s", names);
	return lesser(up_from(root, "/cpu", group, group_v1),
		      up_from(root, mount, group, group_v1));
}

unsigned int pd_quota_cpus(const char *root)
{
	unsigned int least = 0;
	char path[PATH_MAX], line[PATH_MAX + 64];
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/proc/self/cgroup", root) >= PATH_MAX)
		return 0;
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		least = lesser(least, line_limit(root, line));
	fclose(f);
	return least;
}

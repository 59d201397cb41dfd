// SPDX-License-Identifier: MIT
/* Finds the control groups that a process is in, and walks up from each to its mount. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/cgroup.h"

static FILE *open_in(const char *dir, const char *file)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", dir, file) >= PATH_MAX)
		return NULL;
	return fopen(path, "re");
}

int pd_cgroup_numbers(const char *dir, const char *file, long long n[2])
{
	FILE *f = open_in(dir, file);
	int count;

	if (!f)
		return 0;
	count = fscanf(f, "%lld %lld", &n[0], &n[1]);
	fclose(f);
	return count < 0 ? 0 : count;
}

uint64_t pd_cgroup_entry(const char *dir, const char *file, const char *word)
{
	FILE *f = open_in(dir, file);
	unsigned long long value, found = PD_CGROUP_NONE;
	char name[64];

	if (!f)
		return PD_CGROUP_NONE;
	while (found == PD_CGROUP_NONE && fscanf(f, "%63s %llu", name, &value) == 2) {
		if (!strcmp(name, word))
			found = value;
	}
	fclose(f);
	return found;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * The least limit of a group and of those around it up to the mount. Where a
 * container's mount begins at its own group, and so names none of those on the
 * path, the mount itself is that group.
 */
static uint64_t up_from(const char *root, const char *mount, const char *group,
			uint64_t (*limit)(const char *dir))
{
	uint64_t least = PD_CGROUP_NONE;
	char dir[PATH_MAX];
	size_t top;

	if (snprintf(dir, sizeof(dir), "%s/sys/fs/cgroup%s%s", root, mount,
		     group) >= PATH_MAX)
		return PD_CGROUP_NONE;
	top = strlen(dir) - strlen(group);
	for (;;) {
		char *slash = strrchr(dir + top, '/');

		least = lesser(least, limit(dir));
		if (!slash)
			return least;
		*slash = '\0';
	}
}

/* whether a list of names, commas between, has this one */
static bool has_name(const char *names, const char *name)
{
	for (;;) {
		size_t length = strcspn(names, ",");

		if (length == strlen(name) && !strncmp(names, name, length))
			return true;
		if (!names[length])
			return false;
		names += length + 1;
	}
}

/* a line of /proc/self/cgroup: number, controllers, group; it is cut to pieces */
static uint64_t line_limit(const char *root, char *line,
			   const struct pd_cgroup_limit *limit)
{
	char *names = strchr(line, ':'), *group, mount[64];
	uint64_t least;

	group = names ? strchr(names + 1, ':') : NULL;
	if (!group)
		return PD_CGROUP_NONE;
	*names++ = '\0';
	*group++ = '\0';
	group[strcspn(group, "\n")] = '\0';
	if (!strcmp(line, "0") && !*names)
		return lesser(up_from(root, "", group, limit->v2),
			      up_from(root, "/unified", group, limit->v2));
	if (!has_name(names, limit->controller))
		return PD_CGROUP_NONE;
	/* mounted under its own name, or under all that it is mounted with */
	snprintf(mount, sizeof(mount), "/%s", limit->controller);
	least = up_from(root, mount, group, limit->v1);
	snprintf(mount, sizeof(mount), "/%s", names);
	return lesser(least, up_from(root, mount, group, limit->v1));
}

uint64_t pd_cgroup_least(const char *root, const struct pd_cgroup_limit *limit)
{
	uint64_t least = PD_CGROUP_NONE;
	char path[PATH_MAX], line[PATH_MAX + 64];
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/proc/self", root) >= PATH_MAX)
		return least;
	f = open_in(path, "cgroup");
	if (!f)
		return least;
	while (fgets(line, sizeof(line), f))
		least = lesser(least, line_limit(root, line, limit));
	fclose(f);
	return least;
}

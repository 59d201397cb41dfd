// SPDX-License-Identifier: MIT
/*
 * The CPU quota and the memory limit of a process's control group and of those that it is
 * inside of: containers have them, which neither the affinity mask nor `nproc` nor
 * /proc/meminfo knows of.
 */
#include <limits.h>

#include "runtime/base/cgroup.h"
#include "runtime/base/quota.h"

static uint64_t cpus_of(long long quota, long long period)
{
	if (quota <= 0 || period <= 0)
		return PD_CGROUP_NONE;
	return (uint64_t)(quota / period + (quota % period != 0));
}

/* "max", which is no number, is no limit */
static uint64_t cpus_v2(const char *dir)
{
	long long n[2];

	return pd_cgroup_numbers(dir, "cpu.max", n) == 2 ? cpus_of(n[0], n[1]) :
							   PD_CGROUP_NONE;
}

/* a quota of -1 is no limit */
static uint64_t cpus_v1(const char *dir)
{
	long long quota[2], period[2];

	if (!pd_cgroup_numbers(dir, "cpu.cfs_quota_us", quota) ||
	    !pd_cgroup_numbers(dir, "cpu.cfs_period_us", period))
		return PD_CGROUP_NONE;
	return cpus_of(quota[0], period[0]);
}

unsigned int pd_quota_cpus(const char *root)
{
	const struct pd_cgroup_limit cpus = { "cpu", cpus_v1, cpus_v2 };
	uint64_t least = pd_cgroup_least(root, &cpus);

	if (least == PD_CGROUP_NONE)
		return 0;
	return least > INT_MAX ? INT_MAX : (unsigned int)least;
}

/*
 * What may come on top of what a group has: its limit without what is used, where pages
 * of files that nobody looked at lately are given up for others.
 */
static uint64_t memory_left(const char *dir, const char *limit, const char *used,
			    const char *inactive)
{
	long long most[2], now[2];
	uint64_t files;

	if (!pd_cgroup_numbers(dir, limit, most) || most[0] < 0)
		return PD_CGROUP_NONE;
	if (!pd_cgroup_numbers(dir, used, now) || now[0] < 0)
		return (uint64_t)most[0];
	files = pd_cgroup_entry(dir, "memory.stat", inactive);
	if (files != PD_CGROUP_NONE)
		now[0] = (uint64_t)now[0] > files ? now[0] - (long long)files : 0;
	return most[0] > now[0] ? (uint64_t)(most[0] - now[0]) : 0;
}

static uint64_t memory_v2(const char *dir)
{
	return memory_left(dir, "memory.max", "memory.current", "inactive_file");
}

static uint64_t memory_v1(const char *dir)
{
	return memory_left(dir, "memory.limit_in_bytes", "memory.usage_in_bytes",
			   "total_inactive_file");
}

uint64_t pd_quota_memory(const char *root)
{
	const struct pd_cgroup_limit memory = { "memory", memory_v1, memory_v2 };

	return pd_cgroup_least(root, &memory);
}

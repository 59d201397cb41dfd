/* SPDX-License-Identifier: MIT */
/* Limits of the control groups that a process is in, of either version. */
#ifndef PD_CGROUP_H
#define PD_CGROUP_H

#include <stdint.h>

#define PD_CGROUP_NONE UINT64_MAX

/* How a limit is read of one group's folder; PD_CGROUP_NONE where it sets none. */
struct pd_cgroup_limit {
	const char *controller;		/* as version 1 calls it: "cpu" */
	uint64_t (*v1)(const char *dir), (*v2)(const char *dir);
};

/*
 * The least limit of the process's groups and of those around them, at their usual places
 * below `root`, which is empty but for tests. What cannot be read has no limit.
 */
uint64_t pd_cgroup_least(const char *root, const struct pd_cgroup_limit *limit);

/* The numbers that a group's file begins with; how many there are of two. */
int pd_cgroup_numbers(const char *dir, const char *file, long long n[2]);

/* The number behind a word at the start of a line, PD_CGROUP_NONE without one. */
uint64_t pd_cgroup_entry(const char *dir, const char *file, const char *word);

#endif /* PD_CGROUP_H */

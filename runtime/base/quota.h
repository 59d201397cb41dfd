/* SPDX-License-Identifier: MIT */
/* What control groups let a process have of the machine's CPUs. */
#ifndef PD_QUOTA_H
#define PD_QUOTA_H

/*
 * CPUs whose time the process's groups allow it in a period, rounded up; 0 where
 * none has a limit. Both versions of control groups, at their usual places below
 * `root`, which is empty but for tests.
 */
unsigned int pd_quota_cpus(const char *root);

#endif /* PD_QUOTA_H */

/* SPDX-License-Identifier: MIT */
/* What control groups let a process have of the machine: CPUs and memory. */
#ifndef PD_QUOTA_H
#define PD_QUOTA_H

#include <stdint.h>

/*
 * CPUs whose time the process's groups allow it in a period, rounded up; 0 where
 * none has a limit. Both versions of control groups, at their usual places below
 * `root`, which is empty but for tests.
 */
unsigned int pd_quota_cpus(const char *root);

/* Bytes that the process's groups let it have on top of what they use; UINT64_MAX: any. */
uint64_t pd_quota_memory(const char *root);

#endif /* PD_QUOTA_H */

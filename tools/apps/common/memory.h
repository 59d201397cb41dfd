/* SPDX-License-Identifier: MIT */
/* How much memory a run may take. */
#ifndef PIMDIMM_APPS_MEMORY_H
#define PIMDIMM_APPS_MEMORY_H

#include <stdint.h>

/*
 * What the kernel thinks it can hand out without swapping, and the process's control groups
 * let it have; UINT64_MAX: not known.
 */
uint64_t app_memory_available(void);
/* three quarters of it: what exceeds this is refused */
uint64_t app_memory_bound(void);

#endif /* PIMDIMM_APPS_MEMORY_H */

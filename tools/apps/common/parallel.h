/* SPDX-License-Identifier: MIT */
/* The host's own work on several threads. */
#ifndef PIMDIMM_APPS_PARALLEL_H
#define PIMDIMM_APPS_PARALLEL_H

#include <stdint.h>

/* What part `part` of `parts` does. Parts may run one after another: none waits. */
typedef void (*app_part_fn)(unsigned int part, unsigned int parts, void *arg);

/*
 * Runs all parts, each on a thread of its own, part 0 on the caller's, and waits. What
 * no thread can be had for, the caller runs.
 */
void app_parallel(unsigned int parts, app_part_fn fn, void *arg);

/* where part `part` of `parts` of `count` things begins; its end is the next one's */
uint64_t app_part_first(uint64_t count, unsigned int part, unsigned int parts);

/* the threads that this process may use: what the affinity mask allows */
unsigned int app_threads(void);

#endif /* PIMDIMM_APPS_PARALLEL_H */

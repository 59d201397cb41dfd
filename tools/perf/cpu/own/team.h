/* SPDX-License-Identifier: MIT */
/*
 * Threads that stay: a search has a thousand steps of microseconds, for which none are
 * made anew. Who waits spins for some time before it sleeps.
 */
#ifndef PIMDIMM_PERF_CPU_TEAM_H
#define PIMDIMM_PERF_CPU_TEAM_H

#include <stdbool.h>
#include <stdint.h>

struct team;

/* What thread `thread` does. It may wait for no other. */
typedef void (*team_fn)(unsigned int thread, void *arg);

/* The caller is thread 0, the only one that may call these. NULL: no memory, no threads. */
struct team *team_make(unsigned int threads);
void team_free(struct team *team);
unsigned int team_threads(const struct team *team);

/* All threads call fn; returns when all have. */
void team_run(struct team *team, team_fn fn, void *arg);

/* What is to be handed out to threads, piece by piece; *next begins as 0. */
struct team_range {
	uint64_t first, end;
};

/* The next piece of up to `piece` of `count` things; false: there are no more. */
bool team_take(uint64_t *next, uint64_t piece, uint64_t count, struct team_range *range);

#endif /* PIMDIMM_PERF_CPU_TEAM_H */

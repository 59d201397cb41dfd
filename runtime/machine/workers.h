/* SPDX-License-Identifier: MIT */
/*
 * Threads that share the work of a call with its caller. Whoever finds them
 * taken does the work alone, so that calls never wait for each other.
 */
#ifndef PD_WORKERS_H
#define PD_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/machine/topology.h"

struct pd_workers;

/*
 * Do items first to first + count - 1. Called on several threads at once, in
 * the default floating-point environment.
 */
typedef void (*pd_work_fn)(void *ctx, uint64_t first, uint64_t count);

/*
 * As many as the placement has threads, the caller counted. Each is kept in its
 * share where the placement binds; the caller's own thread never is. The
 * placement is used as long as they live. 0 or -errno.
 */
int pd_workers_create(const struct pd_placement *placement,
		      struct pd_workers **workers);
void pd_workers_destroy(struct pd_workers *workers);
unsigned int pd_workers_threads(const struct pd_workers *workers);
/* nodes that items are dealt out over, in equal shares and in order */
unsigned int pd_workers_nodes(const struct pd_workers *workers);
/* whether they are kept in their shares: asked for, and granted */
bool pd_workers_bound(const struct pd_workers *workers);

/*
 * A call is divided where each thread has so many bytes of it, or, where threads sleep and are to
 * be woken for it, so many: to divide less takes as long as it.
 */
#define PD_WORK_LEAST	(UINT64_C(64) << 10)
#define PD_WORK_WAKES	(UINT64_C(256) << 10)

/* For pd_workers_run(), of items that are so many bytes together: 1, or all at once. */
uint64_t pd_workers_grain(const struct pd_workers *workers, uint64_t items, uint64_t bytes);

/*
 * Do `items` items, handed out `grain` at a time; returns when all are done.
 * Items in order of the ranks that they are about run near to their memory: the
 * threads of a node begin with that node's part of them.
 */
void pd_workers_run(struct pd_workers *workers, uint64_t items, uint64_t grain,
		    pd_work_fn fn, void *ctx);

#endif /* PD_WORKERS_H */

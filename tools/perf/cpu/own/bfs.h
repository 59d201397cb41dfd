/* SPDX-License-Identifier: MIT */
/*
 * Direction-optimising breadth-first search (Beamer et al., SC 2012): top-down from a
 * queue, bottom-up by bitmaps while the frontier is large.
 */
#ifndef PIMDIMM_PERF_CPU_OWN_BFS_H
#define PIMDIMM_PERF_CPU_OWN_BFS_H

#include "tools/perf/cpu/own/inputs.h"
#include "tools/perf/cpu/own/team.h"

struct own_bfs;

/* NULL: no memory. The graph stays the caller's. */
struct own_bfs *own_bfs_make(const struct cpu_graph *graph, struct team *team);
void own_bfs_free(struct own_bfs *bfs);
/* Sets each vertex's level, 0 of the source, CPU_UNREACHED. */
void own_bfs_run(struct own_bfs *bfs, uint32_t *levels);

#endif /* PIMDIMM_PERF_CPU_OWN_BFS_H */

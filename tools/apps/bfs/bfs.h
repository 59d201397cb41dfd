/* SPDX-License-Identifier: MIT */
/* Breadth-first search: the application `bfs`, and the state of a run. */
#ifndef PIMDIMM_APPS_BFS_H
#define PIMDIMM_APPS_BFS_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/apps/bfs/args.h"
#include "tools/apps/common/context.h"
#include "tools/apps/common/graph/csr.h"
#include "tools/apps/common/graph/graph.h"

/* How a graph lies in the MRAM of each PE. */
struct bfs_layout {
	uint64_t bitmap_bytes;
	uint64_t next, status, visited, frontier, levels, sources, targets;
	uint64_t words;		/* of a bitmap in a PE's range */
	uint64_t slice;		/* edges of a PE */
	uint64_t most_sources;	/* that a slice has, and one more */
};

struct bfs {
	bool directed;
	bool source_given;
	uint64_t source_name;	/* as in the graph's file */
	struct graph graph;	/* without its edges, once they are in `out` and `in` */
	struct csr out, in;	/* `in` of a directed graph alone */
	uint32_t source;
	struct bfs_layout layout;
	uint32_t *levels;	/* the PEs' result */
	uint64_t *visited;
	uint32_t nr_levels;
};

extern const struct app app_bfs;

#endif /* PIMDIMM_APPS_BFS_H */

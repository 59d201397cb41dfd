/* SPDX-License-Identifier: MIT */
/* Large edge lists read by several threads, as long as nothing in them is unusual. */
#ifndef PIMDIMM_GRAPH_SNAP_PARALLEL_H
#define PIMDIMM_GRAPH_SNAP_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/apps/common/graph/graph.h"
#include "tools/apps/common/graph/graph_ids.h"

/* the largest number of a vertex */
#define SNAP_MAX_ID (UINT32_MAX - 1)

/*
 * Reads a file that is not packed: pairs of numbers, comments and empty lines alone. Adds
 * pairs and ids, and *promised where a comment announces edges. False, with nothing
 * added, where there is anything else in it, no memory or an error, for whoever reads
 * line by line to say.
 */
bool snap_read_parallel(const char *path, unsigned int threads, struct pairs *pairs,
			struct ids *ids, uint64_t *promised);

#endif /* PIMDIMM_GRAPH_SNAP_PARALLEL_H */

/* SPDX-License-Identifier: MIT */
/* Edges dealt out over PEs evenly: a vertex's list may be cut, and be several PEs'. */
#ifndef PIMDIMM_APPS_BFS_SLICES_H
#define PIMDIMM_APPS_BFS_SLICES_H

#include "tools/apps/bfs/args.h"
#include "tools/apps/common/graph/csr.h"

/*
 * The sources of slice number `slice` of `edges` edges, into `sources` unless it is NULL,
 * in front of one entry that tells where the last one's edges end. Returns how many.
 */
uint64_t slice_sources(const struct csr *csr, uint64_t slice, uint64_t edges,
		       struct bfs_source *sources);

/* edges of a slice, less in the last ones */
uint64_t slice_edges(const struct csr *csr, uint64_t slice, uint64_t edges);

#endif /* PIMDIMM_APPS_BFS_SLICES_H */

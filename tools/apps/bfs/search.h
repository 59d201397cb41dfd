/* SPDX-License-Identifier: MIT */
/*
 * Breadth-first search on the host: top-down, or bottom-up where the frontier is large
 * (Beamer et al., "Direction-Optimizing Breadth-First Search", SC 2012).
 */
#ifndef PIMDIMM_APPS_BFS_SEARCH_H
#define PIMDIMM_APPS_BFS_SEARCH_H

#include <stdint.h>

#include "tools/apps/common/graph/csr.h"

/* what vertices have that are not reached */
#define SEARCH_UNREACHED UINT32_MAX

/*
 * Sets each vertex's level, 0 of the source. `in` are the edges turned round, the same
 * as `out` of an undirected graph. Returns 0 or -ENOMEM.
 */
int search_levels(const struct csr *out, const struct csr *in, uint32_t source,
		  unsigned int threads, uint32_t *levels);

#endif /* PIMDIMM_APPS_BFS_SEARCH_H */

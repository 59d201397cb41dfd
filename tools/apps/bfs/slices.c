// SPDX-License-Identifier: MIT
/* Finds whose edges lie in a slice of all edges. */
#include <stddef.h>

#include "tools/apps/bfs/slices.h"

uint64_t slice_edges(const struct csr *csr, uint64_t slice, uint64_t edges)
{
	uint64_t first = slice * edges;

	if (first >= csr->nr_edges)
		return 0;
	return csr->nr_edges - first < edges ? csr->nr_edges - first : edges;
}

/* The vertex that edge number `edge` leaves from. */
static uint32_t slice_vertex(const struct csr *csr, uint64_t edge)
{
	uint64_t low = 0, high = csr->nr_vertices;

	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (csr->first[middle] <= edge)
			low = middle;
		else
			high = middle;
	}
	return (uint32_t)low;
}

uint64_t slice_sources(const struct csr *csr, uint64_t slice, uint64_t edges,
		       struct bfs_source *sources)
{
	uint64_t first = slice * edges, n = 0;
	uint64_t end = first + slice_edges(csr, slice, edges);
	uint64_t at = first;

	for (uint64_t v = first < end ? slice_vertex(csr, first) : 0; at < end; v++) {
		if (csr->first[v + 1] <= at)
			continue;
		if (sources)
			sources[n] = (struct bfs_source){ (uint32_t)v,
							  (uint32_t)(at - first) };
		n++;
		at = csr->first[v + 1];
	}
	if (sources)
		sources[n] = (struct bfs_source){ 0, (uint32_t)(end - first) };
	return n;
}

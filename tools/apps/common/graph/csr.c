// SPDX-License-Identifier: MIT
/* Sorts edges by their vertices: counts them, then puts each in its place. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/graph/csr.h"
#include "tools/apps/common/memory.h"
#include "tools/tool.h"

/* the ends that an edge stands at */
struct csr_ends {
	bool low, high;
};

static struct csr_ends csr_ends_of(const struct graph *graph, enum csr_way way)
{
	return (struct csr_ends){
		.low = !graph->directed || way == CSR_OUT,
		.high = !graph->directed || way == CSR_IN,
	};
}

/* Leaves in first[v + 1] where the edges of v begin, for csr_place() to move on. */
static void csr_count(struct csr *csr, const struct graph *graph,
		      struct csr_ends ends)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < graph->nr_edges; i++) {
		if (ends.low)
			csr->first[graph_edge_low(graph->edges[i]) + UINT64_C(1)]++;
		if (ends.high)
			csr->first[graph_edge_high(graph->edges[i]) + UINT64_C(1)]++;
	}
	for (uint64_t v = 1; v <= csr->nr_vertices; v++) {
		uint64_t degree = csr->first[v];

		csr->first[v] = sum;
		sum += degree;
	}
	csr->nr_edges = sum;
}

/* Edges are sorted by their lower end: so what each vertex gets ascends. */
static void csr_place(struct csr *csr, const struct graph *graph,
		      struct csr_ends ends)
{
	for (uint64_t i = 0; i < graph->nr_edges; i++) {
		uint32_t low = graph_edge_low(graph->edges[i]);
		uint32_t high = graph_edge_high(graph->edges[i]);

		if (ends.low)
			csr->targets[csr->first[low + UINT64_C(1)]++] = high;
		if (ends.high)
			csr->targets[csr->first[high + UINT64_C(1)]++] = low;
	}
}

/* Room for all of it, if it fits: there may be many vertices without an edge. */
static int csr_room(struct csr *csr, const struct graph *graph, uint64_t edges)
{
	uint64_t vertices = csr->nr_vertices + UINT64_C(2);
	uint64_t bytes = vertices * sizeof(*csr->first) +
			 (edges + 1) * sizeof(*csr->targets);

	if (bytes <= app_memory_bound()) {
		csr->first = calloc(vertices, sizeof(*csr->first));
		csr->targets = malloc((edges + 1) * sizeof(*csr->targets));
	}
	if (csr->first && csr->targets)
		return 0;
	tool_error("%s: %s vertices with %s edges need %s bytes of memory, more than three quarters of the %s that are available",
		   graph->path, tool_count(csr->nr_vertices), tool_count(edges), tool_count(bytes),
		   tool_count(app_memory_available()));
	return -ENOMEM;
}

int csr_make(struct csr *csr, const struct graph *graph, enum csr_way way)
{
	struct csr_ends ends = csr_ends_of(graph, way);

	*csr = (struct csr){ .nr_vertices = graph->nr_vertices };
	if (csr_room(csr, graph, graph->nr_edges * (ends.low + ends.high)))
		return -ENOMEM;
	csr_count(csr, graph, ends);
	csr_place(csr, graph, ends);
	return 0;
}

void csr_free(struct csr *csr)
{
	free(csr->first);
	free(csr->targets);
	*csr = (struct csr){ 0 };
}

// SPDX-License-Identifier: MIT
/* Sorts edges by their vertices: counts them, then puts each in its place. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/graph/csr.h"
#include "tools/apps/common/memory.h"

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

/* Where vertices begin, if it fits: there may be many of them without an edge. */
static int csr_room(struct csr *csr)
{
	uint64_t count = csr->nr_vertices + UINT64_C(2);

	if (count * sizeof(*csr->first) > app_memory_bound())
		return -ENOMEM;
	csr->first = calloc(count, sizeof(*csr->first));
	return csr->first ? 0 : -ENOMEM;
}

int csr_make(struct csr *csr, const struct graph *graph, enum csr_way way)
{
	struct csr_ends ends = csr_ends_of(graph, way);

	*csr = (struct csr){ .nr_vertices = graph->nr_vertices };
	if (csr_room(csr))
		return -ENOMEM;
	csr_count(csr, graph, ends);
	csr->targets = malloc((csr->nr_edges + 1) * sizeof(*csr->targets));
	if (!csr->targets)
		return -ENOMEM;
	csr_place(csr, graph, ends);
	return 0;
}

void csr_free(struct csr *csr)
{
	free(csr->first);
	free(csr->targets);
	*csr = (struct csr){ 0 };
}

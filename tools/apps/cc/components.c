// SPDX-License-Identifier: MIT
/* Connected components by union-find on the host, and what they are like. */
#include <errno.h>
#include <stdlib.h>

#include "tools/apps/cc/components.h"

static uint32_t cc_host_find(uint32_t *parent, uint32_t v)
{
	while (parent[v] != v) {
		parent[v] = parent[parent[v]];
		v = parent[v];
	}
	return v;
}

void components_on_host(const struct graph *graph, uint32_t *labels)
{
	for (uint32_t v = 0; v < graph->nr_vertices; v++)
		labels[v] = v;
	for (uint64_t i = 0; i < graph->nr_edges; i++) {
		uint32_t a = cc_host_find(labels, graph_edge_low(graph->edges[i]));
		uint32_t b = cc_host_find(labels, graph_edge_high(graph->edges[i]));

		/* the smaller root wins, so that roots are the labels wanted */
		if (a < b)
			labels[b] = a;
		else
			labels[a] = b;
	}
	for (uint32_t v = 0; v < graph->nr_vertices; v++)
		labels[v] = cc_host_find(labels, v);
}

int components_summarise(const uint32_t *labels, uint32_t nr_vertices,
			 struct components_summary *summary)
{
	uint32_t *sizes = calloc(nr_vertices, sizeof(*sizes));

	*summary = (struct components_summary){ 0 };
	if (!sizes)
		return -ENOMEM;
	for (uint32_t v = 0; v < nr_vertices; v++)
		sizes[labels[v]]++;
	for (uint32_t v = 0; v < nr_vertices; v++) {
		summary->count += sizes[v] != 0;
		if (sizes[v] > summary->largest) {
			summary->largest = sizes[v];
			summary->largest_label = v;
		}
	}
	free(sizes);
	return 0;
}

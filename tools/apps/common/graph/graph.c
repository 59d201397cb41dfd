// SPDX-License-Identifier: MIT
/* Collects the edges of a graph, sorts them, and drops what says nothing. */
#include <errno.h>
#include <stdlib.h>

#include "tools/apps/common/graph/graph.h"
#include "tools/apps/common/graph/graph_sort.h"
#include "tools/apps/common/memory.h"
#include "tools/tool.h"

/* Sorting takes as much again, and what unpacks to more than memory is refused. */
static int pairs_grow(struct pairs *pairs)
{
	size_t room = pairs->room ? pairs->room + pairs->room / 2 : 4096;
	uint64_t *words;

	if ((2 * room - pairs->room) * sizeof(*words) > app_memory_bound()) {
		if (pairs->path)
			tool_error("%s: more than %s edges exceed three quarters of the %s of memory available",
				   pairs->path, tool_count(pairs->count),
				   tool_count(app_memory_available()));
		return -ENOMEM;
	}
	words = reallocarray(pairs->words, room, sizeof(*words));
	if (!words) {
		if (pairs->path)
			tool_error("%s: no memory for %s edges", pairs->path,
				   tool_count(room));
		return -ENOMEM;
	}
	pairs->words = words;
	pairs->room = room;
	return 0;
}

int pairs_add(struct pairs *pairs, uint32_t a, uint32_t b)
{
	if (pairs->count == pairs->room && pairs_grow(pairs))
		return -ENOMEM;
	pairs->words[pairs->count++] = pairs->directed || a < b ?
					       (uint64_t)a << 32 | b :
					       (uint64_t)b << 32 | a;
	return 0;
}

void pairs_free(struct pairs *pairs)
{
	free(pairs->words);
	*pairs = (struct pairs){ .path = pairs->path, .directed = pairs->directed };
}

static size_t drop_needless(uint64_t *words, size_t count, bool loops)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!loops &&
		    graph_edge_low(words[i]) == graph_edge_high(words[i]))
			continue;
		if (kept && words[kept - 1] == words[i])
			continue;
		words[kept++] = words[i];
	}
	return kept;
}

int graph_take_pairs(struct graph *graph, struct pairs *pairs)
{
	if (graph_sort_words(&pairs->words, pairs->count,
			     graph->threads ? graph->threads : 1)) {
		tool_error("no memory to sort %s edges",
			   tool_count(pairs->count));
		return -ENOMEM;
	}
	graph->nr_pairs = pairs->count;
	graph->nr_edges = drop_needless(pairs->words, pairs->count,
					pairs->directed);
	graph->directed = pairs->directed;
	graph->edges = pairs->words;
	*pairs = (struct pairs){ 0 };
	return 0;
}

void graph_free(struct graph *graph)
{
	free(graph->edges);
	free(graph->names);
	*graph = (struct graph){ 0 };
}

uint32_t graph_name(const struct graph *graph, uint32_t vertex)
{
	return graph->names ? graph->names[vertex] : vertex + graph->first_name;
}

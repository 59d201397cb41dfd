// SPDX-License-Identifier: MIT
/* Collects the edges of a graph, sorts them, and drops what says nothing. */
#include <errno.h>
#include <stdlib.h>

#include "tools/apps/common/graph/graph.h"
#include "tools/tool.h"

int pairs_add(struct pairs *pairs, uint32_t a, uint32_t b)
{
	if (pairs->count == pairs->room) {
		size_t room = pairs->room ? 2 * pairs->room : 4096;
		uint64_t *words = reallocarray(pairs->words, room,
					       sizeof(*words));

		if (!words) {
			tool_error("no memory for %s edges", tool_count(room));
			return -ENOMEM;
		}
		pairs->words = words;
		pairs->room = room;
	}
	pairs->words[pairs->count++] = pairs->directed || a < b ?
					       (uint64_t)a << 32 | b :
					       (uint64_t)b << 32 | a;
	return 0;
}

void pairs_free(struct pairs *pairs)
{
	free(pairs->words);
	*pairs = (struct pairs){ 0 };
}

/* one pass of a radix sort, by the byte at `shift` */
static void sort_pass(uint64_t *out, const uint64_t *in, size_t count,
		      unsigned int shift)
{
	size_t start[257] = { 0 };

	for (size_t i = 0; i < count; i++)
		start[(in[i] >> shift & 0xff) + 1]++;
	for (size_t i = 1; i < 256; i++)
		start[i] += start[i - 1];
	for (size_t i = 0; i < count; i++)
		out[start[in[i] >> shift & 0xff]++] = in[i];
}

/* Eight passes, of which those over bytes that are zero everywhere are left out. */
static int sort_words(struct pairs *pairs)
{
	uint64_t *spare, *swap, used = 0;

	if (!pairs->count)
		return 0;
	spare = reallocarray(NULL, pairs->count, sizeof(*spare));
	if (!spare) {
		tool_error("no memory to sort %s edges",
			   tool_count(pairs->count));
		return -ENOMEM;
	}
	for (size_t i = 0; i < pairs->count; i++)
		used |= pairs->words[i];
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		if (!(used >> shift & 0xff))
			continue;
		sort_pass(spare, pairs->words, pairs->count, shift);
		swap = spare;
		spare = pairs->words;
		pairs->words = swap;
		pairs->room = pairs->count;
	}
	free(spare);
	return 0;
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
	int ret = sort_words(pairs);

	if (ret)
		return ret;
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

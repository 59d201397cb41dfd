/* SPDX-License-Identifier: MIT */
/* Generated graphs: communities that are planted, and one as large as Reddit's. */
#ifndef PIMDIMM_GRAPH_PLANTED_H
#define PIMDIMM_GRAPH_PLANTED_H

#include <stdbool.h>

#include "tools/apps/common/graph/graph.h"

struct planted {
	uint32_t vertices, communities;
	/* neighbours of a vertex, on average, in its community and in others */
	uint32_t inside, outside;
	/* edges that there are, whatever the neighbours; 0: as these say */
	uint64_t edges;
	/* vertices of low numbers have more neighbours, as in social networks */
	bool skewed;
	uint64_t seed;
};

/* Does the text name such a graph, "sbm:..." or "reddit:..."? */
bool planted_named(const char *text);

/*
 * Reads "sbm:vertices=N,communities=N,inside=N,outside=N,seed=N" or "reddit:seed=N", of
 * which all keys may be left out. Returns 0, or -EINVAL after a message.
 */
int planted_read(const char *text, uint64_t seed, struct planted *planted);

/* The community of a vertex: 0 to communities - 1. */
static inline uint32_t planted_community(const struct planted *planted, uint32_t vertex)
{
	return vertex % planted->communities;
}

/*
 * Makes the undirected graph that the text names, with the seed where it names none; the
 * same whatever the threads. Returns 0, or -errno after a message.
 */
int planted_load(const char *text, uint64_t seed, unsigned int threads,
		 struct graph *graph);

#endif /* PIMDIMM_GRAPH_PLANTED_H */

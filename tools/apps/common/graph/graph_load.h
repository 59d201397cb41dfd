/* SPDX-License-Identifier: MIT */
/* Graphs from files, whatever their format. */
#ifndef PIMDIMM_GRAPH_LOAD_H
#define PIMDIMM_GRAPH_LOAD_H

#include "tools/apps/common/graph/graph.h"

/* What is asked for. */
struct graph_wish {
	const char *path;
	bool directed;		/* else edges have no direction */
	unsigned int threads;	/* to read with */
	uint64_t seed;		/* of generators that are not told one */
};

/*
 * Read a Matrix Market file or a SNAP edge list, compressed by gzip or not, of
 * standard input where path is "-", or a folder with WordNet's four data files; or make
 * what a generator is named for.
 * Returns 0 and a graph for graph_free(); else it has said on
 * standard error what is wrong in which file and line, and returns -errno.
 */
int graph_load(const struct graph_wish *wish, struct graph *graph);

#endif /* PIMDIMM_GRAPH_LOAD_H */

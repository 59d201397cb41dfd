/* SPDX-License-Identifier: MIT */
/* Undirected graphs, read from files. */
#ifndef PIMDIMM_GRAPH_H
#define PIMDIMM_GRAPH_H

#include <stdint.h>

/* vertices are numbered by 32 bits, and one number is kept for "none" */
#define GRAPH_MAX_VERTICES UINT32_MAX

/*
 * Vertices are 0 to nr_vertices - 1. Each edge is a word: its smaller end in
 * the upper half, its larger one in the lower; sorted, without loops and
 * repetitions.
 */
struct graph {
	const char *kind;	/* what it was read from, for people */
	const char *pairs_are;	/* "entries", "pointers", ... */
	uint32_t nr_vertices;
	uint64_t nr_pairs;	/* in the file, before loops and repetitions went */
	uint64_t nr_edges;
	uint64_t *edges;
	uint32_t *names;	/* each vertex's number in the file, or NULL ... */
	uint32_t first_name;	/* ... where vertex v is called v + first_name */
};

static inline uint32_t graph_edge_low(uint64_t edge)
{
	return (uint32_t)(edge >> 32);
}

static inline uint32_t graph_edge_high(uint64_t edge)
{
	return (uint32_t)edge;
}

/*
 * Read a Matrix Market file or a SNAP edge list, compressed by gzip or not, of
 * standard input where path is "-", or a folder with WordNet's four data files.
 * Returns 0 and a graph for graph_free(); else it has said on
 * standard error what is wrong in which file and line, and returns -errno.
 */
int graph_load(const char *path, struct graph *graph);
void graph_free(struct graph *graph);

/* the number that the file gives a vertex */
uint32_t graph_name(const struct graph *graph, uint32_t vertex);

#endif /* PIMDIMM_GRAPH_H */

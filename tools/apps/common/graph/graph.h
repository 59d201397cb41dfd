/* SPDX-License-Identifier: MIT */
/* Graphs, and edges that are being collected for one. */
#ifndef PIMDIMM_GRAPH_H
#define PIMDIMM_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* vertices are numbered by 32 bits, and one number is kept for "none" */
#define GRAPH_MAX_VERTICES UINT32_MAX

/*
 * Vertices are 0 to nr_vertices - 1. Each edge is a word; they are sorted, without
 * repetitions. An undirected edge has its smaller end in the upper half, its larger one
 * in the lower, and is no loop; a directed one has where it leaves from in the upper
 * half, where it leads to in the lower, and may be a loop.
 */
struct graph {
	bool directed;
	unsigned int threads;	/* to make it with */
	const char *path;	/* what was asked for, as long as that is */
	const char *kind;	/* what it was read from, for people */
	const char *pairs_are;	/* "entries", "pointers", ... */
	uint32_t nr_vertices;
	uint64_t nr_pairs;	/* in the file, before loops and repetitions went */
	uint64_t nr_edges;
	uint64_t *edges;
	uint32_t communities;	/* planted: vertex v is of v % communities; 0: none */
	uint32_t *names;	/* each vertex's number in the file, or NULL ... */
	uint32_t first_name;	/* ... where vertex v is called v + first_name */
};

/* Its smaller end, or where it leaves from; and its other end. */
static inline uint32_t graph_edge_low(uint64_t edge)
{
	return (uint32_t)(edge >> 32);
}

static inline uint32_t graph_edge_high(uint64_t edge)
{
	return (uint32_t)edge;
}

/* Edges being collected; zeroed, it is empty, of an undirected graph, and says nothing. */
struct pairs {
	const char *path;	/* of the file that they are of; NULL: nothing is said of it */
	bool directed;
	uint64_t *words;
	size_t count;
	size_t room;
};

/* Returns 0 or -ENOMEM, after a message where there is a path. */
int pairs_add(struct pairs *pairs, uint32_t a, uint32_t b);
void pairs_free(struct pairs *pairs);

/*
 * Sort, drop loops and repetitions; graph takes over the memory. Returns 0 or
 * -ENOMEM, after a message.
 */
int graph_take_pairs(struct graph *graph, struct pairs *pairs);

void graph_free(struct graph *graph);

/* the number that the file gives a vertex */
uint32_t graph_name(const struct graph *graph, uint32_t vertex);

#endif /* PIMDIMM_GRAPH_H */

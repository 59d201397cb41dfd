// SPDX-License-Identifier: MIT
/* LAGraph's connected components: FastSV, on a sample of the edges before the others. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "tools/perf/cpu/plugins/graphblas_fastsv.h"
#include "tools/perf/cpu/plugins/graphblas_graph.h"

/* edges of each vertex in the first sample, and labels in that of the components */
#define EDGE_SAMPLES 4
#define LABEL_SAMPLES 864
#define LABEL_SLOTS 1024

/* parent[parents[v]] = min(itself, least[v]), as a product with one entry a column. */
static GrB_Info hook_parents(struct graphblas_graph *g)
{
	GrB_Index starts_bytes = (g->n + 1) * sizeof(*g->starts);
	GrB_Index parents_bytes = g->n * sizeof(*g->parents), hook_bytes = sizeof(bool);
	bool iso = true, jumbled = false;

	TRY(GxB_Matrix_pack_CSC(g->hooks, &g->starts, &g->parents, &g->hook,
				starts_bytes, parents_bytes, hook_bytes, iso, jumbled,
				NULL));
	TRY(GrB_mxv(g->parent, NULL, GrB_MIN_UINT32, GrB_MIN_SECOND_SEMIRING_UINT32,
		    g->hooks, g->least, NULL));
	return GxB_Matrix_unpack_CSC(g->hooks, &g->starts, &g->parents, &g->hook,
				     &starts_bytes, &parents_bytes, &hook_bytes, &iso,
				     &jumbled, NULL);
}

/* Rounds of FastSV over the edges of a matrix. */
static GrB_Info fastsv_rounds(struct graphblas_graph *g, GrB_Matrix edges)
{
	GrB_Index n = g->n;
	bool changed = true;

	while (changed) {
		GrB_Vector swap;

		TRY(GrB_mxv(g->least, NULL, GrB_MIN_UINT32,
			    GrB_MIN_SECOND_SEMIRING_UINT32, edges, g->grand, NULL));
		TRY(hook_parents(g));
		TRY(GrB_Vector_eWiseAdd_BinaryOp(g->parent, NULL, GrB_MIN_UINT32,
						 GrB_MIN_UINT32, g->least, g->grand,
						 NULL));
		TRY(GrB_Vector_extractTuples_UINT64(NULL, g->parents, &n, g->parent));
		TRY(GrB_Vector_extract(g->grand_new, NULL, NULL, g->parent, g->parents,
				       n, NULL));
		TRY(GrB_Vector_eWiseMult_BinaryOp(g->differs, NULL, NULL, GrB_NE_UINT32,
						  g->grand_new, g->grand, NULL));
		TRY(GrB_Vector_reduce_BOOL(&changed, NULL, GrB_LOR_MONOID_BOOL,
					   g->differs, NULL));
		swap = g->grand;
		g->grand = g->grand_new;
		g->grand_new = swap;
	}
	return GrB_SUCCESS;
}

/* Each vertex's parent is the smallest of itself and its first neighbour. */
static GrB_Info begin_fastsv(struct graphblas_graph *g)
{
	GrB_Index n = g->n;
	uint32_t *parents = malloc(n * sizeof(*parents));
	void *values = parents;

	g->starts = malloc((n + 1) * sizeof(*g->starts));
	g->parents = malloc(n * sizeof(*g->parents));
	g->hook = calloc(1, sizeof(bool));
	if (!parents || !g->starts || !g->parents || !g->hook) {
		free(parents);
		return GrB_OUT_OF_MEMORY;
	}
	#pragma omp parallel for num_threads(g->threads)
	for (uint64_t v = 0; v < n; v++) {
		uint64_t first = g->in->first[v];
		uint32_t parent = (uint32_t)v;

		if (first < g->in->first[v + 1] && g->in->targets[first] < parent)
			parent = g->in->targets[first];
		parents[v] = parent;
		g->parents[v] = parent;
		g->starts[v] = v;
	}
	g->starts[n] = n;
	TRY(GrB_Vector_new(&g->parent, GrB_UINT32, n));
	TRY(GxB_Vector_pack_Full(g->parent, &values, n * sizeof(*parents), false, NULL));
	TRY(GrB_Vector_dup(&g->grand, g->parent));
	TRY(GrB_Vector_dup(&g->least, g->parent));
	TRY(GrB_Vector_new(&g->grand_new, GrB_UINT32, n));
	TRY(GrB_Vector_new(&g->differs, GrB_BOOL, n));
	return GrB_Matrix_new(&g->hooks, GrB_BOOL, n, n);
}

static uint64_t degree_of(const struct graphblas_graph *g, uint64_t v)
{
	return g->in->first[v + 1] - g->in->first[v];
}

/* Where a thread's vertices begin. */
static uint64_t part_of(const struct graphblas_graph *g, unsigned int thread)
{
	return g->n * thread / g->threads;
}

/* Writes what is taken of a vertex's edges, and returns how many. */
typedef uint64_t (*select_fn)(const struct graphblas_graph *g, uint64_t v, GrB_Index *to);

/* Each thread's edges behind those of the one before it. Returns how many there are. */
static GrB_Index close_gaps(const struct graphblas_graph *g, GrB_Index *first,
			    GrB_Index *targets, const GrB_Index *ends)
{
	GrB_Index count = 0;

	for (unsigned int t = 0; t < g->threads; t++) {
		uint64_t end = part_of(g, t + 1);
		GrB_Index from = g->in->first[part_of(g, t)], gap = from - count;

		memmove(targets + count, targets + from,
			(ends[t] - from) * sizeof(*targets));
		count += ends[t] - from;
		for (uint64_t v = part_of(g, t); v < end; v++)
			first[v] -= gap;
	}
	first[g->n] = count;
	return count;
}

/* g->sample becomes the matrix of some of the edges; *count is how many. */
static GrB_Info select_edges(struct graphblas_graph *g, select_fn select, bool jumbled,
			     GrB_Index *count)
{
	GrB_Index room = g->in->edges + 1;
	GrB_Index *first = malloc((g->n + 1) * sizeof(*first));
	GrB_Index *targets = malloc(room * sizeof(*targets));
	GrB_Index *ends = malloc(g->threads * sizeof(*ends));

	GrB_Matrix_free(&g->sample);
	if (!first || !targets || !ends) {
		free(first);
		free(targets);
		free(ends);
		return GrB_OUT_OF_MEMORY;
	}
	#pragma omp parallel for num_threads(g->threads) schedule(static, 1)
	for (unsigned int t = 0; t < g->threads; t++) {
		uint64_t end = part_of(g, t + 1);
		GrB_Index at = g->in->first[part_of(g, t)];

		for (uint64_t v = part_of(g, t); v < end; v++) {
			first[v] = at;
			at += select(g, v, targets + at);
		}
		ends[t] = at;
	}
	*count = close_gaps(g, first, targets, ends);
	free(ends);
	return graphblas_pack_rows(&g->sample, g->n, first, targets, room, jumbled);
}

/* The first edges of each vertex. */
static uint64_t select_first(const struct graphblas_graph *g, uint64_t v, GrB_Index *to)
{
	uint64_t n = degree_of(g, v);

	n = n < EDGE_SAMPLES ? n : EDGE_SAMPLES;
	for (uint64_t i = 0; i < n; i++)
		to[i] = g->in->targets[g->in->first[v] + i];
	return n;
}

/* The label that most of a sample have. */
static uint64_t most_frequent(const struct graphblas_graph *g)
{
	uint64_t keys[LABEL_SLOTS], best = 0, state = g->n;
	unsigned int counts[LABEL_SLOTS] = { 0 }, most = 0;

	for (unsigned int i = 0; i < LABEL_SAMPLES; i++) {
		uint64_t key, at;

		state = state * UINT64_C(6364136223846793005) +
			UINT64_C(1442695040888963407);
		key = g->parents[(state >> 32) % g->n];
		at = key * 17 % LABEL_SLOTS;
		while (counts[at] && keys[at] != key)
			at = (at + 23) % LABEL_SLOTS;
		keys[at] = key;
		if (++counts[at] > most) {
			most = counts[at];
			best = key;
		}
	}
	return best;
}

/*
 * Edges outside of the largest component, and one to it in the place of all that lead
 * there.
 */
static uint64_t select_rest(const struct graphblas_graph *g, uint64_t v, GrB_Index *to)
{
	uint64_t n = 0;

	if (g->parents[v] == g->largest)
		return 0;
	for (uint64_t e = g->in->first[v]; e < g->in->first[v + 1]; e++) {
		if (g->parents[g->in->targets[e]] != g->largest)
			to[n++] = g->in->targets[e];
	}
	if (n < degree_of(g, v))
		to[n++] = g->largest;
	return n;
}

int graphblas_fastsv_run(void *arg)
{
	struct graphblas_graph *g = arg;
	GrB_Matrix edges = g->out;
	GrB_Index count = g->in->edges;

	graphblas_graph_clear(g);
	TRY(graphblas_begin(g->threads));
	TRY(begin_fastsv(g));
	if (g->n > 1024 && count > g->n * EDGE_SAMPLES * 2) {
		TRY(select_edges(g, select_first, false, &count));
		TRY(fastsv_rounds(g, g->sample));
		g->largest = most_frequent(g);
		TRY(select_edges(g, select_rest, true, &count));
		edges = g->sample;
	}
	if (count)
		TRY(fastsv_rounds(g, edges));
	return GrB_Vector_wait(g->parent, GrB_MATERIALIZE);
}

const void *graphblas_fastsv_result(void *arg)
{
	struct graphblas_graph *g = arg;

	return graphblas_graph_numbers(g, g->parent);
}

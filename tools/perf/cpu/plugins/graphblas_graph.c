// SPDX-License-Identifier: MIT
/* Makes and frees what the algorithms on graphs share. */
#include <stdlib.h>
#include <string.h>

#include "tools/perf/cpu/plugins/graphblas_graph.h"

void graphblas_graph_clear(struct graphblas_graph *g)
{
	GrB_Vector_free(&g->level);
	GrB_Vector_free(&g->frontier);
	GrB_Vector_free(&g->work);
	GrB_Vector_free(&g->parent);
	GrB_Vector_free(&g->least);
	GrB_Vector_free(&g->grand);
	GrB_Vector_free(&g->grand_new);
	GrB_Vector_free(&g->differs);
	GrB_Matrix_free(&g->sample);
	GrB_Matrix_free(&g->hooks);
	free(g->starts);
	free(g->parents);
	free(g->hook);
	g->starts = NULL;
	g->parents = NULL;
	g->hook = NULL;
}

void graphblas_graph_release(void *arg)
{
	struct graphblas_graph *g = arg;

	graphblas_graph_clear(g);
	GrB_Vector_free(&g->degrees);
	if (g->back != g->out)
		GrB_Matrix_free(&g->back);
	GrB_Matrix_free(&g->out);
	free(g->result);
	free(g);
}

static GrB_Info make_degrees(struct graphblas_graph *g)
{
	TRY(GrB_Vector_new(&g->degrees, GrB_INT64, g->n));
	for (uint64_t v = 0; v < g->n; v++)
		TRY(GrB_Vector_setElement_INT64(g->degrees, (int64_t)
			(g->in->first[v + 1] - g->in->first[v]), v));
	return GrB_Vector_wait(g->degrees, GrB_MATERIALIZE);
}

static GrB_Info make_graph(struct graphblas_graph *g)
{
	const struct cpu_graph *in = g->in;

	TRY(graphblas_begin(g->threads));
	TRY(graphblas_make_adjacency(&g->out, g->n, in->first, in->targets));
	g->back = g->out;
	if (in->in_first != in->first) {
		g->back = NULL;
		TRY(graphblas_make_adjacency(&g->back, g->n, in->in_first, in->in_targets));
	}
	return make_degrees(g);
}

void *graphblas_graph_prepare(const void *input, const struct cpu_hands *hands)
{
	struct graphblas_graph *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->in = input;
	g->threads = hands->threads;
	g->n = g->in->vertices;
	g->result = malloc(g->n * sizeof(*g->result));
	if (g->result && make_graph(g) == GrB_SUCCESS)
		return g;
	graphblas_graph_release(g);
	return NULL;
}

const void *graphblas_graph_numbers(struct graphblas_graph *g, GrB_Vector vector)
{
	GrB_Index count = g->n, *places = malloc(g->n * sizeof(*places));
	uint32_t *values = malloc(g->n * sizeof(*values));

	memset(g->result, 0xff, g->n * sizeof(*g->result));
	if (!places || !values ||
	    GrB_Vector_extractTuples_UINT32(places, values, &count, vector))
		count = 0;
	for (GrB_Index i = 0; i < count; i++)
		g->result[places[i]] = values[i];
	free(places);
	free(values);
	return g->result;
}

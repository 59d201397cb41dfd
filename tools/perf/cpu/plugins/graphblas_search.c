// SPDX-License-Identifier: MIT
/* LAGraph's breadth-first search: by push, or by pull where the frontier is large. */
#include "tools/perf/cpu/plugins/graphblas_search.h"
#include "tools/perf/cpu/plugins/graphblas_graph.h"

/* LAGraph's thresholds between the two */
#define ALPHA 8
#define BETA1 8
#define BETA2 512

/* How a search has gone so far. */
struct search {
	GrB_Index count, last_count;	/* of the frontier, and of the one before */
	int64_t left;			/* edges that nobody has followed */
	bool push, pulled, either;
};

static GrB_Info count_frontier_edges(struct graphblas_graph *g, struct search *s,
				     int64_t *edges)
{
	*edges = 0;
	TRY(GrB_Vector_assign(g->work, g->frontier, NULL, g->degrees, GrB_ALL, g->n,
			      GrB_DESC_RS));
	TRY(GrB_Vector_reduce_INT64(edges, NULL, GrB_PLUS_MONOID_INT64, g->work, NULL));
	s->left -= *edges;
	return GrB_SUCCESS;
}

static GrB_Info choose_direction(struct graphblas_graph *g, struct search *s)
{
	bool growing = s->count > s->last_count;
	int64_t edges;

	if (!s->push) {
		s->push = s->count < s->last_count && s->count <= g->n / BETA2;
	} else if (s->left < (int64_t)g->n) {
		/* so little is left that pulling does not pay any more */
		s->either = false;
	} else if (s->pulled) {
		s->push = !(growing && s->count > g->n / BETA1);
	} else {
		TRY(count_frontier_edges(g, s, &edges));
		s->push = !(growing && edges > s->left / ALPHA);
	}
	s->pulled |= !s->push;
	return GrB_SUCCESS;
}

static GrB_Info search_levels(struct graphblas_graph *g)
{
	struct search s = { .count = 1, .left = (int64_t)g->in->edges, .push = true,
			    .either = true };

	for (GrB_Index visited = 1, k = 1; visited < g->n; visited += s.count, k++) {
		if (s.either)
			TRY(choose_direction(g, &s));
		TRY(GxB_Vector_Option_set(g->frontier, GxB_SPARSITY_CONTROL,
					  s.push ? GxB_SPARSE : GxB_BITMAP));
		if (s.push)
			TRY(GrB_vxm(g->frontier, g->level, NULL, GxB_ANY_PAIR_BOOL,
				    g->frontier, g->out, GrB_DESC_RSC));
		else
			TRY(GrB_mxv(g->frontier, g->level, NULL, GxB_ANY_PAIR_BOOL,
				    g->back, g->frontier, GrB_DESC_RSC));
		s.last_count = s.count;
		TRY(GrB_Vector_nvals(&s.count, g->frontier));
		if (!s.count)
			break;
		TRY(GrB_Vector_assign_UINT32(g->level, g->frontier, NULL, (uint32_t)k,
					     GrB_ALL, g->n, GrB_DESC_S));
	}
	return GrB_SUCCESS;
}

int graphblas_search_run(void *arg)
{
	struct graphblas_graph *g = arg;

	graphblas_graph_clear(g);
	TRY(graphblas_begin(g->threads));
	TRY(GrB_Vector_new(&g->frontier, GrB_BOOL, g->n));
	TRY(GrB_Vector_setElement_BOOL(g->frontier, true, g->in->source));
	TRY(GrB_Vector_new(&g->level, GrB_UINT32, g->n));
	TRY(GxB_Vector_Option_set(g->level, GxB_SPARSITY_CONTROL,
				  GxB_BITMAP + GxB_FULL));
	TRY(GrB_Vector_setElement_UINT32(g->level, 0, g->in->source));
	TRY(GrB_Vector_new(&g->work, GrB_INT64, g->n));
	TRY(search_levels(g));
	return GrB_Vector_wait(g->level, GrB_MATERIALIZE);
}

const void *graphblas_search_result(void *arg)
{
	struct graphblas_graph *g = arg;

	return graphblas_graph_numbers(g, g->level);
}

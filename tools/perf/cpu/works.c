// SPDX-License-Identifier: MIT
/* Our own programs with the instruction set that is fastest, and room for results. */
#include <stdlib.h>

#include "tools/perf/cpu/own/afforest.h"
#include "tools/perf/cpu/own/bfs.h"
#include "tools/perf/cpu/own/dlrm.h"
#include "tools/perf/cpu/own/gnn.h"
#include "tools/perf/cpu/own/mlp.h"
#include "tools/perf/cpu/works.h"

/* A search or a labelling. */
struct graph_work {
	const struct cpu_graph *graph;
	struct team *team;
	struct own_bfs *bfs;	/* of a search */
	uint32_t *numbers;	/* of vertices: the result */
};

static void graph_release(void *state)
{
	struct graph_work *work = state;

	own_bfs_free(work->bfs);
	free(work->numbers);
	free(work);
}

static void *cc_prepare(const void *input, const struct cpu_hands *hands)
{
	struct graph_work *work = calloc(1, sizeof(*work));

	if (!work)
		return NULL;
	work->graph = input;
	work->team = hands->team;
	work->numbers = malloc(work->graph->vertices * sizeof(*work->numbers));
	if (work->numbers)
		return work;
	graph_release(work);
	return NULL;
}

static void *bfs_prepare(const void *input, const struct cpu_hands *hands)
{
	struct graph_work *work = cc_prepare(input, hands);

	if (!work)
		return NULL;
	work->bfs = own_bfs_make(work->graph, work->team);
	if (work->bfs)
		return work;
	graph_release(work);
	return NULL;
}

static int bfs_run(void *state)
{
	struct graph_work *work = state;

	own_bfs_run(work->bfs, work->numbers);
	return 0;
}

static int cc_run(void *state)
{
	struct graph_work *work = state;

	own_afforest_run(work->graph, work->team, work->numbers);
	return 0;
}

static const void *graph_result(void *state)
{
	return ((struct graph_work *)state)->numbers;
}

/* The others differ in their names alone. */
#define LAYERED_WORK(name)							\
static void *name##_prepare(const void *input, const struct cpu_hands *hands)	\
{										\
	return own_##name##_make(input, hands->team, own_loops_fastest(),	\
				 hands->multiplier);				\
}										\
										\
static int name##_run(void *state)						\
{										\
	return own_##name##_run(state);						\
}										\
										\
static const void *name##_result(void *state)					\
{										\
	return own_##name##_result(state);					\
}										\
										\
static void name##_release(void *state)						\
{										\
	own_##name##_free(state);						\
}

LAYERED_WORK(gnn)
LAYERED_WORK(mlp)
LAYERED_WORK(dlrm)

const struct cpu_work cpu_own_works[CPU_NR_KINDS] = {
	[CPU_BFS] = { bfs_prepare, bfs_run, graph_result, graph_release },
	[CPU_CC] = { cc_prepare, cc_run, graph_result, graph_release },
	[CPU_GNN] = { gnn_prepare, gnn_run, gnn_result, gnn_release },
	[CPU_MLP] = { mlp_prepare, mlp_run, mlp_result, mlp_release },
	[CPU_DLRM] = { dlrm_prepare, dlrm_run, dlrm_result, dlrm_release },
};

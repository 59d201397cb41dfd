// SPDX-License-Identifier: MIT
/* bfs: the graph that it searched, and levels of its own reference. */
#include <stdlib.h>

#include "tools/apps/bfs/bfs.h"
#include "tools/apps/bfs/search.h"
#include "tools/perf/cpu/task.h"

struct task_bfs {
	const struct bfs *bfs;
	struct cpu_graph graph;
	uint32_t *expected;
};

static const struct csr *task_bfs_in(const struct bfs *bfs)
{
	return bfs->directed ? &bfs->in : &bfs->out;
}

static int task_bfs_open(const struct app_context *ctx, void **state)
{
	const struct bfs *bfs = ctx->state;
	struct task_bfs *task = calloc(1, sizeof(*task));

	*state = task;
	if (!task)
		return app_no_memory("a graph");
	task->bfs = bfs;
	task->graph = (struct cpu_graph){
		.vertices = bfs->out.nr_vertices,
		.edges = bfs->out.nr_edges,
		.first = bfs->out.first,
		.targets = bfs->out.targets,
		.in_first = task_bfs_in(bfs)->first,
		.in_targets = task_bfs_in(bfs)->targets,
		.source = bfs->source,
	};
	return TOOL_OK;
}

static const void *task_bfs_input(const void *state)
{
	return &((const struct task_bfs *)state)->graph;
}

static enum cpu_type task_bfs_type(const void *state)
{
	(void)state;
	return CPU_I32;
}

static int task_bfs_refer(void *state, unsigned int threads)
{
	struct task_bfs *task = state;

	task->expected = malloc(task->graph.vertices * sizeof(*task->expected));
	if (!task->expected ||
	    search_levels(&task->bfs->out, task_bfs_in(task->bfs), task->bfs->source,
			  threads, task->expected))
		return app_no_memory("levels");
	return TOOL_OK;
}

static uint64_t task_bfs_differ(const void *state, const void *result)
{
	const struct task_bfs *task = state;
	const uint32_t *levels = result;
	uint64_t wrong = 0;

	/* both call unreached what is not reached */
	for (uint32_t v = 0; v < task->graph.vertices; v++)
		wrong += levels[v] != task->expected[v];
	return wrong;
}

static void task_bfs_close(void *state)
{
	struct task_bfs *task = state;

	free(task->expected);
	free(task);
}

_Static_assert(SEARCH_UNREACHED == CPU_UNREACHED, "one word for what is not reached");

const struct cpu_task cpu_task_bfs = {
	.app = "bfs",
	.kind = CPU_BFS,
	.methods = {
		{ "ours", "direction-optimising search", NULL, false },
		{ "graphblas", "LAGraph's push and pull", "graphblas", true },
		{ "igraph", "igraph_bfs_simple, one thread", "igraph", true },
	},
	.open = task_bfs_open,
	.input = task_bfs_input,
	.type = task_bfs_type,
	.refer = task_bfs_refer,
	.differ = task_bfs_differ,
	.elements = "levels",
	.close = task_bfs_close,
};

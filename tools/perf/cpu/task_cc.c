// SPDX-License-Identifier: MIT
/* cc: its graph by vertex, and labels of its own reference. */
#include <stdlib.h>
#include <string.h>

#include "tools/apps/cc/cc.h"
#include "tools/apps/common/graph/csr.h"
#include "tools/perf/cpu/task.h"

struct task_cc {
	const struct cc *cc;
	struct csr csr;
	struct cpu_graph graph;
	uint32_t *expected;
	uint32_t *smallest;	/* of a label: the first vertex that has it */
};

static int task_cc_open(const struct app_context *ctx, void **state)
{
	const struct cc *cc = ctx->state;
	struct task_cc *task = calloc(1, sizeof(*task));

	*state = task;
	if (!task || csr_make(&task->csr, &cc->graph, CSR_OUT))
		return app_no_memory("a graph");
	task->cc = cc;
	task->graph = (struct cpu_graph){
		.vertices = task->csr.nr_vertices,
		.edges = task->csr.nr_edges,
		.first = task->csr.first,
		.targets = task->csr.targets,
		.in_first = task->csr.first,
		.in_targets = task->csr.targets,
	};
	return TOOL_OK;
}

static const void *task_cc_input(const void *state)
{
	return &((const struct task_cc *)state)->graph;
}

static enum cpu_type task_cc_type(const void *state)
{
	(void)state;
	return CPU_I32;
}

static int task_cc_refer(void *state, unsigned int threads)
{
	struct task_cc *task = state;
	size_t bytes = task->graph.vertices * sizeof(*task->expected);

	(void)threads;
	task->expected = malloc(bytes);
	task->smallest = malloc(bytes);
	if (!task->expected || !task->smallest)
		return app_no_memory("labels");
	components_on_host(&task->cc->graph, task->expected);
	return TOOL_OK;
}

/*
 * Each library has labels of its own kind, below the number of vertices: those of a
 * component become its smallest vertex, which the reference has.
 */
static uint64_t task_cc_differ(const void *state, const void *result)
{
	const struct task_cc *task = state;
	const uint32_t *labels = result;
	uint32_t n = task->graph.vertices;
	uint64_t wrong = 0;

	memset(task->smallest, 0xff, n * sizeof(*task->smallest));
	for (uint32_t v = 0; v < n; v++) {
		uint32_t label = labels[v];

		if (label < n && task->smallest[label] == UINT32_MAX)
			task->smallest[label] = v;
		wrong += label >= n || task->smallest[label] != task->expected[v];
	}
	return wrong;
}

static void task_cc_close(void *state)
{
	struct task_cc *task = state;

	csr_free(&task->csr);
	free(task->expected);
	free(task->smallest);
	free(task);
}

const struct cpu_task cpu_task_cc = {
	.app = "cc",
	.kind = CPU_CC,
	.methods = {
		{ "ours", "Afforest", NULL, false },
		{ "graphblas", "LAGraph's FastSV", "graphblas", true },
		{ "igraph", "igraph_connected_components, one thread", "igraph", true },
	},
	.open = task_cc_open,
	.input = task_cc_input,
	.type = task_cc_type,
	.refer = task_cc_refer,
	.differ = task_cc_differ,
	.elements = "labels",
	.close = task_cc_close,
};

// SPDX-License-Identifier: MIT
/* gnn: its graph, features and weights, and features of its own reference. */
#include <stdlib.h>

#include "tools/apps/gnn/reference.h"
#include "tools/apps/gnn/state.h"
#include "tools/perf/cpu/task.h"

struct task_gnn {
	const struct gnn *gnn;
	struct cpu_gnn in;
	struct gnn_reference expected;
};

static enum cpu_type type_of(enum gnn_type type)
{
	switch (type) {
	case GNN_I8:
		return CPU_I8;
	case GNN_I16:
		return CPU_I16;
	case GNN_F32:
		return CPU_F32;
	default:
		return CPU_I32;
	}
}

static int task_gnn_open(const struct app_context *ctx, void **state)
{
	const struct gnn *gnn = ctx->state;
	const struct gnn_model *model = &gnn->model;
	const struct csr *rows = &gnn->matrix.rows;
	struct task_gnn *task = calloc(1, sizeof(*task));

	*state = task;
	if (!task)
		return app_no_memory("layers");
	task->gnn = gnn;
	task->in = (struct cpu_gnn){
		.graph = {
			.vertices = rows->nr_vertices,
			.edges = rows->first[rows->nr_vertices],
			.first = rows->first,
			.targets = rows->targets,
		},
		.type = type_of(model->type),
		.nr_layers = model->nr_layers,
		.relu = model->relu,
		.features = gnn->data.features,
	};
	for (unsigned int l = 0; l < model->nr_layers; l++)
		task->in.layers[l] = (struct cpu_layer){
			.inputs = gnn_features(model, l),
			.outputs = model->hidden,
			.weights = gnn->data.weights[l],
			.by_inputs = true,
		};
	return TOOL_OK;
}

static const void *task_gnn_input(const void *state)
{
	return &((const struct task_gnn *)state)->in;
}

static enum cpu_type task_gnn_type(const void *state)
{
	return ((const struct task_gnn *)state)->in.type;
}

/* On one PE, so to speak: each sum is one of all its terms, in whatever order. */
static int task_gnn_refer(void *state, unsigned int threads)
{
	struct task_gnn *task = state;
	const struct gnn *gnn = task->gnn;

	return gnn_refer(&gnn->model, &gnn->matrix, &gnn->data, 1, threads,
			 &task->expected) ? app_no_memory("features") : TOOL_OK;
}

static uint64_t task_gnn_differ(const void *state, const void *result)
{
	const struct task_gnn *task = state;
	struct gnn_comparison comparison;

	gnn_compare(&task->gnn->model, &task->expected, result, &comparison);
	return comparison.wrong;
}

static void task_gnn_close(void *state)
{
	struct task_gnn *task = state;

	gnn_reference_free(&task->expected);
	free(task);
}

const struct cpu_task cpu_task_gnn = {
	.app = "gnn",
	.kind = CPU_GNN,
	.methods = {
		{ "ours", "sums and products piece by piece", NULL, false },
		{ "graphblas", "two matrix products a layer", "graphblas", true },
		{ "openblas", "our sums, its products", "openblas", false },
	},
	.open = task_gnn_open,
	.input = task_gnn_input,
	.type = task_gnn_type,
	.refer = task_gnn_refer,
	.differ = task_gnn_differ,
	.elements = "features",
	.close = task_gnn_close,
};

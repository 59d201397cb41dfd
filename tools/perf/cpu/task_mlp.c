// SPDX-License-Identifier: MIT
/* mlp: its layers, whose weights are made once, and scores of its own reference. */
#include <stdlib.h>

#include "tools/apps/common/memory.h"
#include "tools/apps/common/parallel.h"
#include "tools/apps/mlp/input.h"
#include "tools/apps/mlp/reference.h"
#include "tools/perf/cpu/task.h"

struct task_mlp {
	const struct mlp_model *model;
	struct cpu_mlp in;
	void *weights[MLP_MAX_LAYERS];
	struct mlp_reference expected;
};

static enum cpu_type type_of(enum mlp_type type)
{
	static const enum cpu_type types[MLP_NR_TYPES] = {
		[MLP_I8] = CPU_I8,
		[MLP_I16] = CPU_I16,
		[MLP_I32] = CPU_I32,
		[MLP_F32] = CPU_F32,
		[MLP_I8_I32] = CPU_I8_I32,
	};

	return types[type];
}

static uint64_t weight_bytes(const struct mlp_model *model, unsigned int layer)
{
	return (uint64_t)model->layers[layer].inputs * model->layers[layer].outputs *
	       mlp_traits[model->type].element_bytes;
}

struct weights_job {
	const struct mlp_model *model;
	unsigned int layer;
	uint8_t *to;
};

static void weights_part(unsigned int part, unsigned int parts, void *arg)
{
	const struct weights_job *job = arg;
	const struct mlp_layer *layer = &job->model->layers[job->layer];
	uint64_t first = app_part_first(layer->outputs, part, parts);
	uint64_t end = app_part_first(layer->outputs, part + 1, parts);

	mlp_weights(job->model, job->layer, (uint32_t)first, (uint32_t)(end - first),
		    job->to + first * layer->inputs *
			      mlp_traits[job->model->type].element_bytes);
}

static int make_weights(struct task_mlp *task, unsigned int threads)
{
	for (unsigned int l = 0; l < task->model->nr_layers; l++) {
		struct weights_job job = { task->model, l, NULL };

		task->weights[l] = malloc(weight_bytes(task->model, l));
		if (!task->weights[l])
			return app_no_memory("weights");
		job.to = task->weights[l];
		app_parallel(threads, weights_part, &job);
	}
	return TOOL_OK;
}

/* Weights as they are, and once more as an opponent likes them. */
static int check_memory(const struct mlp_model *model)
{
	uint64_t bytes = 0;

	for (unsigned int l = 0; l < model->nr_layers; l++)
		bytes += 2 * weight_bytes(model, l);
	if (bytes <= app_memory_bound())
		return TOOL_OK;
	return tool_error("mlp on the CPU: weights take %s twice, and there is memory for %s",
			  tool_size(bytes / 2), tool_size(app_memory_bound()));
}

static void set_input(struct task_mlp *task)
{
	const struct mlp_model *model = task->model;

	task->in = (struct cpu_mlp){
		.type = type_of(model->type),
		.nr_layers = model->nr_layers,
		.relu = model->relu,
		.last_relu = model->last_relu,
		.batch = model->batch,
		.features = model->features,
	};
	for (unsigned int l = 0; l < model->nr_layers; l++)
		task->in.layers[l] = (struct cpu_layer){
			.inputs = model->layers[l].inputs,
			.outputs = model->layers[l].outputs,
			.weights = task->weights[l],
			.shift = model->layers[l].shift,
		};
}

static int task_mlp_open(const struct app_context *ctx, void **state)
{
	const struct mlp *mlp = ctx->state;
	struct task_mlp *task = calloc(1, sizeof(*task));
	int ret;

	*state = task;
	if (!task)
		return app_no_memory("layers");
	task->model = &mlp->nets[0].model;
	ret = check_memory(task->model);
	if (!ret)
		ret = make_weights(task, ctx->threads ? ctx->threads : 1);
	if (!ret)
		set_input(task);
	return ret;
}

static const void *task_mlp_input(const void *state)
{
	return &((const struct task_mlp *)state)->in;
}

static enum cpu_type task_mlp_type(const void *state)
{
	return ((const struct task_mlp *)state)->in.type;
}

/* On one PE, so to speak: each sum is one of all its terms, in whatever order. */
static int task_mlp_refer(void *state, unsigned int threads)
{
	struct task_mlp *task = state;

	if (mlp_reference_make(task->model, 1, threads, &task->expected))
		return app_no_memory("scores");
	if (task->expected.overflow)
		return tool_error("values leave the range of f32: scores mean nothing");
	return TOOL_OK;
}

static uint64_t task_mlp_differ(const void *state, const void *result)
{
	const struct task_mlp *task = state;
	double largest, bound;

	return mlp_reference_differ(&task->expected, task->model, result, &largest,
				    &bound);
}

static void task_mlp_close(void *state)
{
	struct task_mlp *task = state;

	for (unsigned int l = 0; l < MLP_MAX_LAYERS; l++)
		free(task->weights[l]);
	mlp_reference_free(&task->expected);
	free(task);
}

const struct cpu_task cpu_task_mlp = {
	.app = "mlp",
	.kind = CPU_MLP,
	.methods = {
		{ "ours", "packed weights", NULL, false },
		{ "openblas", "its products, our activation", "openblas", false },
		{ "onednn", "its products of bytes, our activation", "onednn", false },
	},
	.open = task_mlp_open,
	.input = task_mlp_input,
	.type = task_mlp_type,
	.refer = task_mlp_refer,
	.differ = task_mlp_differ,
	.elements = "scores",
	.close = task_mlp_close,
};

// SPDX-License-Identifier: MIT
/* dlrm: its tables and layers in memory, and scores of its own reference. */
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/memory.h"
#include "tools/apps/common/parallel.h"
#include "tools/apps/dlrm/options.h"
#include "tools/apps/dlrm/reference.h"
#include "tools/perf/cpu/task.h"

struct task_dlrm {
	const struct dlrm_job *job;
	struct cpu_dlrm in;
	void *tables[DLRM_MAX_TABLES];
	uint32_t *weights[CPU_MAX_LAYERS], *biases[CPU_MAX_LAYERS];
	struct dlrm_reference expected;
};

struct table_job {
	const struct dlrm_model *model;
	uint32_t table;
	uint32_t *to;
};

static void table_part(unsigned int part, unsigned int parts, void *arg)
{
	const struct table_job *job = arg;
	const struct dlrm_model *model = job->model;
	uint64_t end = app_part_first(model->rows[job->table], part + 1, parts);

	for (uint64_t row = app_part_first(model->rows[job->table], part, parts);
	     row < end; row++)
		dlrm_embedding(model, job->table, (uint32_t)row, 0, model->dim,
			       job->to + row * model->dim);
}

static int make_tables(struct task_dlrm *task, unsigned int threads)
{
	const struct dlrm_model *model = &task->job->model;

	if (dlrm_table_bytes(model) > app_memory_bound())
		return tool_error("dlrm on the CPU: tables take %s, and there is memory for %s",
				  tool_size(dlrm_table_bytes(model)),
				  tool_size(app_memory_bound()));
	for (uint32_t t = 0; t < model->tables; t++) {
		struct table_job job = { model, t, NULL };

		task->tables[t] = malloc((uint64_t)model->rows[t] * model->dim * 4);
		if (!task->tables[t])
			return app_no_memory("tables");
		job.to = task->tables[t];
		app_parallel(threads, table_part, &job);
	}
	return TOOL_OK;
}

/* Rows of the application's layers begin with the bias. */
static int make_layer(struct task_dlrm *task, unsigned int number)
{
	const struct dlrm_model *model = &task->job->model;
	const struct dlrm_layer *layer = &model->layers[number];
	uint64_t inputs = layer->inputs;
	uint32_t *weights = malloc(layer->outputs * inputs * 4);
	uint32_t *biases = malloc((uint64_t)layer->outputs * 4);

	task->weights[number] = weights;
	task->biases[number] = biases;
	if (!weights || !biases)
		return app_no_memory("layers");
	for (uint64_t o = 0; o < layer->outputs; o++) {
		const uint8_t *row = model->weights + layer->at + o * layer->row_bytes;

		memcpy(&biases[o], row, 4);
		memcpy(weights + o * inputs, row + 4, inputs * 4);
	}
	task->in.layers[number] = (struct cpu_layer){
		.inputs = layer->inputs,
		.outputs = layer->outputs,
		.weights = weights,
		.bias = biases,
	};
	return TOOL_OK;
}

static void set_input(struct task_dlrm *task)
{
	const struct dlrm_job *job = task->job;

	task->in = (struct cpu_dlrm){
		.type = job->model.type == DLRM_F32 ? CPU_F32 : CPU_I32,
		.dim = job->model.dim,
		.nr_tables = job->model.tables,
		.bottom = job->model.bottom,
		.top = job->model.top,
		.samples = job->samples.count,
		.dense = job->dense,
		.categories = job->samples.categories,
		.pooling = job->samples.pooling,
		.stride = DLRM_MAX_TABLES * job->samples.pooling,
	};
	for (uint32_t t = 0; t < job->model.tables; t++)
		task->in.tables[t] = task->tables[t];
}

static int task_dlrm_open(const struct app_context *ctx, void **state)
{
	const struct dlrm *dlrm = ctx->state;
	struct task_dlrm *task = calloc(1, sizeof(*task));
	int ret;

	*state = task;
	if (!task)
		return app_no_memory("layers");
	task->job = &dlrm->job;
	ret = make_tables(task, ctx->threads ? ctx->threads : 1);
	if (!ret)
		set_input(task);
	for (unsigned int l = 0; !ret && l < task->in.bottom + task->in.top; l++)
		ret = make_layer(task, l);
	return ret;
}

static const void *task_dlrm_input(const void *state)
{
	return &((const struct task_dlrm *)state)->in;
}

static enum cpu_type task_dlrm_type(const void *state)
{
	return ((const struct task_dlrm *)state)->in.type;
}

static int task_dlrm_refer(void *state, unsigned int threads)
{
	struct task_dlrm *task = state;
	const struct dlrm_job *job = task->job;

	if (dlrm_reference_make(&job->model, &job->samples, job->dense, threads,
				&task->expected))
		return app_no_memory("scores");
	if (task->expected.overflow && job->model.type == DLRM_F32)
		return tool_error("values leave the range of f32: scores mean nothing");
	return TOOL_OK;
}

static uint64_t task_dlrm_differ(const void *state, const void *result)
{
	const struct task_dlrm *task = state;
	bool floats = task->in.type == CPU_F32;
	double largest, bound;

	return dlrm_reference_differ(&task->expected, task->in.samples, result,
				     floats ? &largest : NULL, floats ? &bound : NULL);
}

static void task_dlrm_close(void *state)
{
	struct task_dlrm *task = state;

	for (unsigned int t = 0; t < DLRM_MAX_TABLES; t++)
		free(task->tables[t]);
	for (unsigned int l = 0; l < CPU_MAX_LAYERS; l++) {
		free(task->weights[l]);
		free(task->biases[l]);
	}
	dlrm_reference_free(&task->expected);
	free(task);
}

_Static_assert(CPU_MAX_TABLES >= DLRM_MAX_TABLES && CPU_MAX_DIM >= DLRM_MAX_DIM &&
	       CPU_MAX_LAYERS >= 2 * DLRM_MAX_LAYERS, "the model fits");

const struct cpu_task cpu_task_dlrm = {
	.app = "dlrm",
	.kind = CPU_DLRM,
	.methods = {
		{ "ours", "sample by sample, packed weights", NULL, false },
		{ "openblas", "its products, our lookups", "openblas", false },
	},
	.open = task_dlrm_open,
	.input = task_dlrm_input,
	.type = task_dlrm_type,
	.refer = task_dlrm_refer,
	.differ = task_dlrm_differ,
	.elements = "scores",
	.close = task_dlrm_close,
};

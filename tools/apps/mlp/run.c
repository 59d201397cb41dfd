// SPDX-License-Identifier: MIT
/* Brings a model to PEs and samples through it. */
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/exchange.h"
#include "tools/apps/common/parallel.h"
#include "tools/apps/common/pes.h"
#include "tools/apps/common/progress.h"
#include "tools/apps/mlp/programs.h"
#include "tools/apps/mlp/run.h"

/* slices of weights on their way to all PEs */
#define STAGING_BYTES	(UINT64_C(64) << 20)
/* rows that a thread deals out together: one after the other on a PE */
#define ROWS_AT_ONCE	8

struct weights_job {
	const struct mlp_net *net;
	unsigned int layer;
	uint32_t first, rows;	/* of the weights, and in staging */
	uint8_t *staging;	/* [PEs][rows][row bytes] */
	uint8_t *scratch;	/* [threads][ROWS_AT_ONCE] whole rows */
};

static uint64_t whole_row(const struct weights_job *job)
{
	const struct mlp_model *model = &job->net->model;

	return (uint64_t)model->layers[job->layer].inputs *
	       mlp_traits[model->type].element_bytes;
}

/* Rows of the weights, from number `row` in staging on, to the PEs' slices. */
static void deal_rows(const struct weights_job *job, const uint8_t *weights,
		      uint32_t row, uint32_t rows)
{
	const struct mlp_net *net = job->net;
	uint64_t whole = whole_row(job), bytes, at = 0;
	uint64_t slice = mlp_row_bytes(&net->model, &net->layout, job->layer);
	uint64_t columns = mlp_columns(&net->layout,
				       net->model.layers[job->layer].inputs);
	uint64_t width = columns * mlp_traits[net->model.type].element_bytes;
	uint8_t *to = job->staging + row * slice;

	for (uint32_t pe = 0; pe < net->layout.nr_pes; pe++) {
		bytes = whole - at < width ? whole - at : width;
		for (uint32_t i = 0; i < rows; i++) {
			memcpy(to + i * slice, weights + i * whole + at, bytes);
			memset(to + i * slice + bytes, 0, slice - bytes);
		}
		at += bytes;
		to += job->rows * slice;
	}
}

static void deal_part(unsigned int part, unsigned int parts, void *arg)
{
	const struct weights_job *job = arg;
	uint8_t *scratch = job->scratch + part * ROWS_AT_ONCE * whole_row(job);
	uint32_t end = (uint32_t)app_part_first(job->rows, part + 1, parts);

	for (uint32_t row = (uint32_t)app_part_first(job->rows, part, parts);
	     row < end; row += ROWS_AT_ONCE) {
		uint32_t n = end - row < ROWS_AT_ONCE ? end - row : ROWS_AT_ONCE;

		mlp_weights(&job->net->model, job->layer, job->first + row, n,
			    scratch);
		deal_rows(job, scratch, row, n);
	}
}

/* The layer's columns, so many rows at a time. */
static int scatter_weights(struct app_context *ctx, struct weights_job *job,
			   uint32_t step)
{
	const struct mlp_net *net = job->net;
	uint32_t outputs = net->model.layers[job->layer].outputs;
	uint64_t slice = mlp_row_bytes(&net->model, &net->layout, job->layer);
	int ret = TOOL_OK;

	for (job->first = 0; !ret && job->first < outputs; job->first += step) {
		job->rows = outputs - job->first < step ?
				    outputs - job->first : step;
		app_parallel(ctx->threads, deal_part, job);
		ret = app_scatter_all(ctx, job->rows * slice, job->staging,
				      net->layout.weights[job->layer] +
				      job->first * slice);
		app_progress("weights", job->first, outputs);
	}
	return ret;
}

static int load_layer(struct app_context *ctx, const struct mlp_net *net,
		      unsigned int layer)
{
	struct weights_job job = { .net = net, .layer = layer };
	uint64_t row = (uint64_t)net->layout.nr_pes *
		       mlp_row_bytes(&net->model, &net->layout, layer);
	uint64_t step = STAGING_BYTES / row;
	int ret;

	if (!step)
		step = 1;
	if (step > net->model.layers[layer].outputs)
		step = net->model.layers[layer].outputs;
	job.staging = malloc(step * row);
	job.scratch = malloc(ctx->threads * ROWS_AT_ONCE * whole_row(&job));
	ret = job.staging && job.scratch ?
		      scatter_weights(ctx, &job, (uint32_t)step) :
		      app_no_memory("weights");
	free(job.staging);
	free(job.scratch);
	return ret;
}

int mlp_load_net(struct app_context *ctx, const struct mlp_net *net)
{
	int ret = TOOL_OK;

	for (unsigned int i = 0; !ret && net->layout.resident &&
				 i < net->model.nr_layers; i++)
		ret = load_layer(ctx, net, i);
	return ret;
}

/* samples on their way through the layers */
struct block {
	uint32_t first, samples;
};

struct features_job {
	const struct mlp_net *net;
	struct block block;
	uint32_t slots;
	uint8_t *chunks;
};

/* A PE's features of all samples, transposed and in tiles. */
static void deal_features(const struct features_job *job, uint32_t pe)
{
	const struct mlp_model *model = &job->net->model;
	uint32_t inputs = model->layers[0].inputs;
	uint32_t columns = mlp_columns(&job->net->layout, inputs);
	uint32_t size = mlp_traits[model->type].element_bytes;
	uint64_t first = (uint64_t)pe * columns;
	uint8_t *chunk = job->chunks + (uint64_t)pe * job->slots *
				       job->block.samples * size;

	for (uint32_t b = 0; b < job->block.samples; b++) {
		const uint8_t *from = (const uint8_t *)model->features +
			((uint64_t)(job->block.first + b) * inputs + first) * size;
		uint32_t stride = mlp_sample_stride(b, job->block.samples) * size;
		uint8_t *to = chunk + mlp_sample_at(b, job->slots) * size;

		for (uint64_t i = 0; i < columns && first + i < inputs; i++)
			memcpy(to + i * stride, from + i * size, size);
	}
}

static void features_part(unsigned int part, unsigned int parts, void *arg)
{
	const struct features_job *job = arg;
	uint32_t nr_pes = job->net->layout.nr_pes;
	uint32_t end = (uint32_t)app_part_first(nr_pes, part + 1, parts);

	for (uint32_t pe = (uint32_t)app_part_first(nr_pes, part, parts);
	     pe < end; pe++)
		deal_features(job, pe);
}

static int scatter_features(struct app_context *ctx, const struct mlp_net *net,
			    struct block block)
{
	uint32_t size = mlp_traits[net->model.type].element_bytes;
	uint32_t columns = mlp_columns(&net->layout, net->model.layers[0].inputs);
	struct features_job job = {
		.net = net, .block = block,
		.slots = mlp_slots(columns, block.samples, size),
	};
	uint64_t bytes = (uint64_t)job.slots * block.samples * size;
	int ret;

	job.chunks = calloc(net->layout.nr_pes, bytes);
	if (!job.chunks)
		return app_no_memory("features");
	app_parallel(ctx->threads, features_part, &job);
	ret = app_scatter_all(ctx, bytes, job.chunks, net->layout.input);
	free(job.chunks);
	return ret;
}

static struct mlp_args layer_args(const struct mlp_net *net, unsigned int number,
				  struct block block)
{
	const struct mlp_model *model = &net->model;
	const struct mlp_traits *traits = &mlp_traits[model->type];
	const struct mlp_layer *layer = &model->layers[number];
	uint32_t columns = mlp_columns(&net->layout, layer->inputs);
	bool last = number + 1 == model->nr_layers;
	uint32_t rows = last ? layer->outputs :
			       mlp_columns(&net->layout, layer->outputs);

	return (struct mlp_args){
		.type = model->type,
		.batch = block.samples,
		.input = (uint32_t)net->layout.input,
		.columns = columns,
		.input_slots = mlp_slots(columns, block.samples,
					 number ? traits->sum_bytes :
						  traits->element_bytes),
		.sums = number != 0,
		.relu = model->relu,
		/* what comes in is to be scaled as the layer before it asks */
		.shift = number ? model->layers[number - 1].shift : 0,
		.weights = (uint32_t)net->layout.weights[number],
		.row_bytes = mlp_row_bytes(model, &net->layout, number),
		.outputs = layer->outputs,
		.output = (uint32_t)net->layout.output,
		.chunks = last ? 1 : net->layout.nr_pes,
		.rows = rows,
		.slots = mlp_slots(rows, block.samples, traits->sum_bytes),
	};
}

/* The sums of the last layer to scores, with the activation that is behind them. */
static void take_scores(const struct mlp_net *net, struct block block,
			uint32_t slots, const void *sums)
{
	const struct mlp_model *model = &net->model;
	uint32_t size = mlp_traits[model->type].sum_bytes;
	uint32_t outputs = mlp_outputs(model);
	uint8_t *to = (uint8_t *)net->scores + (uint64_t)block.first * outputs * size;

	for (uint32_t b = 0; b < block.samples; b++) {
		const uint8_t *from = (const uint8_t *)sums +
				      mlp_sample_at(b, slots) * size;
		uint32_t stride = mlp_sample_stride(b, block.samples) * size;

		for (uint32_t i = 0; i < outputs; i++, to += size) {
			memcpy(to, from + (uint64_t)i * stride, size);
			/* the sign is the highest bit of every type */
			if (model->last_relu && to[size - 1] & 0x80)
				memset(to, 0, size);
		}
	}
}

static int reduce_scores(struct app_context *ctx, const struct mlp_net *net,
			 struct block block, const struct mlp_args *args)
{
	const struct mlp_traits *traits = &mlp_traits[net->model.type];
	uint64_t bytes = (uint64_t)args->slots * block.samples * traits->sum_bytes;
	void *sums = malloc(bytes);
	int ret;

	if (!sums)
		return app_no_memory("scores");
	ret = app_reduce_all(ctx, bytes, net->layout.output, sums, traits->sum,
			     PIDCOMM_SUM);
	if (!ret)
		take_scores(net, block, args->slots, sums);
	free(sums);
	return ret;
}

static int run_layer(struct app_context *ctx, const struct mlp_net *net,
		     unsigned int number, struct block block)
{
	const struct mlp_traits *traits = &mlp_traits[net->model.type];
	struct mlp_args args = layer_args(net, number, block);
	int ret = net->layout.resident ? TOOL_OK : load_layer(ctx, net, number);

	if (!ret)
		ret = app_launch(ctx, &mlp_gemm, &args, sizeof(args), 0);
	if (ret)
		return ret;
	if (number + 1 == net->model.nr_layers)
		return reduce_scores(ctx, net, block, &args);
	return app_reduce_scatter(ctx, "1", (uint64_t)args.chunks * args.slots *
				  block.samples * traits->sum_bytes,
				  net->layout.output, net->layout.input,
				  traits->sum, PIDCOMM_SUM);
}

int mlp_run_net(struct app_context *ctx, struct mlp_net *net)
{
	struct block block = { 0 };
	int ret = TOOL_OK;

	for (; !ret && block.first < net->model.batch;
	     block.first += block.samples) {
		uint32_t left = net->model.batch - block.first;

		block.samples = left < net->layout.block ? left :
							   net->layout.block;
		ret = scatter_features(ctx, net, block);
		for (unsigned int i = 0; !ret && i < net->model.nr_layers; i++)
			ret = run_layer(ctx, net, i, block);
		app_progress("samples", block.first, net->model.batch);
	}
	return ret;
}

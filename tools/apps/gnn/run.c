// SPDX-License-Identifier: MIT
/*
 * Layers of a graph neural network on p x p PEs. PE (x,y) begins with strip x of the
 * features and the tile of rows of strip y and columns of strip x. An odd layer goes along
 * "10" and leaves strip y of its result on all PEs of row y, an even one along "01" takes
 * it from there to strip x again.
 *
 * rsar: sums of features, written a member's columns after the other; ReduceScatter; those
 * columns times the matching rows of the weights; AllReduce, the last time Reduce.
 * arag: sums of features; AllReduce; these times the member's columns of the weights;
 * AllGather, of which the next sums begin by making rows, the last time Gather.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/exchange.h"
#include "tools/apps/common/pes.h"
#include "tools/apps/common/progress.h"
#include "tools/apps/gnn/lay.h"
#include "tools/apps/gnn/programs.h"
#include "tools/apps/gnn/run.h"

static int send_features(struct app_context *ctx)
{
	struct gnn *gnn = ctx->state;
	uint8_t *strips = malloc(gnn->shape.p * gnn_strip_bytes(&gnn->shape, 0));
	const void *bufs[GNN_MAX_SIDE];
	int ret;

	if (!strips)
		return app_no_memory("features");
	gnn_place_features(&gnn->data, &gnn->model, &gnn->shape, &gnn->places, strips);
	for (uint32_t group = 0; group < gnn->shape.p; group++)
		bufs[group] = strips;
	ret = app_scatter(ctx, gnn_axes(0), gnn_strip_bytes(&gnn->shape, 0), bufs,
			  gnn->layout.features);
	free(strips);
	return ret;
}

static int sum_features(struct app_context *ctx, enum gnn_strategy strategy,
			unsigned int layer)
{
	struct gnn *gnn = ctx->state;
	struct gnn_spmm_args args = gnn_spmm_shape(&gnn->shape, &gnn->model, layer);
	unsigned int tile = layer % 2 && !gnn->matrix.symmetric;

	/* partial results may be below zero where their sum is not: rsar has them here */
	args.relu = gnn->model.relu && layer && strategy == GNN_RSAR;
	args.transposed = layer % 2 && gnn->matrix.symmetric;
	args.table = (uint32_t)gnn->layout.tables[tile];
	args.entries = (uint32_t)gnn->layout.entries[tile];
	args.features = (uint32_t)gnn->layout.features;
	args.sums = (uint32_t)gnn->layout.sums;
	args.chunk = strategy == GNN_RSAR ? args.cut : args.row_bytes;
	if (strategy == GNN_ARAG && layer) {
		args.gathered = args.sums;
		args.gathered_chunk = args.cut;
	}
	return app_launch(ctx, &gnn_spmm, &args, sizeof(args), 0);
}

static int multiply(struct app_context *ctx, enum gnn_strategy strategy,
		    unsigned int layer, uint64_t x, uint64_t y)
{
	struct gnn *gnn = ctx->state;
	struct gnn_gemm_args args = gnn_gemm_shape(&gnn->shape, &gnn->model, strategy,
						   layer);

	args.relu = gnn->model.relu && strategy == GNN_ARAG;
	args.x = (uint32_t)x;
	args.y = (uint32_t)y;
	args.weights = (uint32_t)gnn->layout.weights[layer];
	return app_launch(ctx, &gnn_gemm, &args, sizeof(args), 0);
}

static int run_rsar(struct app_context *ctx, unsigned int layer)
{
	struct gnn *gnn = ctx->state;
	const struct gnn_layout *at = &gnn->layout;
	enum pidcomm_type type = gnn_pidcomm_type(gnn->model.type);

	if (sum_features(ctx, GNN_RSAR, layer) ||
	    app_reduce_scatter(ctx, gnn_axes(layer),
			       gnn_strip_bytes(&gnn->shape, layer), at->sums, at->part,
			       type, PIDCOMM_SUM) ||
	    multiply(ctx, GNN_RSAR, layer, at->part, at->features))
		return TOOL_FAILED;
	if (layer + 1 == gnn->model.nr_layers)
		return TOOL_OK;
	return app_allreduce(ctx, gnn_axes(layer),
			     gnn_strip_bytes(&gnn->shape, layer + 1), at->features,
			     at->features, type, PIDCOMM_SUM);
}

static int run_arag(struct app_context *ctx, unsigned int layer)
{
	struct gnn *gnn = ctx->state;
	const struct gnn_layout *at = &gnn->layout;
	uint64_t bytes = gnn_strip_bytes(&gnn->shape, layer);

	if (sum_features(ctx, GNN_ARAG, layer) ||
	    app_allreduce(ctx, gnn_axes(layer), bytes, at->sums, at->sums,
			  gnn_pidcomm_type(gnn->model.type), PIDCOMM_SUM) ||
	    multiply(ctx, GNN_ARAG, layer, at->sums, at->part))
		return TOOL_FAILED;
	if (layer + 1 == gnn->model.nr_layers)
		return TOOL_OK;
	return app_allgather(ctx, gnn_axes(layer),
			     gnn_strip_bytes(&gnn->shape, layer + 1), at->part,
			     at->sums);
}

/* Strips of the last layer, to the host: rows, or a member's columns after the other. */
static int fetch_strips(struct app_context *ctx, enum gnn_strategy strategy,
			uint8_t *strips)
{
	struct gnn *gnn = ctx->state;
	unsigned int layers = gnn->model.nr_layers;
	uint64_t bytes = gnn_strip_bytes(&gnn->shape, layers);
	const char *axes = gnn_axes(layers - 1);
	void *bufs[GNN_MAX_SIDE];

	for (uint32_t group = 0; group < gnn->shape.p; group++)
		bufs[group] = strips + group * bytes;
	if (strategy == GNN_RSAR)
		return app_reduce(ctx, axes, bytes, gnn->layout.features, bufs,
				  gnn_pidcomm_type(gnn->model.type), PIDCOMM_SUM);
	return app_gather(ctx, axes, gnn_part_bytes(&gnn->shape, layers),
			  gnn->layout.part, bufs);
}

/* Elements below zero, whose top bit is set in all types, become zero. */
static void relu_on_host(uint8_t *row, uint32_t elements, uint32_t width)
{
	for (uint32_t i = 0; i < elements; i++) {
		if (row[i * width + width - 1] >> 7)
			memset(row + i * width, 0, width);
	}
}

/* One vertex's row without padding, from where it lies. */
static void take_row(const struct gnn *gnn, enum gnn_strategy strategy,
		     const uint8_t *strips, uint32_t place, uint8_t *row)
{
	const struct gnn_shape *shape = &gnn->shape;
	unsigned int layers = gnn->model.nr_layers;
	uint64_t bytes = (uint64_t)gnn->model.hidden * shape->width;
	uint32_t strip = place / shape->rows, in_strip = place % shape->rows;
	uint64_t part = gnn_part_bytes(shape, layers), cut = shape->cut[layers];
	const uint8_t *from = strips + strip * gnn_strip_bytes(shape, layers);

	if (strategy == GNN_RSAR) {
		memcpy(row, from + in_strip * cut * shape->p, bytes);
		if (gnn->model.relu)
			relu_on_host(row, gnn->model.hidden, shape->width);
		return;
	}
	for (uint64_t at = 0; at < bytes; at += cut, from += part)
		memcpy(row + at, from + in_strip * cut,
		       bytes - at < cut ? bytes - at : cut);
}

static int fetch_result(struct app_context *ctx, enum gnn_strategy strategy)
{
	struct gnn *gnn = ctx->state;
	uint64_t row = (uint64_t)gnn->model.hidden * gnn->shape.width;
	uint8_t *strips = malloc(gnn->shape.p * gnn_strip_bytes(&gnn->shape,
						gnn->model.nr_layers));
	uint8_t *result = malloc(gnn->model.nr_vertices * row);
	int ret = TOOL_FAILED;

	free(gnn->results[strategy]);
	gnn->results[strategy] = result;
	if (!strips || !result)
		app_no_memory("result");
	else
		ret = fetch_strips(ctx, strategy, strips);
	for (uint32_t v = 0; !ret && v < gnn->model.nr_vertices; v++)
		take_row(gnn, strategy, strips, gnn->places.of[v], result + v * row);
	free(strips);
	return ret;
}

static int run_strategy(struct app_context *ctx, enum gnn_strategy strategy)
{
	struct gnn *gnn = ctx->state;
	int ret;

	app_report_phase(&ctx->report, APP_LOADING);
	ret = gnn_load_weights(ctx, strategy);
	app_report_phase(&ctx->report, APP_RUN);
	if (!ret)
		ret = send_features(ctx);
	for (unsigned int l = 0; !ret && l < gnn->model.nr_layers; l++) {
		app_progress(gnn_strategy_name(strategy), l, gnn->model.nr_layers);
		ret = strategy == GNN_RSAR ? run_rsar(ctx, l) : run_arag(ctx, l);
	}
	return ret ? ret : fetch_result(ctx, strategy);
}

int gnn_run(struct app_context *ctx)
{
	const struct gnn *gnn = ctx->state;
	int ret = ctx->again ? TOOL_OK : gnn_load_tiles(ctx);

	for (unsigned int s = 0; !ret && s < GNN_NR_STRATEGIES; s++) {
		if (gnn->strategies >> s & 1)
			ret = run_strategy(ctx, (enum gnn_strategy)s);
	}
	return ret;
}

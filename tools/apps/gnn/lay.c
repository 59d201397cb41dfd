// SPDX-License-Identifier: MIT
/* Plans MRAM, deals vertices out, and scatters tiles and weights. */
#include <errno.h>
#include <stdlib.h>

#include "tools/apps/common/exchange.h"
#include "tools/apps/gnn/lay.h"

const char *gnn_axes(unsigned int layer)
{
	return layer % 2 ? "01" : "10";
}

/* A matrix that is not symmetric has a second tile for every other layer. */
static unsigned int nr_tiles(const struct gnn *gnn)
{
	return gnn->matrix.symmetric || gnn->model.nr_layers < 2 ? 1 : 2;
}

static int deal_out(struct app_context *ctx, uint32_t nr_pes)
{
	struct gnn *gnn = ctx->state;
	struct gnn_shape *shape = &gnn->shape;

	if (gnn->nr_pes == nr_pes)
		return TOOL_OK;
	gnn_places_free(&gnn->places);
	gnn->nr_pes = 0;
	gnn_make_shape(shape, &gnn->model, nr_pes, 0);
	if (gnn_deal(&gnn->matrix, shape->p, shape->rows, &gnn->places))
		return app_no_memory(ctx->input);
	gnn->most = gnn_most_entries(&gnn->matrix, &gnn->places, shape->p,
				     shape->rows);
	gnn_make_shape(shape, &gnn->model, nr_pes, gnn->most);
	gnn->nr_pes = nr_pes;
	return TOOL_OK;
}

/* Of the strategies asked for, the one that needs more. */
static uint64_t most_weights(const struct gnn *gnn, unsigned int layer)
{
	uint64_t most = 0;

	for (unsigned int s = 0; s < GNN_NR_STRATEGIES; s++) {
		const struct gnn_gemm_args args = gnn_gemm_shape(&gnn->shape,
			&gnn->model, (enum gnn_strategy)s, layer);
		uint64_t bytes = gnn_weights_bytes(&args);

		if (gnn->strategies >> s & 1 && bytes > most)
			most = bytes;
	}
	return most;
}

static uint64_t most_part(const struct gnn *gnn)
{
	uint64_t most = 0;

	for (unsigned int l = 0; l <= gnn->model.nr_layers; l++) {
		uint64_t bytes = gnn_part_bytes(&gnn->shape, l);

		most = bytes > most ? bytes : most;
	}
	return most;
}

static void plan_mram(struct gnn *gnn, struct app_plan *plan)
{
	static const char *const tables[2] = { "table", "table across" };
	static const char *const entries[2] = { "entries", "entries across" };
	uint64_t strip = gnn_most_strip_bytes(&gnn->shape, &gnn->model);
	struct gnn_layout *layout = &gnn->layout;
	uint64_t weights = 0, at;

	for (unsigned int i = 0; i < nr_tiles(gnn); i++) {
		layout->tables[i] = app_plan_mram(plan, tables[i],
						  gnn_table_bytes(&gnn->shape));
		layout->entries[i] = app_plan_mram(plan, entries[i],
						   gnn_entries_bytes(gnn->most));
	}
	for (unsigned int l = 0; l < gnn->model.nr_layers; l++)
		weights += most_weights(gnn, l);
	at = app_plan_mram(plan, "weights", weights);
	for (unsigned int l = 0; l < gnn->model.nr_layers; l++) {
		layout->weights[l] = at;
		at += most_weights(gnn, l);
	}
	layout->features = app_plan_mram(plan, "features", strip);
	layout->sums = app_plan_mram(plan, "sums", strip);
	layout->part = app_plan_mram(plan, "part", most_part(gnn));
}

/* The tiles of all PEs or, later, the features in strips, results and a reference. */
static void plan_host(const struct gnn *gnn, struct app_plan *plan)
{
	uint64_t tiles = app_times(plan->dims[0] * plan->dims[1],
				   gnn_table_bytes(&gnn->shape) +
				   gnn_entries_bytes(gnn->most));
	uint64_t strips = gnn->shape.p *
			  gnn_most_strip_bytes(&gnn->shape, &gnn->model);
	uint64_t row = gnn->model.features > gnn->model.hidden ?
		       gnn->model.features : gnn->model.hidden;
	uint64_t elements = gnn->model.nr_vertices * row;
	uint64_t values = gnn->model.type == GNN_F32 ? 4 * sizeof(double) :
						       2 * gnn->shape.width;

	app_plan_host(plan, gnn->matrix.rows.first[gnn->matrix.rows.nr_vertices] * 4);
	app_plan_host(plan, tiles > 3 * strips ? tiles : 3 * strips);
	app_plan_host(plan, app_times(elements, values));
}

/* What run.c has done with the strips of a layer and of the next. */
static void plan_layer(const struct gnn *gnn, unsigned int layer, struct app_plan *plan)
{
	uint64_t strip = gnn_strip_bytes(&gnn->shape, layer);
	uint64_t next = gnn_strip_bytes(&gnn->shape, layer + 1);
	bool last = layer + 1 == gnn->model.nr_layers;
	const char *axes = gnn_axes(layer);

	if (gnn->strategies >> GNN_RSAR & 1) {
		app_plan_collective(plan, SDK_REDUCE_SCATTER, axes, strip);
		app_plan_collective(plan, last ? SDK_REDUCE : SDK_ALLREDUCE, axes, next);
	}
	if (gnn->strategies >> GNN_ARAG & 1) {
		app_plan_collective(plan, SDK_ALLREDUCE, axes, strip);
		if (!last)
			app_plan_collective(plan, SDK_ALLGATHER, axes, next);
	}
}

int gnn_plan(struct app_context *ctx, struct app_plan *plan)
{
	struct gnn *gnn = ctx->state;
	int ret = deal_out(ctx, ctx->nr_pes);

	if (ret)
		return ret;
	plan->ndims = 2;
	plan->dims[0] = gnn->shape.p;
	plan->dims[1] = gnn->shape.p;
	plan_mram(gnn, plan);
	plan_host(gnn, plan);
	for (unsigned int layer = 0; layer < gnn->model.nr_layers; layer++)
		plan_layer(gnn, layer, plan);
	return TOOL_OK;
}

static int load_tile(struct app_context *ctx, unsigned int which)
{
	struct gnn *gnn = ctx->state;
	uint64_t table = gnn_table_bytes(&gnn->shape);
	uint64_t entry = gnn_entries_bytes(gnn->most);
	uint32_t *tables = malloc(table * ctx->nr_pes);
	uint16_t *entries = malloc(entry * ctx->nr_pes);
	int ret = TOOL_FAILED;

	if (!tables || !entries ||
	    gnn_make_tiles(&gnn->matrix, &gnn->places, &gnn->shape, which, gnn->most,
			   tables, entries))
		app_no_memory("tiles");
	else
		ret = app_scatter_all(ctx, table, tables, gnn->layout.tables[which]);
	if (!ret)
		ret = app_scatter_all(ctx, entry, entries,
				      gnn->layout.entries[which]);
	free(tables);
	free(entries);
	return ret;
}

int gnn_load_tiles(struct app_context *ctx)
{
	int ret = TOOL_OK;

	for (unsigned int i = 0; !ret && i < nr_tiles(ctx->state); i++)
		ret = load_tile(ctx, i);
	return ret;
}

/* The parts go to the members of each group, all groups the same. */
static int load_layer(struct app_context *ctx, enum gnn_strategy strategy,
		      unsigned int layer)
{
	struct gnn *gnn = ctx->state;
	const struct gnn_gemm_args args = gnn_gemm_shape(&gnn->shape, &gnn->model,
							 strategy, layer);
	uint64_t bytes = gnn_weights_bytes(&args);
	uint8_t *parts = malloc(gnn->shape.p * bytes);
	const void *bufs[GNN_MAX_SIDE];
	int ret;

	if (!parts)
		return app_no_memory("weights");
	gnn_place_weights(&gnn->data, &gnn->model, &gnn->shape, strategy, layer,
			  parts);
	for (uint32_t group = 0; group < gnn->shape.p; group++)
		bufs[group] = parts;
	ret = app_scatter(ctx, gnn_axes(layer), bytes, bufs,
			  gnn->layout.weights[layer]);
	free(parts);
	return ret;
}

int gnn_load_weights(struct app_context *ctx, enum gnn_strategy strategy)
{
	const struct gnn *gnn = ctx->state;
	int ret = TOOL_OK;

	for (unsigned int l = 0; !ret && l < gnn->model.nr_layers; l++)
		ret = load_layer(ctx, strategy, l);
	return ret;
}

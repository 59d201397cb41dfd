// SPDX-License-Identifier: MIT
/* Reads or generates the graph, its features and the layers' weights. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/graph/graph_load.h"
#include "tools/apps/common/memory.h"
#include "tools/apps/common/npy.h"
#include "tools/apps/common/random.h"
#include "tools/apps/gnn/input.h"

#define STREAM_HINTS	0x68696e74
/* of 256 vertices, so many show their community; others show a random one */
#define HINTS_RIGHT	128

/* Communities are known of graphs that have them planted. */
static int take_labels(struct app_context *ctx, const struct graph *graph)
{
	struct gnn *gnn = ctx->state;

	if (!graph->communities)
		return TOOL_OK;
	gnn->labels = malloc(graph->nr_vertices * sizeof(*gnn->labels));
	if (!gnn->labels)
		return app_no_memory(ctx->input);
	gnn->nr_labels = graph->communities;
	for (uint32_t v = 0; v < graph->nr_vertices; v++)
		gnn->labels[v] = v % graph->communities;
	return TOOL_OK;
}

static int make_matrix(struct app_context *ctx, const struct graph *graph)
{
	struct gnn *gnn = ctx->state;

	if (graph->nr_vertices > GNN_MAX_VERTICES)
		return tool_error("%s: %s vertices, of which PEs hold %s at most",
				  ctx->input, tool_count(graph->nr_vertices),
				  tool_count(GNN_MAX_VERTICES));
	if (gnn_make_matrix(graph, &gnn->matrix))
		return TOOL_FAILED;
	return take_labels(ctx, graph);
}

static int load_matrix(struct app_context *ctx)
{
	const struct graph_wish wish = {
		.path = ctx->input,
		.directed = true,
		.threads = ctx->threads,
		.seed = ctx->seed,
	};
	struct graph graph;
	int ret;

	if (graph_load(&wish, &graph))
		return TOOL_FAILED;
	ret = make_matrix(ctx, &graph);
	graph_free(&graph);
	return ret;
}

static const char *npy_type(enum gnn_type type)
{
	static const char *const names[GNN_NR_TYPES] = {
		[GNN_I8] = "|i1", [GNN_I16] = "<i2", [GNN_I32] = "<i4",
		[GNN_F32] = "<f4",
	};

	return names[type];
}

static void put_one(const struct gnn *gnn, void *matrix, uint64_t at)
{
	const float one = 1;

	if (gnn->model.type == GNN_F32)
		((float *)matrix)[at] = one;
	else
		((uint8_t *)matrix)[at * gnn_width(gnn->model.type)] = 1;
}

/* Each vertex has a 1 for one community: for half of the vertices it is their own. */
static void *make_hints(const struct app_context *ctx, const struct gnn *gnn)
{
	uint64_t n = gnn->model.nr_vertices, columns = gnn->model.features;
	void *features = calloc(n * columns, gnn_width(gnn->model.type));

	for (uint64_t v = 0; features && v < n; v++) {
		uint64_t bits = app_random(ctx->seed, STREAM_HINTS, v);
		uint64_t hint = (bits & 0xff) < HINTS_RIGHT ? gnn->labels[v] :
				app_random_below(bits, gnn->nr_labels);

		put_one(gnn, features, v * columns + hint);
	}
	return features;
}

static int load_features(struct app_context *ctx)
{
	struct gnn *gnn = ctx->state;
	struct npy npy;

	if (gnn->features_path) {
		if (npy_load(gnn->features_path, npy_type(gnn->model.type),
			     gnn->model.nr_vertices, NPY_ANY, &npy))
			return TOOL_FAILED;
		gnn->data.features = npy.data;
		if (npy.columns > GNN_MAX_FEATURES)
			return tool_error("%s: %s columns, expected at most %u",
					  gnn->features_path,
					  tool_count(npy.columns),
					  GNN_MAX_FEATURES);
		gnn->model.features = (uint32_t)npy.columns;
		return TOOL_OK;
	}
	if (gnn->hints)
		gnn->data.features = make_hints(ctx, gnn);
	else
		gnn->data.features = gnn_make_features(&gnn->model, ctx->seed,
						       ctx->threads);
	return gnn->data.features ? TOOL_OK : app_no_memory("features");
}

static void *make_identity(const struct gnn *gnn)
{
	uint64_t n = gnn->model.hidden;
	void *weights = calloc(n * n, gnn_width(gnn->model.type));

	for (uint64_t i = 0; weights && i < n; i++)
		put_one(gnn, weights, i * n + i);
	return weights;
}

static int make_weights(struct app_context *ctx)
{
	struct gnn *gnn = ctx->state;

	for (unsigned int l = 0; l < gnn->model.nr_layers; l++) {
		gnn->data.weights[l] = gnn->hints ? make_identity(gnn) :
			gnn_make_weights(&gnn->model, l, ctx->seed, ctx->threads);
		if (!gnn->data.weights[l])
			return app_no_memory("weights");
	}
	return TOOL_OK;
}

/* A file for each layer, which are as many as there are files. */
static int read_weights(struct app_context *ctx, char *paths)
{
	struct gnn *gnn = ctx->state;
	uint64_t rows = gnn->model.features, columns = gnn->hidden_given ?
		       gnn->model.hidden : NPY_ANY;
	unsigned int layer = 0;
	char *rest, *path;

	for (path = strtok_r(paths, ",", &rest); path;
	     path = strtok_r(NULL, ",", &rest)) {
		struct npy npy;

		if (layer == GNN_MAX_LAYERS ||
		    (gnn->layers_given && layer == gnn->model.nr_layers))
			return tool_usage(&ctx->command, "--weights names more files than there are layers, %u",
					  layer);
		if (npy_load(path, npy_type(gnn->model.type), rows, columns, &npy))
			return TOOL_FAILED;
		gnn->data.weights[layer++] = npy.data;
		if (npy.columns > GNN_MAX_FEATURES)
			return tool_error("%s: %s columns, expected at most %u", path,
					  tool_count(npy.columns),
					  GNN_MAX_FEATURES);
		columns = npy.columns;
		rows = columns;
		gnn->model.hidden = (uint32_t)columns;
	}
	if (!layer || (gnn->layers_given && layer < gnn->model.nr_layers))
		return tool_usage(&ctx->command, "--weights names %u files, expected one for each of %u layers",
				  layer, gnn->model.nr_layers);
	gnn->model.nr_layers = layer;
	return TOOL_OK;
}

static int load_weights(struct app_context *ctx)
{
	struct gnn *gnn = ctx->state;
	char *paths;
	int ret;

	if (!gnn->weights_paths)
		return make_weights(ctx);
	paths = strdup(gnn->weights_paths);
	if (!paths)
		return app_no_memory("--weights");
	ret = read_weights(ctx, paths);
	free(paths);
	return ret;
}

/* Does the type hold as many votes as the layers may bring to a vertex? */
static bool votes_fit(const struct gnn *gnn)
{
	double degree = 0, most = ldexp(1, 8 * (int)gnn_width(gnn->model.type) - 1);

	for (uint32_t v = 0; v < gnn->model.nr_vertices; v++) {
		uint64_t d = csr_degree(&gnn->matrix.rows, v);

		degree = (double)d > degree ? (double)d : degree;
	}
	return gnn->model.type == GNN_F32 ||
	       pow(degree, gnn->model.nr_layers) < most;
}

/*
 * Communities are recovered where nothing else was asked for: a feature for each, which
 * is what a vertex votes for, and layers that add up the votes of neighbours.
 */
static void choose_features(struct gnn *gnn)
{
	gnn->hints = gnn->labels && !gnn->features_given && !gnn->hidden_given &&
		     !gnn->features_path && !gnn->weights_paths &&
		     gnn->nr_labels <= GNN_MAX_FEATURES && votes_fit(gnn);
	if (gnn->hints)
		gnn->model.features = gnn->nr_labels;
	if (gnn->hints || !gnn->hidden_given)
		gnn->model.hidden = gnn->model.features;
}

/* Before any of them is made; PEs and the reference need more, which the plan tells. */
static int check_memory(const struct app_context *ctx)
{
	const struct gnn_model *model = &((const struct gnn *)ctx->state)->model;
	uint64_t inner = model->features, bytes;

	bytes = (uint64_t)model->nr_vertices * (inner + model->hidden);
	for (unsigned int l = 0; l < model->nr_layers; l++) {
		bytes += inner * model->hidden;
		inner = model->hidden;
	}
	bytes = app_times(bytes, gnn_width(model->type));
	if (bytes <= app_memory_bound())
		return TOOL_OK;
	return tool_error("%s: features and weights take %s bytes, more than three quarters of the memory available: fewer --features or --hidden would do",
			  ctx->input, tool_count(bytes));
}

int gnn_load(struct app_context *ctx)
{
	struct gnn *gnn = ctx->state;
	int ret = load_matrix(ctx);

	if (ret)
		return ret;
	gnn->model.nr_vertices = gnn->matrix.rows.nr_vertices;
	choose_features(gnn);
	ret = check_memory(ctx);
	if (!ret)
		ret = load_features(ctx);
	if (!ret && !gnn->hidden_given)
		gnn->model.hidden = gnn->model.features;
	return ret ? ret : load_weights(ctx);
}

static double element(const struct gnn *gnn, const void *result, uint64_t at)
{
	switch (gnn->model.type) {
	case GNN_I8:
		return ((const int8_t *)result)[at];
	case GNN_I16:
		return ((const int16_t *)result)[at];
	case GNN_I32:
		return ((const int32_t *)result)[at];
	default:
		return (double)((const float *)result)[at];
	}
}

double gnn_recovered(const struct gnn *gnn, const void *result)
{
	uint64_t columns = gnn->model.hidden, right = 0;

	for (uint64_t v = 0; v < gnn->model.nr_vertices; v++) {
		uint32_t best = 0;

		for (uint32_t j = 1; j < columns; j++) {
			if (element(gnn, result, v * columns + j) >
			    element(gnn, result, v * columns + best))
				best = j;
		}
		right += best == gnn->labels[v];
	}
	return (double)right / gnn->model.nr_vertices;
}

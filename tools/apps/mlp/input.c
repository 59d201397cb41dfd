// SPDX-License-Identifier: MIT
/* Layers and features of mlp: of .npy files, or of the seed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/npy.h"
#include "tools/apps/mlp/input.h"

#define GENERATOR "random:"

static const char *npy_type(enum mlp_type type)
{
	switch (type) {
	case MLP_I16:
		return "<i2";
	case MLP_I32:
		return "<i4";
	case MLP_F32:
		return "<f4";
	default:
		return "|i1";
	}
}

/* A matrix of a file, which the application frees at its end. */
static int load_matrix(struct mlp *mlp, const char *path, uint64_t columns,
		       struct npy *npy)
{
	int ret = npy_load(path, npy_type(mlp->type), NPY_ANY, columns, npy);

	if (ret)
		return ret;
	mlp->owned[mlp->nr_owned++] = npy->data;
	if (npy->rows <= MLP_MAX_WIDTH && npy->columns <= MLP_MAX_WIDTH)
		return TOOL_OK;
	return tool_error("%s: %s rows of %s, expected %s of either at most", path,
			  tool_count(npy->rows), tool_count(npy->columns),
			  tool_count(MLP_MAX_WIDTH));
}

static int load_layer(struct mlp *mlp, const char *path)
{
	struct mlp_model *model = &mlp->net.model;
	struct mlp_layer *layer = &model->layers[model->nr_layers];
	uint64_t inputs = NPY_ANY;
	struct npy npy;

	if (model->nr_layers == MLP_MAX_LAYERS)
		return tool_error("%s: one layer more than the %u there may be",
				  path, MLP_MAX_LAYERS);
	if (model->nr_layers)
		inputs = layer[-1].outputs;
	if (load_matrix(mlp, path, inputs, &npy))
		return TOOL_FAILED;
	layer->inputs = (uint32_t)npy.columns;
	layer->outputs = (uint32_t)npy.rows;
	layer->weights = npy.data;
	model->nr_layers++;
	return TOOL_OK;
}

static int load_layers(struct mlp *mlp)
{
	char *list = strdup(mlp->weights), *rest = list, *path;
	int ret = TOOL_OK;

	if (!list)
		return app_no_memory("--weights");
	while (!ret && (path = strsep(&rest, ",")))
		ret = load_layer(mlp, path);
	free(list);
	return ret;
}

static void seed_layers(struct mlp *mlp, uint32_t features)
{
	struct mlp_model *model = &mlp->net.model;

	model->nr_layers = mlp->layers;
	for (unsigned int i = 0; i < model->nr_layers; i++) {
		model->layers[i].inputs = features;
		model->layers[i].outputs = features;
	}
}

static int load_features(const struct app_context *ctx, struct mlp *mlp)
{
	struct mlp_model *model = &mlp->net.model;
	uint64_t columns = model->nr_layers ? model->layers[0].inputs : NPY_ANY;
	struct npy npy;

	if (load_matrix(mlp, ctx->input, columns, &npy))
		return TOOL_FAILED;
	model->features = npy.data;
	model->batch = (uint32_t)npy.rows;
	if (!model->nr_layers)
		seed_layers(mlp, (uint32_t)npy.columns);
	return TOOL_OK;
}

static int make_features(const struct app_context *ctx, struct mlp *mlp)
{
	struct mlp_model *model = &mlp->net.model;
	void *features;

	if (!model->nr_layers)
		seed_layers(mlp, mlp->features);
	model->batch = mlp->batch;
	features = malloc((uint64_t)model->batch * model->layers[0].inputs *
			  mlp_traits[model->type].element_bytes);
	if (!features)
		return app_no_memory("features");
	mlp->owned[mlp->nr_owned++] = features;
	mlp_make_features(model, ctx->threads, features);
	model->features = features;
	return TOOL_OK;
}

static void set_shifts(struct mlp *mlp)
{
	struct mlp_model *model = &mlp->net.model;

	for (unsigned int i = 0; i < model->nr_layers; i++)
		model->layers[i].shift = mlp->shift_given ? mlp->shift :
			mlp_shift_for(model->layers[i].inputs);
}

int mlp_read_input(struct app_context *ctx, struct mlp *mlp)
{
	struct mlp_model *model = &mlp->net.model;
	int ret;

	model->type = mlp->type;
	model->seed = ctx->seed;
	model->relu = !mlp->linear;
	model->last_relu = !mlp->linear;
	ret = mlp->weights ? load_layers(mlp) : TOOL_OK;
	if (!ret)
		ret = strcmp(ctx->input, GENERATOR) ? load_features(ctx, mlp) :
						      make_features(ctx, mlp);
	if (!ret)
		set_shifts(mlp);
	return ret;
}

// SPDX-License-Identifier: MIT
/* Layers and features of mlp: of .npy files, or of the seed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pimdimm/pimdimm_layout.h>

#include "tools/apps/common/npy.h"
#include "tools/apps/mlp/fitted.h"
#include "tools/apps/mlp/input.h"

#define DEFAULT_FEATURES	4096
#define DEFAULT_LAYERS		5
#define DEFAULT_BATCH		16

#define GENERATOR "random:"
/* Debian's dataset-fashion-mnist */
#define FASHION_MNIST "/usr/share/datasets/fashion-mnist"

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
	struct mlp_model *model = &mlp->nets[0].model;
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
	struct mlp_model *model = &mlp->nets[0].model;

	model->nr_layers = mlp->layers;
	for (unsigned int i = 0; i < model->nr_layers; i++) {
		model->layers[i].inputs = features;
		model->layers[i].outputs = features;
	}
}

static int load_features(const struct app_context *ctx, struct mlp *mlp)
{
	struct mlp_model *model = &mlp->nets[0].model;
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
	struct mlp_model *model = &mlp->nets[0].model;
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
	struct mlp_model *model = &mlp->nets[0].model;

	for (unsigned int i = 0; i < model->nr_layers; i++)
		model->layers[i].shift = mlp->shift_given ? mlp->shift :
			mlp_shift_for(model->layers[i].inputs);
}

/* Fits the weights, and reads the images to ask about. */
static int fit_images(struct app_context *ctx, struct mlp *mlp)
{
	struct mlp_images images;
	int ret = mlp_images_load(ctx->input, "train", &images);

	if (!ret && images.count < MLP_FIT_BATCH)
		ret = tool_error("%s: %s images to train with, expected %u at least",
				 ctx->input, tool_count(images.count),
				 MLP_FIT_BATCH);
	/* a plan needs the sizes of what is fitted, which no epoch changes */
	if (!ret && mlp_fit_images(&images, ctx->plan_only ? 0 : mlp->epochs,
				   ctx->seed, ctx->threads, &mlp->fit))
		ret = app_no_memory("training");
	mlp_images_free(&images);
	return ret ? ret : mlp_images_load(ctx->input, "t10k", &mlp->images);
}

static int add_fitted(struct mlp *mlp, enum mlp_type type, uint32_t count)
{
	struct mlp_model *model = &mlp->nets[mlp->nr_nets++].model;

	return mlp_fitted_make(&mlp->fit, &mlp->images, count, type, model) ?
		       app_no_memory("fitted models") : TOOL_OK;
}

static int train_models(struct app_context *ctx, struct mlp *mlp)
{
	uint32_t count;
	int ret;

	if (mlp->weights || mlp->shift_given || mlp->features || mlp->layers ||
	    mlp->linear)
		return tool_usage(&ctx->command, "--train has layers, weights and an activation of its own");
	if (mlp->type_given && mlp->type != MLP_F32 && mlp->type != MLP_I8_I32)
		return tool_usage(&ctx->command, "--type %s: models that are trained are f32 or i8-i32",
				  mlp_traits[mlp->type].name);
	if (!strcmp(ctx->input, GENERATOR))
		ctx->input = FASHION_MNIST;
	if (access(ctx->input, F_OK))
		return tool_error("%s is not there: Debian's package dataset-fashion-mnist has it, or name a folder of such files",
				  ctx->input);
	/* layers are narrow: more PEs have nothing to do */
	if (!ctx->pes_asked)
		ctx->pes_asked = PIMDIMM_RANK_PES;
	ret = fit_images(ctx, mlp);
	if (ret)
		return ret;
	count = mlp->batch && mlp->batch < mlp->images.count ? mlp->batch :
							       mlp->images.count;
	if (!mlp->type_given || mlp->type == MLP_F32)
		ret = add_fitted(mlp, MLP_F32, count);
	if (!ret && (!mlp->type_given || mlp->type == MLP_I8_I32))
		ret = add_fitted(mlp, MLP_I8_I32, count);
	return ret;
}

/* What nobody asked for. */
static void set_defaults(struct mlp *mlp)
{
	if (!mlp->features)
		mlp->features = DEFAULT_FEATURES;
	if (!mlp->layers)
		mlp->layers = DEFAULT_LAYERS;
	if (!mlp->batch)
		mlp->batch = DEFAULT_BATCH;
}

int mlp_read_input(struct app_context *ctx, struct mlp *mlp)
{
	struct mlp_model *model = &mlp->nets[0].model;
	int ret;

	if (mlp->train)
		return train_models(ctx, mlp);
	set_defaults(mlp);
	mlp->nr_nets = 1;
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

void mlp_free_input(struct mlp *mlp)
{
	for (unsigned int i = 0; mlp->train && i < mlp->nr_nets; i++)
		mlp_fitted_free(&mlp->nets[i].model);
	mlp_fit_free(&mlp->fit);
	mlp_images_free(&mlp->images);
	for (unsigned int i = 0; i < mlp->nr_owned; i++)
		free(mlp->owned[i]);
}

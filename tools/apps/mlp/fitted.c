// SPDX-License-Identifier: MIT
/* Makes models of fitted weights, and tells how often they are right. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/mlp/fitted.h"

static int8_t to_byte(float value)
{
	float rounded = rintf(value);

	return (int8_t)(rounded > 127 ? 127 : rounded < -127 ? -127 : rounded);
}

static int8_t *to_bytes(const float *values, uint64_t count, float scale)
{
	int8_t *bytes = malloc(count);

	for (uint64_t i = 0; bytes && i < count; i++)
		bytes[i] = to_byte(values[i] * scale);
	return bytes;
}

static float largest_of(const float *values, uint64_t count)
{
	float largest = 1e-20f;

	for (uint64_t i = 0; i < count; i++)
		largest = fabsf(values[i]) > largest ? fabsf(values[i]) : largest;
	return largest;
}

/*
 * A layer in bytes: inputs are `scale` times their values, weights as near to 127 as
 * makes sums, behind the shift, outputs times a scale at which the largest is some 127.
 * Returns that scale, 0 for no memory.
 */
static float quantise_layer(const struct mlp_fit *fit, unsigned int k, float scale,
			    struct mlp_layer *layer)
{
	uint64_t count = (uint64_t)layer->inputs * layer->outputs;
	float most = 127 / largest_of(fit->weights[k], count);
	float next = 127 / (fit->largest[k] > 1e-20f ? fit->largest[k] : 1);
	/* sums are inputs' scale times weights' scale; the shift takes that to next */
	float shift = floorf(log2f(scale * most / next));

	layer->shift = shift > 0 ? shift < 31 ? (uint32_t)shift : 31 : 0;
	if (k + 1 < MLP_FIT_LAYERS && shift > 0)
		most = next * ldexpf(1, (int)layer->shift) / scale;
	layer->weights = to_bytes(fit->weights[k], count, most);
	return layer->weights ? scale * most / ldexpf(1, (int)layer->shift) : 0;
}

static int quantise(const struct mlp_fit *fit, const struct mlp_images *images,
		    struct mlp_model *model)
{
	float scale = 127;

	model->features = to_bytes(images->values,
				   (uint64_t)model->batch * images->pixels, scale);
	for (unsigned int k = 0; k < MLP_FIT_LAYERS && scale > 0; k++)
		scale = quantise_layer(fit, k, scale, &model->layers[k]);
	return model->features && scale > 0 ? 0 : -ENOMEM;
}

int mlp_fitted_make(const struct mlp_fit *fit, const struct mlp_images *images,
		    uint32_t count, enum mlp_type type, struct mlp_model *model)
{
	*model = (struct mlp_model){
		.type = type, .nr_layers = MLP_FIT_LAYERS, .relu = true,
		.batch = count,
	};
	for (unsigned int k = 0; k < MLP_FIT_LAYERS; k++) {
		model->layers[k].inputs = fit->widths[k];
		model->layers[k].outputs = fit->widths[k + 1];
		if (type == MLP_F32)
			model->layers[k].weights = fit->weights[k];
	}
	if (type != MLP_F32)
		return quantise(fit, images, model);
	model->features = images->values;
	return 0;
}

void mlp_fitted_free(struct mlp_model *model)
{
	if (model->type == MLP_F32)
		return;
	free((void *)model->features);
	for (unsigned int k = 0; k < model->nr_layers; k++)
		free((void *)model->layers[k].weights);
}

static double score_at(const struct mlp_model *model, const void *scores, uint64_t at)
{
	return model->type == MLP_F32 ? (double)((const float *)scores)[at] :
					((const int32_t *)scores)[at];
}

double mlp_fitted_accuracy(const struct mlp_model *model, const void *scores,
			   const uint8_t *labels)
{
	uint32_t outputs = mlp_outputs(model), right = 0;

	for (uint64_t b = 0; b < model->batch; b++) {
		uint32_t best = 0;

		for (uint32_t i = 1; i < outputs; i++) {
			if (score_at(model, scores, b * outputs + i) >
			    score_at(model, scores, b * outputs + best))
				best = i;
		}
		right += best == labels[b];
	}
	return (double)right / model->batch;
}

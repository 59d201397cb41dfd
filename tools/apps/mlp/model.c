// SPDX-License-Identifier: MIT
/* Types, and weights and features that are functions of a seed and their place. */
#include <string.h>

#include "tools/apps/common/parallel.h"
#include "tools/apps/common/random.h"
#include "tools/apps/mlp/model.h"

/* streams of random numbers: one of the features, from the second on the layers' */
#define STREAM_FEATURES	0x6d6c70u
#define STREAM_WEIGHTS	(STREAM_FEATURES + 1)

const struct mlp_traits mlp_traits[MLP_NR_TYPES] = {
	[MLP_I8] = { "i8", 1, 1, PIDCOMM_I8 },
	[MLP_I16] = { "i16", 2, 2, PIDCOMM_I16 },
	[MLP_I32] = { "i32", 4, 4, PIDCOMM_I32 },
	[MLP_F32] = { "f32", 4, 4, PIDCOMM_F32 },
	[MLP_I8_I32] = { "i8-i32", 1, 4, PIDCOMM_I32 },
};

/* What random floats are like: from middle - 1 to below middle + 1, times scale. */
struct range {
	float middle, scale;
};

static float random_float(uint32_t bits, struct range range)
{
	return ((float)((int32_t)bits >> 8) * 0x1p-23f + range.middle) *
	       range.scale;
}

/*
 * A row of random elements. Each eight bytes are one random number, so that a row is
 * the same wherever it is made.
 */
static void random_row(enum mlp_type type, uint64_t seed, uint64_t stream,
		       uint64_t row, uint32_t elements, struct range range,
		       uint8_t *to)
{
	uint64_t bytes = (uint64_t)elements * mlp_traits[type].element_bytes;
	uint64_t words = (bytes + 7) / 8, word;

	for (uint64_t i = 0; i < words; i++) {
		uint64_t n = bytes - i * 8 < 8 ? bytes - i * 8 : 8;

		word = app_random(seed, stream, row * words + i);
		if (type == MLP_F32) {
			float pair[2] = { random_float((uint32_t)word, range),
					  random_float((uint32_t)(word >> 32), range) };

			memcpy(to + i * 8, pair, n);
		} else {
			memcpy(to + i * 8, &word, n);
		}
	}
}

void mlp_weights(const struct mlp_model *model, unsigned int number, uint32_t first,
		 uint32_t rows, void *to)
{
	const struct mlp_layer *layer = &model->layers[number];
	uint64_t bytes = (uint64_t)layer->inputs *
			 mlp_traits[model->type].element_bytes;
	/*
	 * A row's weights add up to some 1, and their magnitudes to little more: neither
	 * values nor the bound of their errors grow from layer to layer.
	 */
	struct range range = { 0.5f, 2.0f / (float)layer->inputs };

	if (layer->weights) {
		memcpy(to, (const uint8_t *)layer->weights + first * bytes,
		       rows * bytes);
		return;
	}
	for (uint32_t i = 0; i < rows; i++)
		random_row(model->type, model->seed, STREAM_WEIGHTS + number,
			   (uint64_t)first + i, layer->inputs, range,
			   (uint8_t *)to + i * bytes);
}

struct features_job {
	const struct mlp_model *model;
	uint8_t *features;
};

static void features_part(unsigned int part, unsigned int parts, void *arg)
{
	const struct features_job *job = arg;
	const struct mlp_model *model = job->model;
	uint32_t inputs = model->layers[0].inputs;
	uint64_t bytes = (uint64_t)inputs * mlp_traits[model->type].element_bytes;
	uint64_t end = app_part_first(model->batch, part + 1, parts);

	for (uint64_t i = app_part_first(model->batch, part, parts); i < end; i++)
		random_row(model->type, model->seed, STREAM_FEATURES, i, inputs,
			   (struct range){ 0, 1 },
			   job->features + i * bytes);
}

void mlp_make_features(const struct mlp_model *model, unsigned int threads,
		       void *features)
{
	struct features_job job = { model, features };

	app_parallel(threads, features_part, &job);
}

uint32_t mlp_shift_for(uint32_t inputs)
{
	uint32_t shift = 6;

	/* a sum of n products grows by the square root of n */
	while (inputs >= 4) {
		inputs /= 4;
		shift++;
	}
	return shift;
}

uint32_t mlp_outputs(const struct mlp_model *model)
{
	return model->layers[model->nr_layers - 1].outputs;
}

// SPDX-License-Identifier: MIT
/* The model's shape, and weights that are functions of the seed and their place. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/random.h"
#include "tools/apps/dlrm/model.h"

/* streams of random numbers: the layers', then each table's */
#define STREAM_LAYERS	0x646c726du
#define STREAM_TABLES	(STREAM_LAYERS + 2 * DLRM_MAX_LAYERS)

/* values of embeddings lie between this and its negative */
#define EMBEDDING_SCALE	0.25f

const uint32_t dlrm_kaggle_rows[DLRM_MAX_TABLES] = {
	1460, 583, 10131227, 2202608, 305, 24, 12517, 633, 3, 93145, 5683, 8351593,
	3194, 27, 14992, 5461306, 10, 5652, 2173, 4, 7046547, 18, 15, 286181, 105,
	142572,
};

void dlrm_set_tables(struct dlrm_model *model, uint32_t most)
{
	model->tables = DLRM_MAX_TABLES;
	for (unsigned int i = 0; i < DLRM_MAX_TABLES; i++)
		model->rows[i] = dlrm_kaggle_rows[i] < most ?
					 dlrm_kaggle_rows[i] : most;
}

static void add_layer(struct dlrm_model *model, unsigned int number,
		      uint32_t inputs, uint32_t outputs)
{
	struct dlrm_layer *layer = &model->layers[number];

	layer->inputs = inputs;
	layer->outputs = outputs;
	layer->at = model->weight_bytes;
	layer->row_bytes = ((inputs + 1) * 4 + 7) & ~7u;
	model->weight_bytes += (uint64_t)outputs * layer->row_bytes;
}

/* Layers between inputs and the outputs of one more. Returns how many. */
static unsigned int add_layers(struct dlrm_model *model, unsigned int first,
			       uint32_t inputs, const uint32_t *widths,
			       unsigned int count, uint32_t outputs)
{
	for (unsigned int i = 0; i < count; i++) {
		add_layer(model, first + i, inputs, widths[i]);
		inputs = widths[i];
	}
	add_layer(model, first + count, inputs, outputs);
	return count + 1;
}

void dlrm_set_layers(struct dlrm_model *model, const uint32_t *bottom,
		     unsigned int nr_bottom, const uint32_t *top, unsigned int nr_top)
{
	model->weight_bytes = 0;
	model->bottom = add_layers(model, 0, DLRM_DENSE, bottom, nr_bottom,
				   model->dim);
	model->top = add_layers(model, model->bottom, dlrm_interactions(model), top,
				nr_top, 1);
}

uint32_t dlrm_interactions(const struct dlrm_model *model)
{
	return model->dim + (model->tables + 1) * model->tables / 2;
}

uint64_t dlrm_table_bytes(const struct dlrm_model *model)
{
	uint64_t rows = 0;

	for (uint32_t i = 0; i < model->tables; i++)
		rows += model->rows[i];
	return rows * model->dim * 4;
}

/* What random floats are like: from middle - 1 to below middle + 1, times scale. */
struct range {
	float middle, scale;
};

/* One of the two elements that 64 random bits make. */
static uint32_t random_element(enum dlrm_type type, uint64_t bits, unsigned int half,
			       struct range range)
{
	uint32_t word = (uint32_t)(bits >> (32 * half));
	float value;

	if (type == DLRM_I32)
		return word;
	value = ((float)((int32_t)word >> 8) * 0x1p-23f + range.middle) *
		range.scale;
	memcpy(&word, &value, sizeof(word));
	return word;
}

static void make_layer(struct dlrm_model *model, unsigned int number)
{
	const struct dlrm_layer *layer = &model->layers[number];
	uint64_t words = layer->row_bytes / 4;
	/*
	 * A row's weights add up to some 1, and their magnitudes to little more: neither
	 * values nor the bound of their errors grow from layer to layer.
	 */
	struct range range = { 0.5f, 2.0f / (float)layer->inputs };

	for (uint64_t row = 0; row < layer->outputs; row++) {
		uint32_t *to = (uint32_t *)(model->weights + layer->at +
					    row * layer->row_bytes);

		for (uint64_t i = 0; i <= layer->inputs; i++)
			to[i] = random_element(model->type,
				app_random(model->seed, STREAM_LAYERS + number,
					   (row * words + i) / 2),
				(row * words + i) % 2, range);
	}
}

int dlrm_make_weights(struct dlrm_model *model)
{
	model->weights = calloc(1, model->weight_bytes);
	if (!model->weights)
		return -ENOMEM;
	for (unsigned int i = 0; i < model->bottom + model->top; i++)
		make_layer(model, i);
	return 0;
}

void dlrm_embedding(const struct dlrm_model *model, uint32_t table, uint32_t row,
		    uint32_t first, uint32_t count, void *to)
{
	uint64_t at = (uint64_t)row * model->dim + first, bits = 0;
	uint32_t word;

	for (uint32_t i = 0; i < count; i++, at++) {
		if (!i || at % 2 == 0)
			bits = app_random(model->seed, STREAM_TABLES + table,
					  at / 2);
		word = random_element(model->type, bits, at % 2,
				      (struct range){ 0, EMBEDDING_SCALE });
		memcpy((uint8_t *)to + i * 4, &word, 4);
	}
}

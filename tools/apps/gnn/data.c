// SPDX-License-Identifier: MIT
/* Makes features and weights from a seed, and lays them out for PEs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/parallel.h"
#include "tools/apps/common/random.h"
#include "tools/apps/gnn/data.h"

/* random numbers for features, and for each layer's weights from the next one on */
#define STREAM_FEATURES	0x676e6e00
#define STREAM_WEIGHTS	(STREAM_FEATURES + 1)

struct filling {
	enum gnn_type type;
	uint64_t seed, stream, count;
	double scale;
	void *out;
};

static void fill_part(unsigned int part, unsigned int parts, void *arg)
{
	const struct filling *f = arg;
	uint64_t end = app_part_first(f->count, part + 1, parts);

	for (uint64_t i = app_part_first(f->count, part, parts); i < end; i++) {
		uint64_t bits = app_random(f->seed, f->stream, i);
		int32_t number = (int32_t)(bits >> 60) - 8;

		switch (f->type) {
		case GNN_I8:
			((int8_t *)f->out)[i] = (int8_t)number;
			break;
		case GNN_I16:
			((int16_t *)f->out)[i] = (int16_t)number;
			break;
		case GNN_I32:
			((int32_t *)f->out)[i] = number;
			break;
		default:
			((float *)f->out)[i] = (float)
				((2 * app_random_unit(bits) - 1) * f->scale);
		}
	}
}

static void *make_values(enum gnn_type type, uint64_t seed, uint64_t stream,
			 uint64_t count, double scale, unsigned int threads)
{
	struct filling f = { type, seed, stream, count, scale, NULL };

	f.out = malloc((count ? count : 1) * gnn_width(type));
	if (f.out)
		app_parallel(threads, fill_part, &f);
	return f.out;
}

void *gnn_make_features(const struct gnn_model *model, uint64_t seed,
			unsigned int threads)
{
	return make_values(model->type, seed, STREAM_FEATURES,
			   (uint64_t)model->nr_vertices * model->features, 1,
			   threads);
}

void *gnn_make_weights(const struct gnn_model *model, unsigned int layer,
		       uint64_t seed, unsigned int threads)
{
	uint32_t inner = gnn_features(model, layer);

	return make_values(model->type, seed, STREAM_WEIGHTS + layer,
			   (uint64_t)inner * model->hidden, sqrt(1.0 / inner),
			   threads);
}

void gnn_free_data(struct gnn_data *data)
{
	free(data->features);
	data->features = NULL;
	for (unsigned int l = 0; l < GNN_MAX_LAYERS; l++) {
		free(data->weights[l]);
		data->weights[l] = NULL;
	}
}

void gnn_place_features(const struct gnn_data *data, const struct gnn_model *model,
			const struct gnn_shape *shape,
			const struct gnn_places *places, uint8_t *strips)
{
	uint64_t to = gnn_row_bytes(shape, 0);
	uint64_t from = (uint64_t)model->features * shape->width;

	memset(strips, 0, shape->p * gnn_strip_bytes(shape, 0));
	for (uint32_t v = 0; v < model->nr_vertices; v++)
		memcpy(strips + places->of[v] * to,
		       (const uint8_t *)data->features + v * from, from);
}

/* Where the weights of a member begin, and those of the whole layer end. */
struct corner {
	const uint8_t *weights;
	uint32_t row, column, nr_rows, nr_columns, width;
};

/* One row of a panel: 8 bytes, zeros behind the last row and column. */
static void put_word(const struct corner *c, uint32_t row, uint32_t column,
		     uint32_t columns, uint8_t *to)
{
	uint32_t i = c->row + row, j = c->column + column, n;

	if (i >= c->nr_rows || j >= c->nr_columns)
		return;
	n = c->nr_columns - j < columns ? c->nr_columns - j : columns;
	memcpy(to, c->weights + ((uint64_t)i * c->nr_columns + j) * c->width,
	       (size_t)n * c->width);
}

/* The blocks of one member, in the order in which the program wants them. */
static void put_blocks(const struct corner *c, const struct gnn_gemm_args *args,
		       uint8_t *to)
{
	uint32_t step = 8 / c->width;

	for (uint32_t j0 = 0; j0 < args->nr_outer; j0 += args->outer) {
		uint32_t left = args->nr_outer - j0;
		uint32_t end = left < args->outer ? left : args->outer;

		for (uint32_t i0 = 0; i0 < args->nr_inner; i0 += args->inner) {
			uint32_t rows = args->nr_inner - i0 < args->inner ?
					args->nr_inner - i0 : args->inner;

			for (uint32_t j = 0; j < end; j += step) {
				uint32_t n = end - j < step ? end - j : step;

				for (uint32_t i = 0; i < rows; i++, to += 8)
					put_word(c, i0 + i, j0 + j, n, to);
			}
		}
	}
}

void gnn_place_weights(const struct gnn_data *data, const struct gnn_model *model,
		       const struct gnn_shape *shape, enum gnn_strategy strategy,
		       unsigned int layer, uint8_t *parts)
{
	const struct gnn_gemm_args args = gnn_gemm_shape(shape, model, strategy, layer);
	uint64_t bytes = gnn_weights_bytes(&args);
	struct corner c = {
		.weights = data->weights[layer],
		.nr_rows = gnn_features(model, layer),
		.nr_columns = model->hidden,
		.width = shape->width,
	};

	memset(parts, 0, shape->p * bytes);
	for (uint32_t member = 0; member < shape->p; member++) {
		put_blocks(&c, &args, parts + member * bytes);
		if (strategy == GNN_RSAR)
			c.row += args.nr_inner;
		else
			c.column += args.nr_outer;
	}
}

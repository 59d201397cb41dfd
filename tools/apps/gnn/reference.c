// SPDX-License-Identifier: MIT
/* Layers of a graph neural network by plain loops over all vertices. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/parallel.h"
#include "tools/apps/gnn/reference.h"

/* One layer: from `in` to `out`, rows of the adjacency's `matrix`. */
struct layer {
	const struct gnn_matrix *matrix;
	uint32_t nr_in, nr_out;
	bool relu;
	const void *in, *weights;
	void *out;
	double *in_sizes, *out_sizes;	/* floats: the same of absolute values */
};

typedef uint8_t element_i8;
typedef uint16_t element_i16;
typedef uint32_t element_i32;

/*
 * Integers modulo 2^w, in unsigned arithmetic; the top bit is the sign. `sums` has room
 * for a row of features.
 */
#define INTEGER_ROWS(name, type)						\
static void name(const struct layer *l, uint32_t first, uint32_t end, void *room) \
{										\
	const type *in = l->in, *weights = l->weights;				\
	type *sums = room;							\
										\
	for (uint32_t v = first; v < end; v++) {				\
		type *out = (type *)l->out + (uint64_t)v * l->nr_out;		\
										\
		memset(sums, 0, l->nr_in * sizeof(type));			\
		memset(out, 0, l->nr_out * sizeof(type));			\
		for (uint64_t i = l->matrix->rows.first[v];				\
		     i < l->matrix->rows.first[v + 1]; i++) {			\
			const type *x = in + (uint64_t)l->matrix->rows.targets[i] *	\
					     l->nr_in;				\
										\
			for (uint32_t j = 0; j < l->nr_in; j++)			\
				sums[j] = (type)(sums[j] + x[j]);		\
		}								\
		for (uint32_t i = 0; i < l->nr_in; i++) {			\
			const type *w = weights + (uint64_t)i * l->nr_out;	\
			type factor = sums[i];					\
										\
			for (uint32_t j = 0; j < l->nr_out; j++)		\
				out[j] = (type)(out[j] + (uint32_t)factor * w[j]);	\
		}								\
		for (uint32_t j = 0; l->relu && j < l->nr_out; j++) {		\
			if (out[j] >> (8 * sizeof(type) - 1))			\
				out[j] = 0;					\
		}								\
	}									\
}

INTEGER_ROWS(rows_i8, element_i8)
INTEGER_ROWS(rows_i16, element_i16)
INTEGER_ROWS(rows_i32, element_i32)

/* Sums of a vertex's neighbours, of values and of their sizes. */
static void neighbours_f32(const struct layer *l, uint32_t v, double *sums,
			   double *sizes)
{
	memset(sums, 0, l->nr_in * sizeof(*sums));
	memset(sizes, 0, l->nr_in * sizeof(*sizes));
	for (uint64_t i = l->matrix->rows.first[v]; i < l->matrix->rows.first[v + 1]; i++) {
		uint64_t at = (uint64_t)l->matrix->rows.targets[i] * l->nr_in;
		const double *x = (const double *)l->in + at;

		for (uint32_t j = 0; j < l->nr_in; j++) {
			sums[j] += x[j];
			sizes[j] += l->in_sizes[at + j];
		}
	}
}

static void rows_f32(const struct layer *l, uint32_t first, uint32_t end, void *room)
{
	const float *weights = l->weights;
	double *sums = room, *sizes = sums + l->nr_in;

	for (uint32_t v = first; v < end; v++) {
		double *out = (double *)l->out + (uint64_t)v * l->nr_out;
		double *out_sizes = l->out_sizes + (uint64_t)v * l->nr_out;

		neighbours_f32(l, v, sums, sizes);
		memset(out, 0, l->nr_out * sizeof(*out));
		memset(out_sizes, 0, l->nr_out * sizeof(*out_sizes));
		for (uint32_t i = 0; i < l->nr_in; i++) {
			const float *w = weights + (uint64_t)i * l->nr_out;

			for (uint32_t j = 0; j < l->nr_out; j++) {
				out[j] += sums[i] * (double)w[j];
				out_sizes[j] += sizes[i] * fabs((double)w[j]);
			}
		}
		for (uint32_t j = 0; l->relu && j < l->nr_out; j++)
			out[j] = out[j] > 0 ? out[j] : 0;
	}
}

static void (*const rows_of[GNN_NR_TYPES])(const struct layer *l, uint32_t first,
					   uint32_t end, void *room) = {
	[GNN_I8] = rows_i8,
	[GNN_I16] = rows_i16,
	[GNN_I32] = rows_i32,
	[GNN_F32] = rows_f32,
};

struct work {
	const struct layer *layer;
	enum gnn_type type;
	uint8_t *room;
	uint64_t room_bytes;
};

static void layer_part(unsigned int part, unsigned int parts, void *arg)
{
	const struct work *work = arg;
	uint32_t n = work->layer->matrix->rows.nr_vertices;

	rows_of[work->type](work->layer, (uint32_t)app_part_first(n, part, parts),
			    (uint32_t)app_part_first(n, part + 1, parts),
			    work->room + part * work->room_bytes);
}

static int refer_layer(const struct layer *layer, enum gnn_type type,
		       unsigned int threads)
{
	struct work work = {
		.layer = layer,
		.type = type,
		.room_bytes = 2 * sizeof(double) * layer->nr_in,
	};

	work.room = malloc(threads * work.room_bytes);
	if (!work.room)
		return -ENOMEM;
	app_parallel(threads, layer_part, &work);
	free(work.room);
	return 0;
}

/*
 * What a float has gone through, in products and additions, each of which is off by a
 * factor of 1 + 2^-24 at most: in a layer one of its terms is added to those of the
 * other neighbours of the PE, to those of the p - 1 other PEs, then multiplied, added to
 * the other products, and to those of other PEs.
 */
static uint64_t count_additions(const struct gnn_model *model,
				const struct gnn_matrix *matrix, uint32_t p)
{
	uint64_t degree = 0, additions = 0;

	for (uint32_t v = 0; v < matrix->rows.nr_vertices; v++) {
		uint64_t d = matrix->rows.first[v + 1] - matrix->rows.first[v];

		degree = d > degree ? d : degree;
	}
	for (unsigned int l = 0; l < model->nr_layers; l++)
		additions += degree + gnn_features(model, l) + 2 * p + 1;
	return additions;
}

/* From sizes, the sums of all terms' absolute values, to bounds of the error. */
static void make_bounds(struct gnn_reference *reference, uint64_t count)
{
	double k = (double)reference->additions * 0x1p-24;
	double factor = k < 1 ? k / (1 - k) : INFINITY;
	/* results so small that they are denormal lose more than that factor */
	double least = (double)reference->additions * 0x1p-149;

	for (uint64_t i = 0; i < count; i++)
		reference->bounds[i] = reference->bounds[i] * factor + least;
}

/* What layers read and write in turn. */
struct buffers {
	void *values[2];
	double *sizes[2];
};

static void buffers_free(struct buffers *b)
{
	for (unsigned int i = 0; i < 2; i++) {
		free(b->values[i]);
		free(b->sizes[i]);
	}
}

static int buffers_make(struct buffers *b, const struct gnn_model *model)
{
	uint32_t widest = model->features > model->hidden ? model->features :
							    model->hidden;
	uint64_t count = (uint64_t)model->nr_vertices * widest;
	bool floats = model->type == GNN_F32;
	size_t bytes = floats ? sizeof(double) : gnn_width(model->type);

	*b = (struct buffers){ 0 };
	for (unsigned int i = 0; i < 2; i++) {
		b->values[i] = malloc(count * bytes + 1);
		b->sizes[i] = floats ? malloc(count * sizeof(double) + 1) : NULL;
		if (!b->values[i] || (floats && !b->sizes[i])) {
			buffers_free(b);
			return -ENOMEM;
		}
	}
	return 0;
}

static void take_features(const struct gnn_model *model, const struct gnn_data *data,
			  struct buffers *b)
{
	uint64_t count = (uint64_t)model->nr_vertices * model->features;

	if (model->type != GNN_F32) {
		memcpy(b->values[0], data->features, count * gnn_width(model->type));
		return;
	}
	for (uint64_t i = 0; i < count; i++) {
		double x = (double)((const float *)data->features)[i];

		((double *)b->values[0])[i] = x;
		b->sizes[0][i] = fabs(x);
	}
}

static int refer_layers(const struct gnn_model *model, const struct gnn_matrix *matrix,
			const struct gnn_data *data, unsigned int threads,
			struct buffers *b)
{
	for (unsigned int l = 0; l < model->nr_layers; l++) {
		struct layer layer = {
			.matrix = matrix,
			.nr_in = gnn_features(model, l),
			.nr_out = model->hidden,
			.relu = model->relu,
			.in = b->values[l % 2],
			.weights = data->weights[l],
			.out = b->values[(l + 1) % 2],
			.in_sizes = b->sizes[l % 2],
			.out_sizes = b->sizes[(l + 1) % 2],
		};

		if (refer_layer(&layer, model->type, threads))
			return -ENOMEM;
	}
	return 0;
}

int gnn_refer(const struct gnn_model *model, const struct gnn_matrix *matrix,
	      const struct gnn_data *data, uint32_t p, unsigned int threads,
	      struct gnn_reference *reference)
{
	unsigned int last = model->nr_layers % 2;
	struct buffers b;

	if (buffers_make(&b, model))
		return -ENOMEM;
	take_features(model, data, &b);
	if (refer_layers(model, matrix, data, threads, &b)) {
		buffers_free(&b);
		return -ENOMEM;
	}
	reference->values = b.values[last];
	reference->bounds = b.sizes[last];
	reference->additions = count_additions(model, matrix, p);
	b.values[last] = NULL;
	b.sizes[last] = NULL;
	buffers_free(&b);
	if (reference->bounds)
		make_bounds(reference, (uint64_t)model->nr_vertices * model->hidden);
	return 0;
}

void gnn_reference_free(struct gnn_reference *reference)
{
	free(reference->values);
	free(reference->bounds);
	reference->values = NULL;
	reference->bounds = NULL;
}

static void compare_floats(const struct gnn_reference *reference, const float *values,
			   uint64_t count, struct gnn_comparison *c)
{
	const double *expected = reference->values;

	for (uint64_t i = 0; i < count; i++) {
		double error = fabs((double)values[i] - expected[i]);
		double bound = reference->bounds[i];

		/* what is no number is within no bound */
		c->wrong += !(error <= bound);
		if (!(error * c->bound <= c->error * bound) || !c->bound) {
			c->error = error;
			c->bound = bound;
		}
	}
}

void gnn_compare(const struct gnn_model *model, const struct gnn_reference *reference,
		 const void *values, struct gnn_comparison *comparison)
{
	uint64_t count = (uint64_t)model->nr_vertices * model->hidden;
	uint32_t width = gnn_width(model->type);
	const uint8_t *a = values, *b = reference->values;

	*comparison = (struct gnn_comparison){ 0 };
	if (model->type == GNN_F32) {
		compare_floats(reference, values, count, comparison);
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		comparison->wrong += memcmp(a + i * width, b + i * width, width) != 0;
}

// SPDX-License-Identifier: MIT
/* Layers of a graph neural network by GraphBLAS: two matrix products each. */
#include <stdlib.h>
#include <string.h>

#include "tools/perf/cpu/plugins/graphblas_base.h"
#include "tools/perf/cpu/plugins/graphblas_gnn.h"

/* What a type's layers are made of. */
struct algebra {
	GrB_Type type;
	GrB_Semiring sums, products;
	GrB_BinaryOp plus, most;
};

static struct algebra algebra_of(enum cpu_type type)
{
	switch (type) {
	case CPU_I8:
		return (struct algebra){ GrB_INT8, GxB_PLUS_SECOND_INT8,
					 GrB_PLUS_TIMES_SEMIRING_INT8, GrB_PLUS_INT8,
					 GrB_MAX_INT8 };
	case CPU_I16:
		return (struct algebra){ GrB_INT16, GxB_PLUS_SECOND_INT16,
					 GrB_PLUS_TIMES_SEMIRING_INT16, GrB_PLUS_INT16,
					 GrB_MAX_INT16 };
	case CPU_F32:
		return (struct algebra){ GrB_FP32, GxB_PLUS_SECOND_FP32,
					 GrB_PLUS_TIMES_SEMIRING_FP32, GrB_PLUS_FP32,
					 GrB_MAX_FP32 };
	default:
		return (struct algebra){ GrB_INT32, GxB_PLUS_SECOND_INT32,
					 GrB_PLUS_TIMES_SEMIRING_INT32, GrB_PLUS_INT32,
					 GrB_MAX_INT32 };
	}
}

struct gnn_state {
	const struct cpu_gnn *in;
	unsigned int threads;
	struct algebra algebra;
	GrB_Matrix adjacency, features, weights[CPU_MAX_LAYERS];
	GrB_Matrix rows;	/* what the last layer gave */
	void *result;
};

void graphblas_gnn_release(void *arg)
{
	struct gnn_state *gnn = arg;

	GrB_Matrix_free(&gnn->adjacency);
	GrB_Matrix_free(&gnn->features);
	GrB_Matrix_free(&gnn->rows);
	for (unsigned int l = 0; l < CPU_MAX_LAYERS; l++)
		GrB_Matrix_free(&gnn->weights[l]);
	free(gnn->result);
	free(gnn);
}

/* All entries, but in the form of a sparse matrix: its products take half the time. */
static GrB_Info gnn_make_weights(struct gnn_state *gnn, unsigned int l)
{
	const struct cpu_layer *layer = &gnn->in->layers[l];

	TRY(graphblas_make_full(&gnn->weights[l], gnn->algebra.type, layer->inputs,
				layer->outputs, layer->weights));
	TRY(GxB_Matrix_Option_set(gnn->weights[l], GxB_SPARSITY_CONTROL, GxB_SPARSE));
	return GrB_Matrix_wait(gnn->weights[l], GrB_MATERIALIZE);
}

static GrB_Info make_gnn(struct gnn_state *gnn)
{
	const struct cpu_gnn *in = gnn->in;

	TRY(graphblas_begin(gnn->threads));
	gnn->algebra = algebra_of(in->type);
	TRY(graphblas_make_adjacency(&gnn->adjacency, in->graph.vertices, in->graph.first,
			   in->graph.targets));
	TRY(graphblas_make_full(&gnn->features, gnn->algebra.type, in->graph.vertices,
		      in->layers[0].inputs, in->features));
	for (unsigned int l = 0; l < in->nr_layers; l++)
		TRY(gnn_make_weights(gnn, l));
	return GrB_SUCCESS;
}

void *graphblas_gnn_prepare(const void *input, const struct cpu_hands *hands)
{
	struct gnn_state *gnn = calloc(1, sizeof(*gnn));

	if (!gnn)
		return NULL;
	gnn->in = input;
	gnn->threads = hands->threads;
	if (make_gnn(gnn) == GrB_SUCCESS)
		return gnn;
	graphblas_gnn_release(gnn);
	return NULL;
}

/* *out += a times b from zero: the products of a full matrix, which have loops of their own */
static GrB_Info multiply_full(const struct algebra *algebra, GrB_Semiring semiring,
			      GrB_Matrix a, GrB_Matrix b, GrB_Matrix *out)
{
	GrB_Index rows, columns;

	TRY(GrB_Matrix_nrows(&rows, a));
	TRY(GrB_Matrix_ncols(&columns, b));
	TRY(GrB_Matrix_new(out, algebra->type, rows, columns));
	TRY(GrB_Matrix_assign_INT32(*out, NULL, NULL, 0, GrB_ALL, rows, GrB_ALL, columns,
				    NULL));
	return GrB_mxm(*out, NULL, algebra->plus, semiring, a, b, NULL);
}

static GrB_Info gnn_layer(struct gnn_state *gnn, unsigned int l)
{
	const struct algebra *algebra = &gnn->algebra;
	GrB_Matrix sums = NULL;
	GrB_Info info;

	info = multiply_full(algebra, algebra->sums, gnn->adjacency,
			     l ? gnn->rows : gnn->features, &sums);
	GrB_Matrix_free(&gnn->rows);
	if (info == GrB_SUCCESS)
		info = multiply_full(algebra, algebra->products, sums, gnn->weights[l],
				     &gnn->rows);
	GrB_Matrix_free(&sums);
	if (info == GrB_SUCCESS && gnn->in->relu)
		info = GrB_Matrix_apply_BinaryOp2nd_INT32(gnn->rows, NULL, NULL,
							  algebra->most, gnn->rows, 0,
							  NULL);
	return info;
}

int graphblas_gnn_run(void *arg)
{
	struct gnn_state *gnn = arg;

	TRY(graphblas_begin(gnn->threads));
	GrB_Matrix_free(&gnn->rows);
	for (unsigned int l = 0; l < gnn->in->nr_layers; l++)
		TRY(gnn_layer(gnn, l));
	return GrB_Matrix_wait(gnn->rows, GrB_MATERIALIZE);
}

/* One value for all entries, in which form they may be, as an array of them. */
static void gnn_spread(struct gnn_state *gnn, GrB_Index element)
{
	const struct cpu_layer *last = &gnn->in->layers[gnn->in->nr_layers - 1];
	GrB_Index count = (GrB_Index)gnn->in->graph.vertices * last->outputs;
	uint8_t *values = malloc(count * element);

	for (GrB_Index i = 0; values && i < count; i++)
		memcpy(values + i * element, gnn->result, element);
	free(gnn->result);
	gnn->result = values;
}

/* The matrix has all entries, and no further use. */
const void *graphblas_gnn_result(void *arg)
{
	struct gnn_state *gnn = arg;
	GrB_Index bytes, element;
	bool iso = false;

	if (!gnn->rows)
		return gnn->result;
	free(gnn->result);
	gnn->result = NULL;
	GxB_Matrix_unpack_FullR(gnn->rows, &gnn->result, &bytes, &iso, NULL);
	GxB_Type_size(&element, gnn->algebra.type);
	if (iso && gnn->result)
		gnn_spread(gnn, element);
	GrB_Matrix_free(&gnn->rows);
	return gnn->result;
}

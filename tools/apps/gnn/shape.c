// SPDX-License-Identifier: MIT
/* Works out the sizes of strips, tiles, rows and of what tasklets take at once. */
#include "tools/apps/gnn/shape.h"

static const struct {
	const char *name;
	enum pidcomm_type type;
	uint32_t width;
} types[GNN_NR_TYPES] = {
	[GNN_I8] = { "I8", PIDCOMM_I8, 1 },
	[GNN_I16] = { "I16", PIDCOMM_I16, 2 },
	[GNN_I32] = { "I32", PIDCOMM_I32, 4 },
	[GNN_F32] = { "F32", PIDCOMM_F32, 4 },
};

const char *gnn_type_name(enum gnn_type type)
{
	return types[type].name;
}

const char *gnn_strategy_name(enum gnn_strategy strategy)
{
	return strategy == GNN_RSAR ? "rsar" : "arag";
}

enum pidcomm_type gnn_pidcomm_type(enum gnn_type type)
{
	return types[type].type;
}

uint32_t gnn_width(enum gnn_type type)
{
	return types[type].width;
}

uint32_t gnn_features(const struct gnn_model *model, unsigned int layer)
{
	return layer ? model->hidden : model->features;
}

static uint32_t at_most(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t at_least(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t round_up_to(uint32_t a, uint32_t unit)
{
	return (a + unit - 1) / unit * unit;
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

/*
 * Bytes of a row that belong to each of p members: a part of 8 bytes or a whole number
 * of times 8, so that rows of one member's part begin at words or divide them, and a
 * whole row is words.
 */
static uint32_t cut_of(uint32_t elements, uint32_t p, uint32_t width)
{
	uint32_t bytes = divide_up(elements, p) * width, cut = at_least(8 / p, width);

	if (bytes >= 8)
		return round_up_to(bytes, 8);
	while (cut < bytes)
		cut *= 2;
	return cut;
}

/* The table of a tile is not to be much larger than its entries. */
static void choose_blocks(struct gnn_shape *shape, uint64_t entries)
{
	shape->block_bits = GNN_MIN_BLOCK_BITS;
	for (;;) {
		uint64_t blocks = divide_up(shape->rows, 1u << shape->block_bits);

		shape->blocks = (uint32_t)blocks;
		if (shape->block_bits == GNN_MAX_BLOCK_BITS ||
		    blocks * blocks <= entries)
			return;
		shape->block_bits++;
	}
}

void gnn_make_shape(struct gnn_shape *shape, const struct gnn_model *model,
		    uint32_t nr_pes, uint64_t entries)
{
	*shape = (struct gnn_shape){ .p = 1, .width = gnn_width(model->type) };
	while (shape->p * shape->p < nr_pes)
		shape->p *= 2;
	shape->rows = round_up_to(divide_up(model->nr_vertices, shape->p),
				  GNN_ROW_UNIT);
	for (unsigned int l = 0; l <= model->nr_layers; l++) {
		shape->cut[l] = cut_of(gnn_features(model, l), shape->p,
				       shape->width);
		shape->columns[l] = shape->p * shape->cut[l] / shape->width;
	}
	choose_blocks(shape, entries);
}

uint32_t gnn_row_bytes(const struct gnn_shape *shape, unsigned int layer)
{
	return shape->p * shape->cut[layer];
}

uint64_t gnn_strip_bytes(const struct gnn_shape *shape, unsigned int layer)
{
	return (uint64_t)shape->rows * gnn_row_bytes(shape, layer);
}

uint64_t gnn_most_strip_bytes(const struct gnn_shape *shape,
			      const struct gnn_model *model)
{
	uint64_t most = 0;

	for (unsigned int l = 0; l <= model->nr_layers; l++) {
		uint64_t bytes = gnn_strip_bytes(shape, l);

		most = bytes > most ? bytes : most;
	}
	return most;
}

uint64_t gnn_part_bytes(const struct gnn_shape *shape, unsigned int layer)
{
	return (uint64_t)shape->rows * shape->cut[layer];
}

struct gnn_spmm_args gnn_spmm_shape(const struct gnn_shape *shape,
				    const struct gnn_model *model,
				    unsigned int layer)
{
	uint32_t row_bytes = gnn_row_bytes(shape, layer), cut = shape->cut[layer];
	struct gnn_spmm_args args = {
		.type = model->type,
		.blocks = shape->blocks,
		.block_bits = shape->block_bits,
		.rows = shape->rows,
		.row_bytes = row_bytes,
		.cut = cut,
		.segment = at_most(row_bytes, GNN_SEGMENT_BYTES),
	};

	/* several whole parts of members, or a piece of one */
	if (row_bytes > GNN_SEGMENT_BYTES && cut <= GNN_SEGMENT_BYTES)
		args.segment = GNN_SEGMENT_BYTES / cut * cut;
	while (args.span_bits < args.block_bits &&
	       args.segment << (args.span_bits + 1) <= GNN_SUMS_BYTES)
		args.span_bits++;
	return args;
}

/* the greatest common divisor of 8 and both */
static uint32_t divisor_of_8(uint32_t a, uint32_t b)
{
	uint32_t bits = 8 | a | b;

	return bits & -bits;
}

struct gnn_gemm_args gnn_gemm_shape(const struct gnn_shape *shape,
				    const struct gnn_model *model,
				    enum gnn_strategy strategy, unsigned int layer)
{
	bool rsar = strategy == GNN_RSAR;
	uint32_t width = shape->width, columns = 8 / width;
	uint32_t x = rsar ? shape->cut[layer] : gnn_row_bytes(shape, layer);
	uint32_t y = rsar ? gnn_row_bytes(shape, layer + 1) : shape->cut[layer + 1];
	/* rows of which both are whole words */
	uint32_t unit = 8 / divisor_of_8(x, y), panels;
	struct gnn_gemm_args args = {
		.type = model->type,
		.rows = shape->rows,
		.nr_inner = x / width,
		.nr_outer = y / width,
	};

	args.inner = at_most(args.nr_inner, GNN_X_BYTES / unit / width);
	panels = at_most(GNN_Y_BYTES / unit / 8,
			 GNN_WEIGHTS_BYTES / 8 / args.inner);
	args.outer = at_most(args.nr_outer, panels * columns);
	args.group = at_most(GNN_X_BYTES / (unit * args.inner * width),
			     GNN_Y_BYTES / (unit * args.outer * width));
	/* no larger than gives every tasklet some */
	args.group = at_most(args.group, divide_up(shape->rows, unit * GNN_TASKLETS));
	args.group *= unit;
	return args;
}

uint64_t gnn_weights_bytes(const struct gnn_gemm_args *args)
{
	uint32_t columns = 8 / gnn_width((enum gnn_type)args->type);
	uint64_t panels = args->nr_outer / args->outer *
			  divide_up(args->outer, columns) +
			  divide_up(args->nr_outer % args->outer, columns);

	return panels * args->nr_inner * 8;
}

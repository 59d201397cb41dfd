/* SPDX-License-Identifier: MIT */
/*
 * Sizes: of the strips that vertices are dealt out to, of rows of features with their
 * padding, of what a PE takes at once.
 */
#ifndef PIMDIMM_APPS_GNN_SHAPE_H
#define PIMDIMM_APPS_GNN_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include <pimdimm/pidcomm.h>
#include <pimdimm/pimdimm_layout.h>

#include "tools/apps/gnn/args.h"

#define GNN_MAX_LAYERS		16
#define GNN_MAX_FEATURES	65536

/* of each, features and sums take 8 bytes and more of MRAM, on all 32 strips' PEs */
#define GNN_MAX_VERTICES	(GNN_MAX_SIDE * (PIMDIMM_MRAM_MAX / 16))

/* axes are at least so long: 8 bytes or less of a row belong to each member */
#define GNN_MIN_SIDE		4

/* What is to be computed, whatever the PEs. */
struct gnn_model {
	enum gnn_type type;
	uint32_t nr_layers;
	uint32_t nr_vertices;
	uint32_t features;	/* that a vertex begins with */
	uint32_t hidden;	/* that each layer gives it */
	bool relu;		/* after each layer */
};

enum gnn_strategy {
	GNN_RSAR,
	GNN_ARAG,
	GNN_NR_STRATEGIES,
};

/* How it lies on p x p PEs. */
struct gnn_shape {
	uint32_t p;
	uint32_t width;		/* bytes of an element */
	uint32_t rows;		/* of a strip, padding included */
	uint32_t block_bits, blocks;	/* of a tile */
	/*
	 * Before layer l, and behind the last one, a vertex has columns[l] elements with
	 * padding: cut[l] bytes for each of p members.
	 */
	uint32_t cut[GNN_MAX_LAYERS + 1], columns[GNN_MAX_LAYERS + 1];
};

const char *gnn_type_name(enum gnn_type type);
const char *gnn_strategy_name(enum gnn_strategy strategy);
enum pidcomm_type gnn_pidcomm_type(enum gnn_type type);
uint32_t gnn_width(enum gnn_type type);

/* the elements that a vertex has before layer l, without padding */
uint32_t gnn_features(const struct gnn_model *model, unsigned int layer);

/*
 * nr_pes is p * p, p a power of two from 4 on; entries are those of the fullest tile, or
 * an estimate, by which blocks get as large as makes the table small beside them.
 */
void gnn_make_shape(struct gnn_shape *shape, const struct gnn_model *model,
		    uint32_t nr_pes, uint64_t entries);

/* bytes of a row of features before layer l, and of a strip of such rows */
uint32_t gnn_row_bytes(const struct gnn_shape *shape, unsigned int layer);
uint64_t gnn_strip_bytes(const struct gnn_shape *shape, unsigned int layer);
/* of the widest */
uint64_t gnn_most_strip_bytes(const struct gnn_shape *shape,
			      const struct gnn_model *model);
/* of a member's part of such a strip */
uint64_t gnn_part_bytes(const struct gnn_shape *shape, unsigned int layer);

/* Sizes for the PEs' programs; what lies where in MRAM is left 0. */
struct gnn_spmm_args gnn_spmm_shape(const struct gnn_shape *shape,
				    const struct gnn_model *model,
				    unsigned int layer);
struct gnn_gemm_args gnn_gemm_shape(const struct gnn_shape *shape,
				    const struct gnn_model *model,
				    enum gnn_strategy strategy, unsigned int layer);

/* bytes of a PE's part of a layer's weights, in blocks */
uint64_t gnn_weights_bytes(const struct gnn_gemm_args *args);

#endif /* PIMDIMM_APPS_GNN_SHAPE_H */

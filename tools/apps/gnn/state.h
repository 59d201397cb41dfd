/* SPDX-License-Identifier: MIT */
/* What a run of gnn knows. */
#ifndef PIMDIMM_APPS_GNN_STATE_H
#define PIMDIMM_APPS_GNN_STATE_H

#include "tools/apps/common/context.h"
#include "tools/apps/gnn/data.h"
#include "tools/apps/gnn/reference.h"
#include "tools/apps/gnn/tiles.h"
#include "tools/apps/gnn/shape.h"

/* Where things lie in each PE's MRAM. */
struct gnn_layout {
	uint64_t tables[2], entries[2];	/* of the tile, and of the one across */
	uint64_t weights[GNN_MAX_LAYERS];
	uint64_t features;	/* a strip of rows */
	uint64_t sums;		/* a strip, in the order that the strategy wants */
	uint64_t part;		/* a member's part of one */
};

struct gnn {
	/* what was asked for */
	struct gnn_model model;
	uint32_t strategies;	/* bit by bit */
	bool type_given, layers_given, features_given, hidden_given;
	const char *features_path, *weights_paths;	/* or NULL */

	/* the input */
	struct gnn_matrix matrix;
	uint32_t *labels;		/* communities that were planted, or NULL */
	uint32_t nr_labels;
	bool hints;			/* features that half of them name their community */
	struct gnn_data data;

	/* on these PEs */
	uint32_t nr_pes;		/* 0: not laid out yet */
	struct gnn_places places;
	struct gnn_shape shape;
	uint64_t most;			/* entries of the fullest tile */
	struct gnn_layout layout;

	void *results[GNN_NR_STRATEGIES];	/* vertices x hidden */
	struct gnn_reference expected;	/* what they should be, once it is made */
};

#endif /* PIMDIMM_APPS_GNN_STATE_H */

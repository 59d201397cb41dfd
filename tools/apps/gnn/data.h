/* SPDX-License-Identifier: MIT */
/* Features and weights: made from a seed, and as PEs want them. */
#ifndef PIMDIMM_APPS_GNN_DATA_H
#define PIMDIMM_APPS_GNN_DATA_H

#include <stdint.h>

#include "tools/apps/gnn/tiles.h"
#include "tools/apps/gnn/shape.h"

/* Row by row, without padding, elements of the model's type. */
struct gnn_data {
	void *features;				/* vertices x features */
	void *weights[GNN_MAX_LAYERS];		/* features x hidden, hidden x hidden ... */
};

/*
 * `rows` x `columns` elements that depend on seed and stream alone: integers from -8 to
 * 7, floats between -s and s, where s * s is 1 / rows for weights and 1 for features.
 * NULL: no memory.
 */
void *gnn_make_features(const struct gnn_model *model, uint64_t seed,
			unsigned int threads);
void *gnn_make_weights(const struct gnn_model *model, unsigned int layer,
		       uint64_t seed, unsigned int threads);
void gnn_free_data(struct gnn_data *data);

/* Features in all strips' rows, in a buffer of p strips before layer 0. */
void gnn_place_features(const struct gnn_data *data, const struct gnn_model *model,
			const struct gnn_shape *shape,
			const struct gnn_places *places, uint8_t *strips);

/*
 * The parts of a layer's weights of all p members, gnn_weights_bytes() each: rsar cuts
 * between rows, arag between columns.
 */
void gnn_place_weights(const struct gnn_data *data, const struct gnn_model *model,
		       const struct gnn_shape *shape, enum gnn_strategy strategy,
		       unsigned int layer, uint8_t *parts);

#endif /* PIMDIMM_APPS_GNN_DATA_H */

/* SPDX-License-Identifier: MIT */
/*
 * The recommendation model: embedding tables, bottom layers for dense numbers, the dot
 * products of all pairs of vectors, top layers. Weights are functions of the seed.
 */
#ifndef PIMDIMM_APPS_DLRM_MODEL_H
#define PIMDIMM_APPS_DLRM_MODEL_H

#include <stdint.h>

#include "tools/apps/dlrm/args.h"

/* rows of the tables of Criteo's Kaggle data set */
extern const uint32_t dlrm_kaggle_rows[DLRM_MAX_TABLES];

struct dlrm_layer {
	uint32_t inputs, outputs;
	uint64_t at;		/* of its rows in the model's weights, in bytes */
	uint32_t row_bytes;	/* bias and weights of an output, a multiple of 8 */
};

struct dlrm_model {
	enum dlrm_type type;
	uint64_t seed;
	uint32_t dim;		/* of a table's rows */
	uint32_t tables;
	uint32_t rows[DLRM_MAX_TABLES];
	uint32_t bottom, top;	/* numbers of layers */
	struct dlrm_layer layers[2 * DLRM_MAX_LAYERS];	/* bottom ones first */
	uint64_t weight_bytes;
	uint8_t *weights;	/* of the layers, row after row */
};

/* Sets rows, no table with more than `most`. */
void dlrm_set_tables(struct dlrm_model *model, uint32_t most);

/*
 * Sets the layers by their outputs: the bottom ones behind DLRM_DENSE inputs, and one
 * more to dim; the top ones behind the pairs, and one more to the score.
 */
void dlrm_set_layers(struct dlrm_model *model, const uint32_t *bottom,
		     unsigned int nr_bottom, const uint32_t *top,
		     unsigned int nr_top);

/* Makes the layers' weights; 0, or -ENOMEM. free() model->weights. */
int dlrm_make_weights(struct dlrm_model *model);

/* Columns of a row of a table: `count` words from column `first` on. */
void dlrm_embedding(const struct dlrm_model *model, uint32_t table, uint32_t row,
		    uint32_t first, uint32_t count, void *to);

/* inputs of the top layers: dim and the pairs among all vectors */
uint32_t dlrm_interactions(const struct dlrm_model *model);

/* bytes of all tables */
uint64_t dlrm_table_bytes(const struct dlrm_model *model);

#endif /* PIMDIMM_APPS_DLRM_MODEL_H */

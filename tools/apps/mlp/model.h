/* SPDX-License-Identifier: MIT */
/* A perceptron of several layers, and what it is asked about: the input of mlp. */
#ifndef PIMDIMM_APPS_MLP_MODEL_H
#define PIMDIMM_APPS_MLP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pimdimm/pidcomm.h>

#include "tools/apps/mlp/args.h"

#define MLP_MAX_LAYERS	16
#define MLP_MAX_WIDTH	(1u << 20)
#define MLP_MAX_BATCH	(1u << 20)

/* what a type is made of */
struct mlp_traits {
	const char *name;
	uint32_t element_bytes;	/* of weights and features */
	uint32_t sum_bytes;	/* of what the reduction adds, and of scores */
	enum pidcomm_type sum;
};

extern const struct mlp_traits mlp_traits[MLP_NR_TYPES];

struct mlp_layer {
	uint32_t inputs, outputs;
	const void *weights;	/* a row for each output; NULL: the seed's */
	uint32_t shift;		/* MLP_I8_I32: sums are divided by 2^shift; 0 to 31 */
};

struct mlp_model {
	enum mlp_type type;
	uint64_t seed;
	unsigned int nr_layers;
	struct mlp_layer layers[MLP_MAX_LAYERS];
	bool relu;		/* between layers */
	bool last_relu;		/* behind the last one */
	uint32_t batch;
	const void *features;	/* [batch][inputs of layer 0] */
};

/* Rows of a layer's weights, from `first` on, given or made of the seed. */
void mlp_weights(const struct mlp_model *model, unsigned int layer, uint32_t first,
		 uint32_t rows, void *to);

/* Features of the seed, for the whole batch. */
void mlp_make_features(const struct mlp_model *model, unsigned int threads,
		       void *features);

/* A shift that keeps bytes of random weights and inputs in range. */
uint32_t mlp_shift_for(uint32_t inputs);

/* outputs of the last layer: scores of a sample */
uint32_t mlp_outputs(const struct mlp_model *model);

#endif /* PIMDIMM_APPS_MLP_MODEL_H */

/* SPDX-License-Identifier: MIT */
/* Fits a perceptron to labelled images on the host: stochastic gradient descent. */
#ifndef PIMDIMM_APPS_MLP_TRAIN_H
#define PIMDIMM_APPS_MLP_TRAIN_H

#include <stdint.h>

#define MLP_FIT_LAYERS	3
#define MLP_CLASSES	10
#define MLP_FIT_BATCH	96	/* images of a step, a multiple of 4 */

struct mlp_images {
	uint32_t count, pixels;	/* of an image */
	float *values;		/* [count][pixels], from 0 to 1 */
	uint8_t *labels;	/* below MLP_CLASSES */
};

/*
 * Reads NAME-images-idx3-ubyte and NAME-labels-idx1-ubyte of a folder, .gz behind them
 * where they are compressed. TOOL_OK, or TOOL_FAILED after a message;
 * mlp_images_free() whatever it returns.
 */
int mlp_images_load(const char *folder, const char *name, struct mlp_images *images);
void mlp_images_free(struct mlp_images *images);

struct mlp_fit {
	uint32_t widths[MLP_FIT_LAYERS + 1];	/* inputs, outputs of each layer */
	float *weights[MLP_FIT_LAYERS];		/* a row an output; there is no bias */
	float largest[MLP_FIT_LAYERS];		/* output behind a layer, nearly */
};

/*
 * Fits weights to MLP_FIT_BATCH images at least. The same seed gives the same weights, whatever the threads. 0, or
 * -ENOMEM; mlp_fit_free() whatever it returns.
 */
int mlp_fit_images(const struct mlp_images *images, uint32_t epochs, uint64_t seed,
		   unsigned int threads, struct mlp_fit *fit);
void mlp_fit_free(struct mlp_fit *fit);

#endif /* PIMDIMM_APPS_MLP_TRAIN_H */

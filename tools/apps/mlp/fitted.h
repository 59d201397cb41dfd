/* SPDX-License-Identifier: MIT */
/* Models that were fitted to images: in f32, and in bytes. */
#ifndef PIMDIMM_APPS_MLP_FITTED_H
#define PIMDIMM_APPS_MLP_FITTED_H

#include "tools/apps/mlp/model.h"
#include "tools/apps/mlp/train.h"

/*
 * Sets the model to what was fitted, of type MLP_F32 or MLP_I8_I32, and its batch to the
 * first `count` images. Bytes are scaled by powers of two, so that a shift takes a layer's
 * sums to the next one's inputs. Returns 0, or -ENOMEM; mlp_fitted_free() whatever it
 * returns. A model of f32 is as long as what it was made of.
 */
int mlp_fitted_make(const struct mlp_fit *fit, const struct mlp_images *images,
		    uint32_t count, enum mlp_type type, struct mlp_model *model);
void mlp_fitted_free(struct mlp_model *model);

/* The share of samples whose label has the highest score. */
double mlp_fitted_accuracy(const struct mlp_model *model, const void *scores,
			   const uint8_t *labels);

#endif /* PIMDIMM_APPS_MLP_FITTED_H */

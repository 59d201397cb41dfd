/* SPDX-License-Identifier: MIT */
/* The model that mlp is asked for, out of options, files and the seed. */
#ifndef PIMDIMM_APPS_MLP_INPUT_H
#define PIMDIMM_APPS_MLP_INPUT_H

#include "tools/apps/mlp/run.h"
#include "tools/apps/mlp/train.h"

/* f32, and the same in bytes */
#define MLP_MAX_NETS 2

/* ctx->state */
struct mlp {
	/* what was asked for */
	uint32_t features, layers, batch;
	enum mlp_type type;
	bool type_given;
	bool train;		/* fit models to images, and ask them about others */
	uint32_t epochs;
	bool in_turn;		/* layers are loaded one after another in any case */
	bool linear;		/* no activation */
	bool shift_given;
	uint32_t shift;		/* if so, of all layers */
	const char *weights;	/* files, with commas between */

	/* one, or two of --train without a type */
	struct mlp_net nets[MLP_MAX_NETS];
	unsigned int nr_nets;
	struct mlp_fit fit;
	struct mlp_images images;	/* that the fitted models are asked about */
	void *owned[MLP_MAX_LAYERS + 1];	/* weights and features in memory */
	unsigned int nr_owned;
};

/* Sets the nets' models. TOOL_OK, or TOOL_FAILED or TOOL_USAGE after a message. */
int mlp_read_input(struct app_context *ctx, struct mlp *mlp);
/* Frees what the models are made of. */
void mlp_free_input(struct mlp *mlp);

#endif /* PIMDIMM_APPS_MLP_INPUT_H */

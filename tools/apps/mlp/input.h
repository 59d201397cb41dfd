/* SPDX-License-Identifier: MIT */
/* The model that mlp is asked for, out of options, files and the seed. */
#ifndef PIMDIMM_APPS_MLP_INPUT_H
#define PIMDIMM_APPS_MLP_INPUT_H

#include "tools/apps/mlp/run.h"

/* ctx->state */
struct mlp {
	/* what was asked for */
	uint32_t features, layers, batch;
	enum mlp_type type;
	bool in_turn;		/* layers are loaded one after another in any case */
	bool linear;		/* no activation */
	bool shift_given;
	uint32_t shift;		/* if so, of all layers */
	const char *weights;	/* files, with commas between */

	struct mlp_net net;
	void *owned[MLP_MAX_LAYERS + 1];	/* weights and features in memory */
	unsigned int nr_owned;
};

/* Sets mlp->net.model. TOOL_OK, or TOOL_FAILED or TOOL_USAGE after a message. */
int mlp_read_input(struct app_context *ctx, struct mlp *mlp);

#endif /* PIMDIMM_APPS_MLP_INPUT_H */

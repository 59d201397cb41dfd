/* SPDX-License-Identifier: MIT */
/* Brings a model to PEs and samples through it. */
#ifndef PIMDIMM_APPS_MLP_RUN_H
#define PIMDIMM_APPS_MLP_RUN_H

#include "tools/apps/common/context.h"
#include "tools/apps/mlp/layout.h"
#include "tools/apps/mlp/model.h"

/* One model, and what PEs make of it. */
struct mlp_net {
	struct mlp_model model;
	struct mlp_layout layout;
	void *scores;		/* [batch][outputs] of the type's sums */
};

/* Both return TOOL_OK, or TOOL_FAILED after a message. */

/* The weights, where all layers' fit together; else they come with each layer. */
int mlp_load_net(struct app_context *ctx, const struct mlp_net *net);
/* All samples through all layers: net->scores, which the caller has. */
int mlp_run_net(struct app_context *ctx, struct mlp_net *net);

#endif /* PIMDIMM_APPS_MLP_RUN_H */

/* SPDX-License-Identifier: MIT */
/* Lays the input out over PEs, and loads what stays there. */
#ifndef PIMDIMM_APPS_GNN_LAY_H
#define PIMDIMM_APPS_GNN_LAY_H

#include "tools/apps/gnn/state.h"

/* As the application's plan(). */
int gnn_plan(struct app_context *ctx, struct app_plan *plan);

/* The tiles of all PEs into their MRAM. */
int gnn_load_tiles(struct app_context *ctx);
/* Each PE's part of all layers' weights, as a strategy cuts them. */
int gnn_load_weights(struct app_context *ctx, enum gnn_strategy strategy);

/* The axes along which a layer communicates: "10" and "01" in turn. */
const char *gnn_axes(unsigned int layer);

#endif /* PIMDIMM_APPS_GNN_LAY_H */

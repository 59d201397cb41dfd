/* SPDX-License-Identifier: MIT */
/* The graph, features and weights of a run: from files, or generated. */
#ifndef PIMDIMM_APPS_GNN_INPUT_H
#define PIMDIMM_APPS_GNN_INPUT_H

#include "tools/apps/gnn/state.h"

/* As the application's load(). */
int gnn_load(struct app_context *ctx);

/*
 * The share of vertices, from 0 to 1, whose greatest feature of a result is that of the
 * community that was planted.
 */
double gnn_recovered(const struct gnn *gnn, const void *result);

#endif /* PIMDIMM_APPS_GNN_INPUT_H */

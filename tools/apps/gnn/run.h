/* SPDX-License-Identifier: MIT */
/* The layers on PEs, by either strategy. */
#ifndef PIMDIMM_APPS_GNN_RUN_H
#define PIMDIMM_APPS_GNN_RUN_H

#include "tools/apps/gnn/state.h"

/* As the application's run(): all strategies asked for, each into its result. */
int gnn_run(struct app_context *ctx);

#endif /* PIMDIMM_APPS_GNN_RUN_H */

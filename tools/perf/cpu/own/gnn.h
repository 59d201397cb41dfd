/* SPDX-License-Identifier: MIT */
/* Layers of a graph neural network: sums over neighbours, times weights. */
#ifndef PIMDIMM_PERF_CPU_OWN_GNN_H
#define PIMDIMM_PERF_CPU_OWN_GNN_H

#include "tools/perf/cpu/own/loops.h"
#include "tools/perf/cpu/own/multiplier.h"
#include "tools/perf/cpu/own/team.h"

struct own_gnn;

/* With a library's products, or NULL for our own. NULL: no memory. */
struct own_gnn *own_gnn_make(const struct cpu_gnn *in, struct team *team,
			     const struct own_loops *loops,
			     const struct multiplier *multiplier);
void own_gnn_free(struct own_gnn *gnn);
/* 0, or what a library fails with */
int own_gnn_run(struct own_gnn *gnn);
/* [vertices][outputs of the last layer], elements */
const void *own_gnn_result(const struct own_gnn *gnn);

#endif /* PIMDIMM_PERF_CPU_OWN_GNN_H */

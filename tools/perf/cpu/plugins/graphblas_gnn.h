/* SPDX-License-Identifier: MIT */
/* Layers of a graph neural network. */
#ifndef PIMDIMM_PERF_CPU_GRAPHBLAS_GNN_H
#define PIMDIMM_PERF_CPU_GRAPHBLAS_GNN_H

#include "tools/perf/cpu/own/plugin.h"

/* as struct cpu_work has them */
void *graphblas_gnn_prepare(const void *input, const struct cpu_hands *hands);
int graphblas_gnn_run(void *arg);
const void *graphblas_gnn_result(void *arg);
void graphblas_gnn_release(void *arg);

#endif /* PIMDIMM_PERF_CPU_GRAPHBLAS_GNN_H */

/* SPDX-License-Identifier: MIT */
/* Breadth-first search, on a struct graphblas_graph. */
#ifndef PIMDIMM_PERF_CPU_GRAPHBLAS_SEARCH_H
#define PIMDIMM_PERF_CPU_GRAPHBLAS_SEARCH_H

#include "tools/perf/cpu/own/plugin.h"

/* as struct cpu_work has them */
int graphblas_search_run(void *arg);
const void *graphblas_search_result(void *arg);

#endif /* PIMDIMM_PERF_CPU_GRAPHBLAS_SEARCH_H */

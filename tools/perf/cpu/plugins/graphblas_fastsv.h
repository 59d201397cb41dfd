/* SPDX-License-Identifier: MIT */
/* Connected components, on a struct graphblas_graph. */
#ifndef PIMDIMM_PERF_CPU_GRAPHBLAS_FASTSV_H
#define PIMDIMM_PERF_CPU_GRAPHBLAS_FASTSV_H

#include "tools/perf/cpu/own/plugin.h"

/* as struct cpu_work has them */
int graphblas_fastsv_run(void *arg);
const void *graphblas_fastsv_result(void *arg);

#endif /* PIMDIMM_PERF_CPU_GRAPHBLAS_FASTSV_H */

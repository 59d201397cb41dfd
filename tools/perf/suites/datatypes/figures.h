/* SPDX-License-Identifier: MIT */
/* Figures of DDTBench's kernels and of the FALCON-X paper. */
#ifndef PIMDIMM_PERF_DATATYPES_FIGURES_H
#define PIMDIMM_PERF_DATATYPES_FIGURES_H

#include "tools/perf/suites/suite.h"

/* Those that something was measured for. */
void ddt_figures_draw(struct perf_suite *suite);

#endif /* PIMDIMM_PERF_DATATYPES_FIGURES_H */

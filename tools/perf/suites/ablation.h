/* SPDX-License-Identifier: MIT */
/* Figures of the ablation that other suites show, too. */
#ifndef PIMDIMM_PERF_ABLATION_H
#define PIMDIMM_PERF_ABLATION_H

#include "tools/perf/figure.h"
#include "tools/perf/suites/suite.h"

/* Measures each step of optimisation over the baseline. */
void perf_figure_16(struct perf_suite *suite, struct perf_figure *figure);
/* Adds gains of each step over the one before, which perf_figure_16() has measured. */
void perf_figure_16c(struct perf_suite *suite, struct perf_figure *figure);

#endif /* PIMDIMM_PERF_ABLATION_H */

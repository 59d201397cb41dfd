/* SPDX-License-Identifier: MIT */
/* Figures of the ablation that other suites show, too. */
#ifndef PIMDIMM_PERF_ABLATION_H
#define PIMDIMM_PERF_ABLATION_H

#include "tools/perf/figure.h"
#include "tools/perf/suites/suite.h"

/* each step of optimisation over the baseline */
void perf_figure_16(struct perf_suite *suite, struct perf_figure *figure);
/* from what perf_figure_16() measured before */
void perf_figure_16c(struct perf_suite *suite, struct perf_figure *figure);

#endif /* PIMDIMM_PERF_ABLATION_H */

/* SPDX-License-Identifier: MIT */
/* Figures of the suite's rows and of what else it has counted. */
#ifndef PIMDIMM_PERF_MESSAGES_FIGURES_H
#define PIMDIMM_PERF_MESSAGES_FIGURES_H

#include "tools/perf/suites/suite.h"

void messages_figures_draw(struct perf_suite *suite);

#endif /* PIMDIMM_PERF_MESSAGES_FIGURES_H */

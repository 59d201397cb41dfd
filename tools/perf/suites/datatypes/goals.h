/* SPDX-License-Identifier: MIT */
/* What typed calls and messages must reach, and whether they do. */
#ifndef PIMDIMM_PERF_DATATYPES_GOALS_H
#define PIMDIMM_PERF_DATATYPES_GOALS_H

#include "tools/perf/suites/suite.h"

void ddt_goals_print(struct perf_suite *suite);

#endif /* PIMDIMM_PERF_DATATYPES_GOALS_H */

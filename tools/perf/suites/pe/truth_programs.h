/* SPDX-License-Identifier: MIT */
/* PrIM's programs in the cost model's time, beside times of hardware. */
#ifndef PIMDIMM_PERF_TRUTH_PROGRAMS_H
#define PIMDIMM_PERF_TRUTH_PROGRAMS_H

#include "tools/perf/suites/pe/truth_table.h"

/* Measure a row of each of the hardware's times; programs lie in folder, or it is NULL. */
int truth_measure_programs(struct perf_suite *suite, const char *folder,
			   struct perf_figure *figure);

#endif /* PIMDIMM_PERF_TRUTH_PROGRAMS_H */

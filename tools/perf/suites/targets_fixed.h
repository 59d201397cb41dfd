/* SPDX-License-Identifier: MIT */
/* Targets of small calls, of memory, and of counters. */
#ifndef PIMDIMM_PERF_TARGETS_FIXED_H
#define PIMDIMM_PERF_TARGETS_FIXED_H

#include "tools/perf/suites/targets_table.h"

void perf_targets_fixed_cost(struct perf_targets *t);
void perf_targets_memory(struct perf_targets *t);
void perf_targets_counters(struct perf_targets *t);

#endif /* PIMDIMM_PERF_TARGETS_FIXED_H */

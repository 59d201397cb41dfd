/* SPDX-License-Identifier: MIT */
/* Targets of systems that differ in what the environment sets. */
#ifndef PIMDIMM_PERF_TARGETS_VARIANTS_H
#define PIMDIMM_PERF_TARGETS_VARIANTS_H

#include "tools/perf/suites/targets_table.h"

void perf_targets_threads(struct perf_targets *t);
void perf_targets_tiers(struct perf_targets *t);

#endif /* PIMDIMM_PERF_TARGETS_VARIANTS_H */

/* SPDX-License-Identifier: MIT */
/* Targets of stores through and around the caches. */
#ifndef PIMDIMM_PERF_TARGETS_STORES_H
#define PIMDIMM_PERF_TARGETS_STORES_H

#include "tools/perf/suites/targets_table.h"

void perf_targets_stores(struct perf_targets *t);

#endif /* PIMDIMM_PERF_TARGETS_STORES_H */

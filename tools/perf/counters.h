/* SPDX-License-Identifier: MIT */
/* What a call must count, by its definition. */
#ifndef PIMDIMM_PERF_COUNTERS_H
#define PIMDIMM_PERF_COUNTERS_H

#include <stdbool.h>

#include "tools/perf/rig.h"

/*
 * Did the last call, by auto or any of the table, count what its definition
 * says? With more than one member a group.
 */
bool perf_counters_agree(const struct perf_setup *setup, const char *name);

#endif /* PIMDIMM_PERF_COUNTERS_H */

/* SPDX-License-Identifier: MIT */
/* Targets of hypercubes over processes, beside those of one process with as many threads. */
#ifndef PIMDIMM_PERF_HOSTS_CUBES_H
#define PIMDIMM_PERF_HOSTS_CUBES_H

#include "tools/perf/suites/targets_table.h"

void hosts_cubes_targets(struct perf_targets *t);

#endif /* PIMDIMM_PERF_HOSTS_CUBES_H */

/* SPDX-License-Identifier: MIT */
/* A case as a call of the library, by any algorithm of its table. */
#ifndef PIMDIMM_PERF_LIBRARY_H
#define PIMDIMM_PERF_LIBRARY_H

#include "tools/perf/measure.h"

extern const struct perf_method perf_library;

/* By the algorithm that is set; 0 or the library's -errno. */
int perf_run_library(struct perf_setup *setup, const char *name);

#endif /* PIMDIMM_PERF_LIBRARY_H */

/* SPDX-License-Identifier: MIT */
/* Sets of measurements with a purpose. */
#ifndef PIMDIMM_PERF_SUITE_H
#define PIMDIMM_PERF_SUITE_H

#include "perf_args.h"

/* args->suite by name */
int perf_suite(const struct command *self, const struct perf_args *args);
int perf_suite_paper(const struct command *self, const struct perf_args *args);
int perf_suite_targets(const struct command *self,
		       const struct perf_args *args);

#endif /* PIMDIMM_PERF_SUITE_H */

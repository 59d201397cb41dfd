/* SPDX-License-Identifier: MIT */
/* The roofline of a case, by two ways to store; the faster one counts. */
#ifndef PIMDIMM_PERF_ROOFLINE_H
#define PIMDIMM_PERF_ROOFLINE_H

#include "tools/perf/measure.h"

/* the runners of both ways */
void perf_roofline_runners(struct perf_setup *setup, struct perf_runner r[2]);
/* nanoseconds of the faster one, once they are measured */
double perf_roofline_ns(const struct perf_runner r[2]);

#endif /* PIMDIMM_PERF_ROOFLINE_H */

/* SPDX-License-Identifier: MIT */
/* Algorithms on a case, and what they are compared with. */
#ifndef PIMDIMM_PERF_COMPARE_H
#define PIMDIMM_PERF_COMPARE_H

#include "tools/perf/measure.h"
#include "tools/perf/report.h"

/*
 * Measure these algorithms beside the roofline and `conventional`: a row each.
 * 0, or TOOL_FAILED after a message.
 */
int perf_measure_case(struct perf_rig *rig, const struct perf_case *c,
		      const struct perf_how *how, const char *const names[],
		      unsigned int count, struct perf_row *rows);

#endif /* PIMDIMM_PERF_COMPARE_H */

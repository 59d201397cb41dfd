/* SPDX-License-Identifier: MIT */
/* Microbenchmarks of the cost model beside figures that were published of hardware. */
#ifndef PIMDIMM_PERF_TRUTH_MICRO_H
#define PIMDIMM_PERF_TRUTH_MICRO_H

#include "tools/perf/suites/pe/truth_table.h"

/* A rig of one PE, which all of them run on. */
#define TRUTH_OPERAND (1u << 20)

/* Measure, check, print: 0, or TOOL_FAILED after a message. */
int truth_measure_arithmetic(struct pe_rig *rig, struct perf_figure *figure);
int truth_measure_streams(struct pe_rig *rig, struct perf_figure *figure);
int truth_measure_mram(struct pe_rig *rig, struct perf_figure *figure);

#endif /* PIMDIMM_PERF_TRUTH_MICRO_H */

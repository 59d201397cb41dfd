/* SPDX-License-Identifier: MIT */
/* Two reports of the benchmark beside each other: what became faster, what slower. */
#ifndef PIMDIMM_PERF_VERSUS_H
#define PIMDIMM_PERF_VERSUS_H

#include "tools/perf/report.h"

/*
 * Reads reports that were written as JSON, and prints a line for each row that both
 * have: their times, the second's by the first's, the interval that this ratio lies in,
 * and what follows from it. 0; TOOL_FAILED when something is slower; TOOL_USAGE after a
 * message when files cannot be compared.
 */
int perf_versus(const char *before, const char *after, enum perf_format format,
		const char *output);

#endif /* PIMDIMM_PERF_VERSUS_H */

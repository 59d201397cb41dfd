/* SPDX-License-Identifier: MIT */
/* Rows of `--suite apps`: a program by an algorithm, or why it was left out. */
#ifndef PIMDIMM_PERF_APPS_REPORT_H
#define PIMDIMM_PERF_APPS_REPORT_H

#include "tools/perf/suites/apps/apps_programs.h"
#include "tools/perf/suites/apps/apps_result.h"
#include "tools/perf/suites/suite.h"

/* The header, of the first system that there is; nothing later. */
void apps_report_header(struct perf_suite *suite, struct pimdimm *sys);
/* a row for each algorithm, or one for what was left out */
void apps_report_rows(struct perf_suite *suite, enum apps_program program,
		      const struct apps_result *result);
/* on a terminal, what is being measured */
void apps_report_progress(const struct perf_suite *suite,
			  const struct apps_result *result,
			  enum apps_algorithm algorithm);

#endif /* PIMDIMM_PERF_APPS_REPORT_H */

/* SPDX-License-Identifier: MIT */
/* Runs an application by several algorithms in turn, and keeps the medians. */
#ifndef PIMDIMM_PERF_APPS_RUN_H
#define PIMDIMM_PERF_APPS_RUN_H

#include "tools/perf/suites/apps/apps_result.h"
#include "tools/perf/suites/suite.h"

struct app;

/*
 * Runs result->line on result->pes by the algorithms that result->by has. What does not
 * fit is no failure: result->left_out says why. 0, or TOOL_FAILED after a message.
 */
int apps_run(struct perf_suite *suite, const struct app *app,
	     struct apps_result *result);

#endif /* PIMDIMM_PERF_APPS_RUN_H */

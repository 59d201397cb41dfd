/* SPDX-License-Identifier: MIT */
/* The same work on the CPU, in the same run: on as many threads, from memory, checked. */
#ifndef PIMDIMM_PERF_APPS_CPU_H
#define PIMDIMM_PERF_APPS_CPU_H

#include "tools/perf/suites/apps/apps_result.h"
#include "tools/perf/suites/suite.h"

struct app_context;

/*
 * Has each opponent of an application that has been loaded do its work, as many times as
 * algorithms did. Who is missing, or for whom there is no memory, is left out, which is no
 * failure. 0, or TOOL_FAILED after a message.
 */
int apps_cpu_run(struct perf_suite *suite, const struct app_context *ctx,
		 struct apps_result *result);

#endif /* PIMDIMM_PERF_APPS_CPU_H */

/* SPDX-License-Identifier: MIT */
/* All figures of all suites in one folder, and a page of them. */
#ifndef PIMDIMM_PERF_REPRODUCE_H
#define PIMDIMM_PERF_REPRODUCE_H

#include "tools/perf/suites/suite.h"

/*
 * Runs each suite that draws, with args' sizes and shapes where they are not its own,
 * and writes DIR/SUITE.json, DIR/SUITE/ and DIR/index.html. A suite that fails is told
 * on the page, and does not keep the others from running. The worst exit status.
 */
int perf_reproduce(const struct perf_suite_kind *const kinds[], size_t count,
		   const struct command *self, const struct perf_args *args);

#endif /* PIMDIMM_PERF_REPRODUCE_H */

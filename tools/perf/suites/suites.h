/* SPDX-License-Identifier: MIT */
/* The suites that there are. */
#ifndef PIMDIMM_PERF_SUITES_H
#define PIMDIMM_PERF_SUITES_H

#include "tools/perf/suites/suite.h"

/* The suites, in the order of `pimdimm perf --help`. */
#define PERF_SUITES(X) X(paper) X(ablation) X(pe) X(targets) X(dev) X(truth) X(apps) \
	X(messages) X(datatypes) X(hosts) X(hosts_targets)

#define PERF_SUITE_DECLARE(name) \
	extern const struct perf_suite_kind perf_suite_##name;
PERF_SUITES(PERF_SUITE_DECLARE)

#endif /* PIMDIMM_PERF_SUITES_H */

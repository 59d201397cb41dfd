/* SPDX-License-Identifier: MIT */
/* Rows of `--suite dev`. */
#ifndef PIMDIMM_PERF_DEV_REPORT_H
#define PIMDIMM_PERF_DEV_REPORT_H

#include "tools/perf/suites/suite.h"

/* one measurement: medians, of calls that took turns */
struct dev_row {
	const char *name;
	const char *against;
	uint32_t nr_pes;
	uint64_t bytes;			/* of a PE, on the larger side */
	double ns, against_ns;
	uint64_t wrong;
};

void dev_report_begin(struct perf_suite *suite, const struct perf_rig *rig);
void dev_report_row(struct perf_suite *suite, const struct dev_row *row);
double dev_ratio(const struct dev_row *row);

#endif /* PIMDIMM_PERF_DEV_REPORT_H */

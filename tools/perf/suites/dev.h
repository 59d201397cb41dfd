/* SPDX-License-Identifier: MIT */
/* `--suite dev`: the speed of the module's ranks; what its parts share. */
#ifndef PIMDIMM_PERF_DEV_H
#define PIMDIMM_PERF_DEV_H

#include "tools/perf/suites/targets.h"

struct dev_suite {
	struct perf_targets targets;
	const char *layout;	/* of the nodes */
	uint64_t mram;		/* theirs */
	uint32_t nr_pes;	/* a power of two of them */
};

/* one measurement: medians, of calls that took turns */
struct dev_row {
	const char *name;
	const char *against;
	uint32_t nr_pes;
	uint64_t bytes;			/* of a PE, on the larger side */
	double ns, against_ns;
	uint64_t wrong;
};

/* dev_xfer.c */
void dev_measure_transfers(struct dev_suite *s);

/* dev.c: how the suite's measurements go on; 0 ends them */
uint64_t dev_first_size(const struct dev_suite *s);
uint64_t dev_next_size(const struct dev_suite *s, uint64_t bytes);
/*
 * Measure two runners in turn: the first must reach `goal` of the other's speed.
 * Neither where the suite has failed before.
 */
void dev_measure(struct dev_suite *s, struct perf_runner r[2],
		 const char *name, const char *against, double goal);

/* dev_report.c */
void dev_report_begin(struct perf_suite *suite, const struct perf_rig *rig);
void dev_report_row(struct perf_suite *suite, const struct dev_row *row);
double dev_ratio(const struct dev_row *row);

#endif /* PIMDIMM_PERF_DEV_H */

/* SPDX-License-Identifier: MIT */
/* The suite `dev`: its sizes, and two runners measured in turn. */
#ifndef PIMDIMM_PERF_DEV_MEASURE_H
#define PIMDIMM_PERF_DEV_MEASURE_H

#include "tools/perf/measure.h"
#include "tools/perf/suites/targets_table.h"

struct dev_suite {
	struct perf_targets targets;
	const char *layout;	/* of the nodes */
	uint64_t mram;		/* theirs */
	uint32_t nr_pes;	/* a power of two of them */
};

/* the sizes that are measured; 0 ends them */
uint64_t dev_first_size(const struct dev_suite *s);
uint64_t dev_next_size(const struct dev_suite *s, uint64_t bytes);
/*
 * Measure two runners in turn: the first must reach `goal` of the other's speed.
 * Neither where the suite has failed before.
 */
void dev_measure(struct dev_suite *s, struct perf_runner r[2],
		 const char *name, const char *against, double goal);

#endif /* PIMDIMM_PERF_DEV_MEASURE_H */

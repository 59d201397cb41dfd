/* SPDX-License-Identifier: MIT */
/* What must be reached, and what was measured: a table that a suite fills. */
#ifndef PIMDIMM_PERF_TARGETS_TABLE_H
#define PIMDIMM_PERF_TARGETS_TABLE_H

#include "tools/perf/suites/suite.h"

struct perf_target {
	char name[96];
	double goal, figure;
	bool at_most;		/* the figure must not exceed the goal */
	bool measured;
	double at_roofline;	/* the figure of a call as fast as that; or 0 */
};

struct perf_targets {
	struct perf_suite *suite;
	struct perf_target list[96];
	unsigned int count;
};

__attribute__((format(printf, 4, 5)))
void perf_target_add(struct perf_targets *t, double goal, double figure,
		     const char *name, ...);
/* the last one added: less is better */
void perf_target_at_most(struct perf_targets *t);
/* the last one added: what it would be if direct ran at the roofline */
void perf_target_at_roofline(struct perf_targets *t, double figure);
void perf_targets_print(struct perf_targets *t);

#endif /* PIMDIMM_PERF_TARGETS_TABLE_H */

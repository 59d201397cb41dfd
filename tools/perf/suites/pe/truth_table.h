/* SPDX-License-Identifier: MIT */
/* Rows of `--suite truth`: what hardware takes, and what the cost model says. */
#ifndef PIMDIMM_PERF_TRUTH_TABLE_H
#define PIMDIMM_PERF_TRUTH_TABLE_H

#include "tools/perf/figure.h"
#include "tools/perf/suites/pe/pe_rig.h"

enum truth_group {
	TRUTH_ARITHMETIC,
	TRUTH_STREAMS,
	TRUTH_MRAM,
	TRUTH_PROGRAMS,
	TRUTH_GROUPS,
};

struct truth_row {
	enum truth_group group;
	const char *name;
	const char *source, *unit;
	double hardware;
	double modelled;	/* NAN: not measured */
	bool calibrated;	/* a constant was chosen for it */
	uint64_t wrong;		/* elements that the program computed wrongly */
};

void truth_table_begin(struct perf_suite *suite, struct pe_rig *rig);
/* Print it, and add it to the sums and to a figure. */
void truth_table_add(struct perf_suite *suite, const struct truth_row *row,
		     struct perf_figure *figure, const char *series);
/* Mean and worst error of each group, and whether targets are met. */
void truth_table_end(struct perf_suite *suite);

#endif /* PIMDIMM_PERF_TRUTH_TABLE_H */

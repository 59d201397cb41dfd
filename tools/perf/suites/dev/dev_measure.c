// SPDX-License-Identifier: MIT
/* Two ways to the same, measured in turn: a row, and a target. */
#include "tools/perf/suites/dev/dev_measure.h"
#include "tools/perf/suites/dev/dev_report.h"
#include "tools/tool.h"

/* Each size is so many times the one before. */
#define FACTOR 4

uint64_t dev_first_size(const struct dev_suite *s)
{
	return s->targets.suite->args->begin;
}

uint64_t dev_next_size(const struct dev_suite *s, uint64_t bytes)
{
	bytes *= FACTOR;
	return bytes <= s->targets.suite->args->end ? bytes : 0;
}

void dev_measure(struct dev_suite *s, struct perf_runner r[2],
		 const char *name, const char *against, double goal)
{
	struct perf_suite *suite = s->targets.suite;
	const struct perf_setup *setup = r[0].setup;
	struct dev_row row = {
		.name = name,
		.against = against,
		.nr_pes = setup->rig->nr_pes,
		.bytes = setup->c->bytes,
	};

	if (suite->status)
		return;
	perf_report_progress(&suite->report, setup->c);
	suite->status = perf_measure(r, 2, &suite->how);
	if (suite->status)
		return;
	row.ns = r[0].median;
	row.against_ns = r[1].median;
	row.wrong = r[0].wrong + r[1].wrong;
	dev_report_row(suite, &row);
	perf_target_add(&s->targets, goal, dev_ratio(&row),
			"%s, %s, %s: speed by that of %s", s->layout, name,
			tool_size(row.bytes), against);
}

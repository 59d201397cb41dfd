/* SPDX-License-Identifier: MIT */
/* Suites whose results are figures. */
#ifndef PIMDIMM_PERF_DRAW_H
#define PIMDIMM_PERF_DRAW_H

#include "tools/perf/figure.h"
#include "tools/perf/suites/suite.h"

struct perf_drawing {
	const char *number, *title, *xlabel, *ylabel, *mark;
	enum perf_look look;
	void (*measure)(struct perf_suite *suite, struct perf_figure *figure);
};

#define PERF_MAX_DRAWINGS 32

/* Figures are of this machine: suite->rig need not be open when they are drawn. */
void perf_suite_note(struct perf_suite *suite, const struct perf_rig *rig);
/* Whether a figure is among those that are asked for. */
bool perf_suite_draws(const struct perf_suite *suite, const char *number);
/* Measure, draw and print figures; those without a point are left out, and told of. */
void perf_suite_draw(struct perf_suite *suite,
		     const struct perf_drawing *drawings, unsigned int count);

#endif /* PIMDIMM_PERF_DRAW_H */

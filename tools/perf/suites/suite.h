/* SPDX-License-Identifier: MIT */
/* Sets of measurements with a purpose. */
#ifndef PIMDIMM_PERF_SUITE_H
#define PIMDIMM_PERF_SUITE_H

#include "tools/options.h"
#include "tools/perf/args.h"
#include "tools/perf/figure.h"
#include "tools/tool.h"

/* what a suite works with */
struct perf_suite {
	const struct command *self;
	const struct perf_args *args;
	struct perf_how how;
	struct perf_report report;
	struct perf_rig rig;
	struct perf_case rig_case;	/* its shape */
	uint64_t rig_mram;
	bool headed;
	int status;	/* the first failure; later measurements are skipped */
};

/* args->suite by name */
int perf_suite(const struct command *self, const struct perf_args *args);
void perf_suite_ablation(struct perf_suite *suite);
void perf_suite_dev(struct perf_suite *suite);
void perf_suite_paper(struct perf_suite *suite);
void perf_suite_pe(struct perf_suite *suite);
void perf_suite_targets(struct perf_suite *suite);

/* the default case: collective, shape, "10", the suite's first size, i32, sum */
struct perf_case perf_suite_case(const struct perf_suite *suite,
				 enum pc_collective id);
/* the next size after `bytes`, at most what is asked for and fits; 0: none */
uint64_t perf_suite_next(const struct perf_suite *suite,
			 const struct perf_case *c, uint64_t factor);
void perf_suite_axes(struct perf_case *c, const char *axes);
/* a two-dimensional shape of `pes` PEs, as square as it can be */
void perf_suite_square(struct perf_case *c, uint32_t pes);
/* Have suite->rig be one that the case fits: 0 or an exit status. */
int perf_suite_rig(struct perf_suite *suite, const struct perf_case *c);
/* Measure and print; rows are zero after a failure. */
void perf_suite_measure(struct perf_suite *suite, const struct perf_case *c,
			const char *const names[], unsigned int count,
			struct perf_row *rows);
/* no rig but the caller's own */
void perf_suite_release(struct perf_suite *suite);

struct perf_drawing {
	const char *number, *title, *xlabel, *ylabel, *mark;
	enum perf_look look;
	void (*measure)(struct perf_suite *suite, struct perf_figure *figure);
};

#define PERF_MAX_DRAWINGS 8

/* Measure, draw and print figures; in paper.c. */
void perf_suite_draw(struct perf_suite *suite,
		     const struct perf_drawing *drawings, unsigned int count);
/* ablation.c */
void perf_figure_16(struct perf_suite *suite, struct perf_figure *figure);
/* from what perf_figure_16() measured before */
void perf_figure_16c(struct perf_suite *suite, struct perf_figure *figure);

#endif /* PIMDIMM_PERF_SUITE_H */

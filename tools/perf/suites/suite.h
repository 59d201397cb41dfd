/* SPDX-License-Identifier: MIT */
/* Sets of measurements with a purpose: what they have in common. */
#ifndef PIMDIMM_PERF_SUITE_H
#define PIMDIMM_PERF_SUITE_H

#include "tools/csv.h"
#include "tools/options.h"
#include "tools/perf/args.h"
#include "tools/perf/report.h"
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
	struct tool_head head;
	char note[512];	/* what was measured, in a line below each figure */
	int status;	/* the first failure; later measurements are skipped */
};

/* what a suite is: each a descriptor perf_suite_NAME, listed in suites.h */
struct perf_suite_kind {
	const char *name, *meaning;	/* of --suite, for --help */
	void (*measure)(struct perf_suite *suite);
	/*
	 * Whether it takes these arguments, which it may complete: 0, or TOOL_USAGE
	 * after a message. NULL: all.
	 */
	int (*check)(const struct command *self, struct perf_args *args);
	bool draws;			/* takes --plot */
	bool own_scale;			/* sizes and shapes are its own */
};

/* Check, measure and report; returns an exit status. */
int perf_suite_run(const struct perf_suite_kind *kind,
		   const struct command *self, const struct perf_args *args);
/* The check of suites that make their own systems of two-dimensional shapes. */
int perf_suite_check_scale(const struct command *self, struct perf_args *args);

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

#endif /* PIMDIMM_PERF_SUITE_H */

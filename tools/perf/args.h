/* SPDX-License-Identifier: MIT */
/* The options of `perf`, and the cases that they ask for. */
#ifndef PIMDIMM_PERF_ARGS_H
#define PIMDIMM_PERF_ARGS_H

#include "tools/options.h"
#include "tools/perf/report.h"
#include "tools/tool.h"

#define PERF_MAX_SHAPES 16
#define PERF_MAX_AXES 16
#define PERF_MAX_NAMES 8

extern const struct tool_option perf_options[];

struct perf_args {
	struct perf_how how;
	uint64_t begin, end, factor;
	struct perf_case shapes[PERF_MAX_SHAPES];	/* dims alone */
	unsigned int nr_shapes;
	char axes[PERF_MAX_AXES][PIDCOMM_MAX_DIMS + 1];
	unsigned int nr_axes;
	unsigned int types, ops, collectives;	/* bit sets */
	char names[PERF_MAX_NAMES][32];		/* algorithms */
	unsigned int nr_names;
	bool out_of_place, in_place;
	enum perf_format format;
	const char *output, *suite, *plot;
	bool given_sizes, given_shapes, given_iters;
};

struct perf_cases {
	struct perf_case *list;
	unsigned int count;
};

/* 0, or TOOL_USAGE after a message */
int perf_args_read(const struct command *self, int argc, char **argv,
		   struct perf_args *args);
/* Every case that is asked for, those that no call takes left out. */
int perf_args_cases(const struct command *self, const struct perf_args *args,
		    struct perf_cases *cases);
int perf_cases_add(struct perf_cases *cases, const struct perf_case *c);
/*
 * Whether MRAM and memory hold every case, asked before anything is allocated;
 * TOOL_USAGE after a message that says what would fit.
 */
int perf_cases_fit(const struct command *self, const struct perf_args *args,
		   const struct perf_cases *cases);
/* the largest size at or below c->bytes that fits beside `systems` - 1 others */
uint64_t perf_fitting(const struct perf_case *c, uint64_t mram,
		      unsigned int systems);

#endif /* PIMDIMM_PERF_ARGS_H */

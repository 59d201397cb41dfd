/* SPDX-License-Identifier: MIT */
/* The cases that options of `perf` ask for. */
#ifndef PIMDIMM_PERF_CASES_H
#define PIMDIMM_PERF_CASES_H

#include "tools/perf/args.h"

struct perf_cases {
	struct perf_case *list;
	unsigned int count;
};

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

#endif /* PIMDIMM_PERF_CASES_H */

/* SPDX-License-Identifier: MIT */
/* Ways to do the same that take turns, each checked before it is timed and after. */
#ifndef PIMDIMM_PERF_DATATYPES_TURNS_H
#define PIMDIMM_PERF_DATATYPES_TURNS_H

#include "tools/perf/suites/datatypes/kernels.h"
#include "tools/perf/suites/suite.h"

#define DDT_WAYS	12

struct ddt_way {
	const char *name;
	int (*begin)(void *of);	/* what it needs once, such as types; or NULL */
	int (*run)(void *of);	/* 0, or -errno with a sentence in pimdimm_errmsg() */
	/* of two processes: which ones, and what they are told */
	unsigned int peer;
	char what;

	/* results, ns */
	double median, min;
	double made, first;	/* begin; begin and the first run */
	uint64_t wrong;
};

/* an operation on a kernel, and its ways; the one called "plain" is what ratios are by */
struct ddt_turns {
	const char *context, *operation;
	const struct ddt_kernel *kernel;
	uint64_t bytes;				/* that a run moves */
	void *of;				/* what ways work on */
	void (*clear)(void *of);		/* forget results */
	uint64_t (*wrong)(void *of);		/* elements that are not as they should be */
	/* instead of all of these and of run: others run, and tell; 0, or an exit status */
	int (*order)(void *of, const struct ddt_way *way, char what, unsigned int times,
		     double *ns, uint64_t *wrong);
	struct ddt_way ways[DDT_WAYS];
	unsigned int nr;
};

/* Measure and print; what fails is suite->status. */
void ddt_turns_take(struct perf_suite *suite, struct ddt_turns *turns);
double ddt_turns_ratio(const struct ddt_turns *turns, unsigned int way);

#endif /* PIMDIMM_PERF_DATATYPES_TURNS_H */

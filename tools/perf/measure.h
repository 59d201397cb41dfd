/* SPDX-License-Identifier: MIT */
/* Runners that take turns, and what they take. */
#ifndef PIMDIMM_PERF_MEASURE_H
#define PIMDIMM_PERF_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/perf/rig.h"

/* a way to do what a case asks for; those that there are lie in runners/ */
struct perf_method {
	int (*run)(struct perf_setup *setup, const char *name);
	/* goes before calls in a row, and is no part of their time; or NULL */
	int (*choose)(struct perf_setup *setup, const char *name);
	bool unchecked;	/* moves bytes, but leaves no results */
};

/*
 * Where the median of all repetitions that there could be lies with 97.5 %, by
 * order alone, whatever the times' distribution; 0: too few to say.
 */
struct perf_interval {
	double low, high;	/* ns */
};

/* what runs in turn with others, repetition by repetition */
struct perf_runner {
	struct perf_setup *setup;
	const char *name;	/* of the algorithm */
	const struct perf_method *method;

	/* results: nanoseconds of a call */
	double median, min, mean, max;
	struct perf_interval interval;
	uint64_t wrong;		/* elements, of both checks */
	uint64_t tried;		/* calls that tried ways to store: not in these */
	/*
	 * of several hosts, a call's: bytes sent to other machines by all and by the one that
	 * sends most, and nanoseconds between machines, the longest host's mean
	 */
	uint64_t sent, most_sent;
	double network;
	unsigned int told;	/* calls that network is the sum of, until they are timed */
};

/* run all in turn; 0, or TOOL_FAILED after a message */
int perf_measure(struct perf_runner *runners, unsigned int count,
		 const struct perf_how *how);
/* Put times in ascending order; tell the middle one of times in that order. */
void perf_sort_times(double *ns, unsigned int count);
double perf_median(const double *ns, unsigned int count);
struct perf_interval perf_median_interval(const double *ns, unsigned int count);

/* Has SIGINT and SIGTERM end what is measured, the second one the program. */
void perf_interrupts(void);
bool perf_interrupted(void);

#endif /* PIMDIMM_PERF_MEASURE_H */

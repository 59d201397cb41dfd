/* SPDX-License-Identifier: MIT */
/* What runs of an application took, by algorithm. */
#ifndef PIMDIMM_PERF_APPS_RESULT_H
#define PIMDIMM_PERF_APPS_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#define APPS_COLLECTIVES 8

enum apps_algorithm {
	APPS_DIRECT,
	APPS_PR_IM,
	APPS_CONVENTIONAL,
	APPS_BY_SDK,
	APPS_ALGORITHMS,
};

/*
 * A run, without its loading; nanoseconds. Host times are measured, medians of all
 * repetitions; those of PEs are modelled, and the same in each.
 */
struct apps_times {
	double collective[APPS_COLLECTIVES];	/* host, by apps_collective_name() */
	double collectives;			/* their sum's median */
	double modulation, domain;		/* of it: rearranging and folding; transposing */
	double transfers;			/* host, of all else: programs, arguments, status */
	double reordering;			/* PEs, in collectives that they help with */
	double programs;			/* PEs, of the application */
	double emulation;			/* measured; hardware has none: in no sum */
	uint64_t wrong;				/* elements, of all repetitions */
	char verdict[160];
};

#define APPS_MAX_CPU 4

/* What somebody else took for the work on the CPU. */
struct apps_cpu {
	char name[16], method[64], library[80];
	char left_out[200];	/* why it has no time, a sentence; "" */
	double ns;		/* measured, the median of all repetitions */
	uint64_t wrong;		/* elements, of all repetitions */
	char verdict[160];
};

/* A program on so many PEs. */
struct apps_result {
	bool measured;			/* by these algorithms, if it could be */
	bool by[APPS_ALGORITHMS];
	uint32_t pes;
	char line[256];			/* behind `pimdimm app` */
	char left_out[320];		/* why it was not, a sentence; "" */
	struct apps_times times[APPS_ALGORITHMS];

	bool with_cpu;		/* the CPU is to do the same */
	unsigned int cpu_threads, nr_cpu;
	struct apps_cpu cpu[APPS_MAX_CPU];
};

const char *apps_algorithm_name(enum apps_algorithm algorithm);
const char *apps_collective_name(unsigned int number);

/* what the paper calls an application's time: host, measured, plus PEs, modelled */
double apps_composed(const struct apps_times *times);
/* of it, what collectives take */
double apps_communication(const struct apps_times *times);
/* the fastest on the CPU whose results are right, or NULL */
const struct apps_cpu *apps_fastest_cpu(const struct apps_result *result);

#endif /* PIMDIMM_PERF_APPS_RESULT_H */

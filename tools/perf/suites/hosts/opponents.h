/* SPDX-License-Identifier: MIT */
/*
 * The MPI libraries that hosts' collectives are compared with, as these are configured: each
 * in processes of its launcher, where both take turns call by call.
 */
#ifndef PIMDIMM_PERF_HOSTS_OPPONENTS_H
#define PIMDIMM_PERF_HOSTS_OPPONENTS_H

#include "tools/perf/suites/suite.h"

#define HOSTS_OPPONENTS	6u
#define HOSTS_SIZES	16u

enum hosts_collective { HOSTS_ALLREDUCE, HOSTS_REDUCE_SCATTER, HOSTS_REDUCE, HOSTS_BROADCAST,
			HOSTS_ALLGATHER, HOSTS_COLLECTIVES };

/* what is to be compared */
struct hosts_match {
	uint32_t hosts;
	uint64_t begin, end;
	unsigned int factor;
	bool mapped;			/* buffers; allreduce alone */
	bool floats;			/* f32, else i32 */
	unsigned int rounds;		/* 3 at most; 0: as many */
	unsigned int collectives;	/* 1 << enum hosts_collective */
	const char *algorithm;		/* ours; NULL: auto */
};

struct hosts_score {
	uint64_t bytes;
	double ours[HOSTS_OPPONENTS], mpi[HOSTS_OPPONENTS];	/* medians; NAN */
	double roofline;		/* of mapped allreduce, the better one's; NAN */
};

struct hosts_scores {
	unsigned int sizes;
	struct hosts_score at[HOSTS_COLLECTIVES][HOSTS_SIZES];
};

const char *hosts_collective_name(enum hosts_collective c);
/* "Open MPI", "without CMA": as a row and a column call it. */
const char *hosts_opponent_name(unsigned int at);
/* Whether Open MPI has such a component of its collectives: "han". */
bool hosts_has_component(const char *name);
/* The launcher of an MPI library that is installed, with what it needs; NULL: there is none. */
const char *hosts_launcher(void);

/* Measures; 0, or an exit status after a message. Where no MPI is installed, no opponent is
 * measured, and the report says so. */
int hosts_match(struct perf_suite *suite, const struct hosts_match *match,
		struct hosts_scores *scores);
/* The better MPI's time by ours, each beside the other; NAN. */
double hosts_ratio(const struct hosts_score *score);
/* Ours, of all runs. */
double hosts_ours(const struct hosts_score *score);

#endif /* PIMDIMM_PERF_HOSTS_OPPONENTS_H */

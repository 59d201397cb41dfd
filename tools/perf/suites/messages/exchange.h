/* SPDX-License-Identifier: MIT */
/* R03's benchmark on two PEs, whose instructions are sorted. */
#ifndef PIMDIMM_PERF_EXCHANGE_H
#define PIMDIMM_PERF_EXCHANGE_H

#include "tools/perf/pe/exchange.h"
#include "tools/perf/suites/messages/sorts/sorts.h"

/* sums over both PEs of one round, whose messages go both ways */
struct exchange_counts {
	double instructions[MESSAGE_SORTS];
	double references[MESSAGE_SORTS];	/* loads and stores among them */
	double cycles;				/* of the cost model's clock */
	double rendezvous;			/* messages that took three hops */
	uint64_t wrong;
};

enum exchange_method {
	EXCHANGE_TRAVELLING,
	EXCHANGE_CONVENTIONAL,	/* -fpimdimm-mpi=conventional */
	EXCHANGE_METHODS,
};

/* who exchanges them: programs of PEs, and behind them who runs on the host */
enum {
	METHOD_RESIDENT = EXCHANGE_METHODS,
	METHOD_MPICH,
	METHOD_OPENMPI,
	METHODS,
};

struct exchange_by {
	const char *name, *series;	/* behind a path, in figures */
	const char *rounds;		/* of tools/perf/rounds; NULL: of PEs */
};

extern const struct exchange_by exchange_methods[METHODS];

#define EXCHANGE_MESSAGES (2 * MESSAGES)

#define EXCHANGE_EAGER	65536u	/* bytes from which on messages take three hops */

/* what is exchanged, and which of its instructions are counted */
struct exchange_case {
	enum exchange_method method;
	uint32_t bytes, posted;		/* of the MESSAGES of each way */
	uint32_t eager;			/* bytes */
	enum exchange_routine routine;
};

/*
 * Two launches, each in a process of its own: of one and of two rounds, whose difference is a
 * round without what begins and ends a launch, or of a routine, with its counts and without.
 * Functions without a sort are kept for the report. 0, or TOOL_FAILED after a message. Cycles are
 * of all routines alone.
 */
int exchange_count(const struct exchange_case *c, struct exchange_counts *counts);

#endif /* PIMDIMM_PERF_EXCHANGE_H */

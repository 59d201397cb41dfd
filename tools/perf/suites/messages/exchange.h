/* SPDX-License-Identifier: MIT */
/* R03's benchmark on two PEs, whose instructions are sorted. */
#ifndef PIMDIMM_PERF_EXCHANGE_H
#define PIMDIMM_PERF_EXCHANGE_H

#include "tools/perf/pe/exchange.h"
#include "tools/perf/suites/messages/sorts.h"

/* sums over both PEs of one round, whose messages go both ways */
struct exchange_counts {
	double instructions[MESSAGE_SORTS];
	double references[MESSAGE_SORTS];	/* loads and stores among them */
	double cycles;				/* of the cost model's clock */
	uint64_t wrong;
	char unsorted[64];			/* a function without a sort; or "" */
};

enum exchange_method {
	EXCHANGE_TRAVELLING,
	EXCHANGE_CONVENTIONAL,	/* -fpimdimm-mpi=conventional */
	EXCHANGE_METHODS,
};

#define EXCHANGE_MESSAGES (2 * MESSAGES)

/*
 * Two launches of one and of two rounds, each in a process of its own, whose difference
 * is a round without what begins and ends a launch. 0, or TOOL_FAILED after a message.
 */
int exchange_count(enum exchange_method method, uint32_t bytes, uint32_t posted,
		   struct exchange_counts *counts);

#endif /* PIMDIMM_PERF_EXCHANGE_H */

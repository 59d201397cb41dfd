/* SPDX-License-Identifier: MIT */
/* Targets of hosts on several machines, which are emulated. */
#ifndef PIMDIMM_PERF_HOSTS_BETWEEN_H
#define PIMDIMM_PERF_HOSTS_BETWEEN_H

#include "tools/perf/suites/targets_table.h"

/* Of a hypercube of 256 PEs a machine, one group of all, in ns; NAN: not measured. */
struct hosts_between {
	double ours, conventional;
	double rate;		/* bytes/ns that each machine sends to the next by MPI */
	double sent;		/* bytes that each machine sends in the call */
};

/* Whether there are machines and an MPI here; else the report says why not. */
bool hosts_between_works(struct perf_suite *suite);
/* Measures; 0, or an exit status after a message. */
int hosts_between_measure(struct perf_suite *suite, unsigned int machines, const char *rate,
			  const char *collective, uint64_t bytes, struct hosts_between *b);
void hosts_between_targets(struct perf_targets *t);

#endif /* PIMDIMM_PERF_HOSTS_BETWEEN_H */

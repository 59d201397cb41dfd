/* SPDX-License-Identifier: MIT */
/* The eight collectives on one hypercube, each run, timed and checked, for `demo`. */
#ifndef PIMDIMM_PERF_TRIAL_H
#define PIMDIMM_PERF_TRIAL_H

#include <stdint.h>

#include "tools/hosts/team.h"
#include "tools/perf/case.h"

struct trial_result {
	const char *collective;
	uint64_t bytes;		/* of all PEs, on the larger side */
	uint64_t ns;		/* median */
	uint64_t wrong;		/* words that differ from the definition's */
};

struct trial {
	struct perf_case c;	/* of each collective in turn */
	uint32_t nr_pes, groups, members;
	struct trial_result results[PC_NR_COLLECTIVES];
};

/*
 * Run on the first 256 PEs of a system, on all when it has fewer; on all PEs of several
 * hosts' systems, where team is not NULL. report is called after each collective. Returns 0,
 * also when results are wrong, or TOOL_FAILED after a message.
 */
int trial_run(struct pimdimm *sys, struct tool_team *team, struct trial *trial,
	      void (*report)(const struct trial *trial,
			     const struct trial_result *result));

#endif /* PIMDIMM_PERF_TRIAL_H */

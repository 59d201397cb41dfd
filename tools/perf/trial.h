/* SPDX-License-Identifier: MIT */
/* The eight collectives, each run, timed and checked: a part of `demo`. */
#ifndef PIMDIMM_TRIAL_H
#define PIMDIMM_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include <pimdimm/pidcomm.h>

#define TRIAL_DIMS 3
#define TRIAL_COLLECTIVES 8

struct trial_result {
	const char *collective;
	uint64_t bytes;		/* of all PEs, on the larger side */
	uint64_t ns;		/* median */
	uint64_t wrong;		/* words that differ from the definition's */
};

struct trial {
	uint32_t nr_pes;
	uint32_t dims[TRIAL_DIMS];
	const char *axes;
	uint32_t groups, members;
	uint64_t bytes;		/* of a PE, on the larger side */
	struct trial_result results[TRIAL_COLLECTIVES];
};

/*
 * Run on the first 256 PEs of a system, on all when it has fewer. report is
 * called after each collective. Returns 0, also when results are wrong; else
 * -errno, and pimdimm_errmsg() or ENOMEM says why.
 */
int trial_run(struct pimdimm *sys, struct trial *trial,
	      void (*report)(const struct trial *trial,
			     const struct trial_result *result));

#endif /* PIMDIMM_TRIAL_H */

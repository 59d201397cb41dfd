/* SPDX-License-Identifier: MIT */
/* The phases that an end goes through, and what is kept of them. */
#ifndef PM_PAIR_MOMENTS_H
#define PM_PAIR_MOMENTS_H

#include <stdbool.h>
#include <stdint.h>

enum pair_phase {
	PAIR_PHASE_REST,	/* waits; matching, requests; whatever else */
	PAIR_PHASE_LISTS,	/* of layouts: their runs, or words; two are merged */
	PAIR_PHASE_TELLS,	/* layouts to the other process, and takes its */
	PAIR_PHASE_PLACES,	/* finds what it was told of in its own addresses, and checks it */
	PAIR_PHASE_COPIES,
	PAIR_PHASES,
};

#define PAIR_MOMENTS	(1u << 18)

struct pair_phases {
	enum pair_phase now;
	bool full;		/* there were more moments than are kept */
	uint32_t nr;
	struct pair_moment {
		uint64_t ns;	/* of CLOCK_MONOTONIC: the phase begins */
		enum pair_phase phase;
	} moments[PAIR_MOMENTS];
};

#endif /* PM_PAIR_MOMENTS_H */

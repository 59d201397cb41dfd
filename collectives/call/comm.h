/* SPDX-License-Identifier: MIT */
/* What a hypercube is to the library: its axes, its settings, what it keeps. */
#ifndef PC_COMM_H
#define PC_COMM_H

#include "collectives/call/algorithm.h"
#include "collectives/call/phases.h"
#include "collectives/call/shape.h"
#include "runtime/ranks/owner.h"

struct pc_crew;
struct pc_queue;

struct pidcomm {
	struct pimdimm *sys;
	struct pc_cube cube;
	/* its PEs in the system: the range that they are in, and where they are not
	 * all of it which of them, as struct pd_touch has it, else NULL */
	struct pc_crew *crew;	/* several hosts have it, of which this is one; or NULL */
	uint32_t first_pe, range_pes;
	void **members;
	struct pd_rank_set ranks;
	/* NULL: auto */
	const struct pc_algorithm *algorithm[PC_NR_COLLECTIVES];
	struct pidcomm_stats stats;
	/* what the last call took by phase, and what its PEs would have on hardware */
	uint64_t phase_ns[PC_NR_PHASES];
	uint64_t pe_modelled_ns;
	bool tried;		/* parts of it tried how to store: see trials.h */
	struct pc_queue *queue;	/* of requests; NULL before the first */
	/* host memory of algorithms that need some, kept for the next call */
	void *staging;
	uint64_t staging_bytes;
};

#endif /* PC_COMM_H */

/* SPDX-License-Identifier: MIT */
/* What a host keeps of a hypercube over several. */
#ifndef PC_CUBES_STATE_H
#define PC_CUBES_STATE_H

#include "collectives/call/crew.h"
#include "collectives/cubes/choices.h"
#include "collectives/hosts/machine.h"
#include "runtime/ranks/system.h"

/* A host's part of the hypercube. */
struct pc_cubes_part {
	uint32_t first_rank, ranks;
};

struct pc_cubes {
	struct pc_crew crew;		/* first: what the calls know of it */
	struct pimdimm_hosts *hosts;	/* a part of the caller's: the hypercube's own */
	struct pimdimm *sys;		/* this host's */
	struct pimdimm view;		/* all hosts' ranks */
	uint32_t first_eg[PC_HOSTS_MOST + 1];
	struct pc_cubes_part parts[PC_HOSTS_MOST];
	uint32_t nr_pes;		/* of all hosts */
	struct pc_choices choices;	/* of host 0 */
	long faults;			/* this host's by the beginning of a call that tries */
	uint8_t **bufs;			/* room for all groups' buffers */
	uint32_t nr_bufs;
	char unmapped[2 * PC_HOSTS_WORDS];	/* why not all windows are mapped */
};

#endif /* PC_CUBES_STATE_H */

/* SPDX-License-Identifier: MIT */
/*
 * A world whose PEs run programs with <mpi.h>: this process has the host's node alone, and
 * the others are reached by parcels of a launch.
 */
#ifndef PM_PROGRAMS_PORT_H
#define PM_PROGRAMS_PORT_H

#include "collectives/messages/engine/hop.h"
#include "collectives/messages/world.h"
#include "runtime/pe/process/guest.h"

/* what is known of a PE's node, as it knows of the host's */
struct pm_program {
	uint64_t entry;		/* where its travellers begin; 0: not known yet */
	uint16_t sent;		/* travellers */
	uint32_t share;		/* of each pool, which nobody asks back; 0: not known yet */
	struct me_credit credit;
};

struct pm_hop_parcel {
	struct me_parcel parcel;	/* first */
	struct pm_hop_parcel *next;	/* from the host to itself */
	uint64_t bytes;
	_Alignas(16) uint8_t data[];
};

struct pm_programs {
	struct pm_world world;		/* first */
	struct pd_guest *guest;
	struct pm_program *programs;	/* nr_pes */
	struct pd_inbox early;		/* what was sent before it was known to where */
	uint64_t held;			/* by messages of the host to itself */
	struct pm_hop_parcel *inbox, *last_inbox;
	bool over;			/* the launch */
};

static inline struct pm_programs *pm_programs_of(struct pm_world *world)
{
	return (struct pm_programs *)world;
}

extern const struct me_port pm_hop_port;

/* whatever the host has sent to itself arrives */
void pm_hop_drain(struct pm_programs *p);
/* a parcel of a PE's, whose payload stays the caller's; what no PE of MPI's sends is dropped */
void pm_hop_arrive(struct pm_programs *p, const struct pd_parcel *parcel);

#endif /* PM_PROGRAMS_PORT_H */

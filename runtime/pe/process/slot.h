/* SPDX-License-Identifier: MIT */
/*
 * A slot for a worker process: the arena, which stays, and the process itself, which
 * comes and goes.
 */
#ifndef PD_SLOT_H
#define PD_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/pe/process/arena.h"
#include "runtime/pe/process/child.h"
#include "runtime/pe/process/near.h"
#include "runtime/pe/program/program.h"

struct pd_slot {
	struct pd_slot *next;		/* in the pool */
	struct pimdimm_program *program;	/* the worker's, with a reference */
	struct pd_child *child;		/* NULL: no worker */
	struct pd_nursery *nursery;
	struct pd_near near;		/* of the worker */
	struct pd_arena arena;
	uint32_t seen;			/* number of the last call */
	uint32_t nr_runs;		/* of PEs in this worker */
	int text_fd;			/* not 0: the next worker's, in place of the program's */
	bool posted;			/* the PE that runs has sent parcels */
	bool stopped;			/* it has been, as its launch was over */
};

enum pd_wait {
	PD_WAIT_CALLED,
	PD_WAIT_TIMEOUT,
	PD_WAIT_DEAD,
};

int pd_slot_create(struct pimdimm *sys, struct pd_nursery *nursery,
		   struct pd_slot **slot);
void pd_slot_destroy(struct pd_slot *slot);

/* have a parked worker of this program; 0 or -errno and a sentence */
int pd_slot_take(struct pd_slot *slot, struct pimdimm_program *program);
/* end the worker */
void pd_slot_end_worker(struct pd_slot *slot);

/*
 * Let a parked worker run the PE that has been set up; false: it has run PEs
 * before, and something has woken it since it was parked.
 */
bool pd_slot_go(struct pd_slot *slot);
/* wait for its next call; deadline in nanoseconds of CLOCK_MONOTONIC */
enum pd_wait pd_slot_wait(struct pd_slot *slot, uint64_t deadline);
/* answer a call */
void pd_slot_reply(struct pd_slot *slot);
/*
 * Whether the worker is parked: asleep in the kernel, and moved to where nothing
 * but pd_slot_go() finds it. Gives it a moment to get there.
 */
bool pd_slot_parked(struct pd_slot *slot);

#endif /* PD_SLOT_H */

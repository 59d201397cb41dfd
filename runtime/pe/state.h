/* SPDX-License-Identifier: MIT */
/* What a system knows of its PEs' programs, and its pool of worker processes. */
#ifndef PD_STATE_H
#define PD_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/pe/program/program.h"
#include "runtime/pe/process/slot.h"
#include "runtime/ranks/system.h"

/*
 * A PE's WRAM between its runs: the bytes up to the last that is not 0. Until
 * the PE has run or the host has written to it that is the program's own image.
 */
struct pd_wram {
	uint8_t *data;		/* NULL: the program's image */
	uint32_t bytes;
	uint32_t room;
};

struct pd_pe {
	struct pimdimm_program *program;	/* with a reference; NULL: none */
	struct pd_wram wram;
	const void *run;	/* the launch that it is in */
	uint32_t nr_launches;	/* since it was loaded */
	/* in the timeline: where its launch begins in modelled time, and where it ended */
	uint64_t drawn_from, drawn_until;
};

struct pd_pe_state {
	pthread_mutex_t lock;
	pthread_cond_t slot_freed;
	struct pd_pe *pes;
	struct pd_nursery *nursery;
	struct pd_slot *idle;
	unsigned int nr_slots, max_slots;
	unsigned int nr_spared;	/* besides those, for PEs that wait in theirs */
	/* how often a PE was entered again: where it was, or by its state that was kept */
	_Atomic uint64_t nr_hand_overs, nr_reloads;
	pid_t pid;		/* a child after fork() has none of the workers */
};

/* the system's, made at first need; NULL: no memory, and a sentence */
struct pd_pe_state *pd_pe_state(struct pimdimm *sys);
void pd_pe_state_free(struct pimdimm *sys);
/* as many as there are, and what they hold */
void pd_pes_free(struct pd_pe *pes, uint32_t nr_pes);

/* -EBUSY and a sentence if a PE runs */
int pd_pe_state_check_idle(struct pimdimm *sys);
/* Make all PEs what these are, and these what they were, if none runs. */
int pd_pe_state_exchange(struct pimdimm *sys, struct pd_pe *pes);

/* a slot with a parked worker of this program; waits while all are in use */
int pd_slot_borrow(struct pimdimm *sys, struct pimdimm_program *program,
		   struct pd_slot **slot);
void pd_slot_return(struct pimdimm *sys, struct pd_slot *slot);

/*
 * Have one more slot than there are for those that run, with a worker of this program;
 * a negative errno and a sentence: there is none to be had. _back() goes after each.
 */
int pd_slot_spare(struct pimdimm *sys, struct pimdimm_program *program);
void pd_slot_spare_back(struct pimdimm *sys);

#endif /* PD_STATE_H */

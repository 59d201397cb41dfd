/* SPDX-License-Identifier: MIT */
/* The PEs of a launch, sorted into what one worker takes at a time. */
#ifndef PD_ENTRIES_H
#define PD_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/pe/process/post.h"
#include "runtime/pe/process/slot.h"
#include "runtime/pe/process/stay.h"
#include "runtime/pe/program/program.h"
#include "runtime/watch/report.h"

struct pd_entry {
	uint32_t pe;
	uint32_t index;		/* of the caller's array */
	struct pimdimm_program *program;
	/* for a PE that is entered more than once */
	bool entered, faulted;
	struct pd_stay *stay;
	struct pd_slot *slot;	/* that it waits in; NULL: in none */
	uint64_t used_ns;
	uint64_t random;
	struct pimdimm_times times;
	struct pd_tasklet *tasklets;	/* NULL unless reports are told of them */
	struct pd_inbox inbox;	/* under the lock of the post */
	/* what it sent that had no room yet: of whoever runs it, or of the launch */
	struct pd_inbox pending;
	uint32_t travellers;	/* that wait in it */
	bool wants_room;	/* somebody waits for it */
};

/* PEs of one entangled group that run the same program */
struct pd_task {
	uint32_t first, count;
	uint8_t lanes;
};

/* How many they are where they are numbered in a row, and the first; else 0. No PE is there twice. */
uint32_t pd_entries_row(const struct pd_entry *entries, uint32_t nr_entries, uint32_t *first);

/* Whether all run the same program. */
bool pd_entries_alike(const struct pd_entry *entries, uint32_t nr_entries);
/* Whether some PE waits. */
bool pd_entries_wait(const struct pd_entry *entries, uint32_t nr_entries);

/* Sorts a launch's PEs into tasks, of which there is room for as many; how many. */
uint32_t pd_tasks_make(struct pd_entry *entries, uint32_t nr_entries, struct pd_task *tasks);

/* What a launch is called with: 0, or a negative errno and a sentence. */
int pd_entries_check(struct pimdimm *sys, const uint32_t pes[], uint32_t nr_pes,
		     const struct pimdimm_run *run);

#endif /* PD_ENTRIES_H */

/* SPDX-License-Identifier: MIT */
/*
 * What a PE leaves in the memory that its worker shares with the host, besides
 * its WRAM: stacks, its tasklets' and its fault handlers'. The next PE finds them
 * zero, for the price of the pages that any PE has touched: the others are holes
 * of the arena's file, and how many are not is what tells of new ones. What is used
 * of the worker's control stack is its own to keep clean.
 */
#ifndef PD_WIPE_H
#define PD_WIPE_H

#include <stdint.h>

/* bytes [begin, end) of the arena */
struct pd_stack_span {
	uint32_t begin, end;
};

/* more than the stacks of any program have that were used without a gap of a page */
#define PD_MAX_SPANS	96

struct pd_touched {
	uint64_t blocks;	/* of the file, when these were looked for */
	uint32_t nr_stacks;
	struct pd_stack_span stacks[PD_MAX_SPANS];
	uint32_t wram_bytes;	/* of WRAM up to the last page that is there */
};

struct pd_slot;

/* new worker, new arena: nothing of it is there but struct pe_shared */
void pd_wipe_all(struct pd_slot *slot);
/*
 * After a PE's run; the worker is parked or gone. What stacks hold down to their
 * lowest byte that is not zero is how much of them was used: slot->stack_used.
 */
void pd_wipe(struct pd_slot *slot);

#endif /* PD_WIPE_H */

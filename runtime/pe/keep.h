/* SPDX-License-Identifier: MIT */
/*
 * PEs of a launch that wait where they are: each has a worker to itself, which is parked
 * and holds its WRAM, its stacks and its pages of MRAM until somebody sends it something.
 */
#ifndef PD_KEEP_H
#define PD_KEEP_H

#include "runtime/pe/entries.h"
#include "runtime/pe/state.h"

struct pd_keeper {
	struct pimdimm *sys;
	uint32_t most;		/* of them; as long as no more workers can be had, fewer */
	uint32_t nr;		/* under the lock of the system's PEs */
};

/*
 * Before a PE is entered: whether it may stay in its worker if it waits. Another worker
 * is there, then, for whoever comes after it. Given back by pd_keep_decline().
 */
bool pd_keep_claim(struct pd_keeper *k, const struct pd_entry *e);
void pd_keep_decline(struct pd_keeper *k);

/*
 * It waits, and has the slot from here on: what the slot's window holds of others goes
 * to their MRAM. A negative errno and a sentence: some of that had no room.
 */
int pd_keep_stay(struct pd_entry *e, struct pd_slot *slot);

/*
 * It has ended, or the launch has: its memory goes where it belongs, the slot back to the
 * pool. 0, or a negative errno and a sentence: some of it had no room.
 */
int pd_keep_leave(struct pd_keeper *k, struct pd_entry *e);

#endif /* PD_KEEP_H */

/* SPDX-License-Identifier: MIT */
/*
 * A PE that was left with tasklets waiting for what other PEs may send: what is
 * kept of it besides its WRAM and MRAM, until it is entered again.
 */
#ifndef PD_STAY_H
#define PD_STAY_H

#include "runtime/pe/process/arena.h"

struct pd_stay;

/*
 * The worker is parked. NULL: no memory, or the program says that it has more
 * on its stacks than is kept, of it or of all PEs that wait.
 */
struct pd_stay *pd_stay_save(const struct pd_arena *arena);
/*
 * The same of a PE that stays in the arena: its stacks are left there, and so is its
 * WRAM. It may hold no more on them than one that is saved.
 */
struct pd_stay *pd_stay_leave(const struct pd_arena *arena);
/* bytes of each stack, from its top, that are its own; of those that wait */
const uint32_t *pd_stay_stacks(const struct pd_stay *stay);
/* put it back; it stays the caller's */
void pd_stay_restore(struct pd_arena *arena, const struct pd_stay *stay);
void pd_stay_free(struct pd_stay *stay);
/* bytes of PE_HOLD that its travellers' payloads take there, from the first on */
uint32_t pd_stay_held(const struct pd_stay *stay);
/* how many travellers it has, and whether a thread of it waits for room */
uint32_t pd_stay_travellers(const struct pd_stay *stay);
bool pd_stay_wants_room(const struct pd_stay *stay);
const struct pe_tasklet *pd_stay_tasklets(const struct pd_stay *stay);

#endif /* PD_STAY_H */

/* SPDX-License-Identifier: MIT */
/* A PE's WRAM on its way into a worker and back. */
#ifndef PD_WRAM_H
#define PD_WRAM_H

#include "runtime/pe/process/arena.h"
#include "runtime/pe/state.h"

/* The worker is parked: give it the PE's WRAM. */
void pd_wram_enter(struct pd_arena *arena, const struct pd_pe *pe);
/* The worker is parked again: keep what the PE made of it; 0 or -ENOMEM. */
int pd_wram_leave(struct pd_arena *arena, struct pd_pe *pe);

#endif /* PD_WRAM_H */

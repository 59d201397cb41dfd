/* SPDX-License-Identifier: MIT */
/* A PE's tasklets in the timeline, by modelled time. */
#ifndef PD_DRAW_H
#define PD_DRAW_H

#include "runtime/pe/order.h"
#include "runtime/pe/process/slot.h"
#include "runtime/pe/state.h"

struct pd_tracks;

/*
 * What tasklets of a PE did in a run that began at @start, the worker being parked or
 * gone: each as a span with its waits in it, of which its program may have written
 * anything. Modelled time begins where that of the PE's run before ended, or at @start
 * where that is later; one that goes on with what it was at goes on with its time, too.
 */
void pd_draw(const struct pd_slot *slot, struct pd_pe *pe, uint32_t number,
	     struct pd_tracks *tracks, uint64_t start, bool goes_on);

/*
 * That a PE was entered at @start, unless it is 0, until now: and from where they were
 * sent an arrow for each of the order's parcels that have begun.
 */
void pd_draw_entry(struct pd_tracks *tracks, const struct pd_order *order, uint32_t begun,
		   uint64_t start);

#endif /* PD_DRAW_H */

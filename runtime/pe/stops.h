/* SPDX-License-Identifier: MIT */
/* PEs that stop for whoever wants to look at them: core files, gdb. */
#ifndef PD_STOPS_H
#define PD_STOPS_H

#include "runtime/pe/order.h"
#include "runtime/pe/process/slot.h"

/* whether a PE may stop in its run */
bool pd_stops_wanted(const struct pd_order *order);
/* It is set up and about to begin; returns what it stops at: PE_STOPS_. */
uint32_t pd_stops_begin(struct pd_slot *slot, const struct pd_order *order);
/* It has stopped, and goes on afterwards; returns how long that took, in nanoseconds. */
uint64_t pd_stops_attend(struct pd_slot *slot, const struct pd_order *order,
			 struct pd_outcome *out);
/* It has not come to its end in time, and its worker goes. */
void pd_stops_late(struct pd_slot *slot, const struct pd_order *order,
		   struct pd_outcome *out);
void pd_stops_end(struct pd_slot *slot, const struct pd_order *order);

/*
 * A PE that is debugged has a worker of its own, with a text that can be changed: begun
 * before it is entered, 0 or a negative errno and a sentence, and ended after.
 */
int pd_stops_take_debugger(struct pd_slot *slot, struct pimdimm_program *program,
			   struct pd_order *order);
void pd_stops_give_debugger(struct pd_slot *slot, const struct pd_order *order);

#endif /* PD_STOPS_H */

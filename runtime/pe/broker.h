/* SPDX-License-Identifier: MIT */
/* One PE's run in a worker, seen from the host. */
#ifndef PD_BROKER_H
#define PD_BROKER_H

#include "runtime/pe/order.h"
#include "runtime/pe/state.h"

/*
 * Run a PE whose group the slot's window has taken. The slot's worker is parked
 * before and after, or has been ended after a program that it could not get rid
 * of. emulation_ns: time in windows is added to it.
 */
void pd_broker_run(struct pd_slot *slot, struct pd_pe *pe,
		   const struct pd_order *order, struct pd_outcome *out,
		   uint64_t *emulation_ns);

#endif /* PD_BROKER_H */

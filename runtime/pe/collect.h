/* SPDX-License-Identifier: MIT */
/* What is known of a PE that has stopped. */
#ifndef PD_COLLECT_H
#define PD_COLLECT_H

#include "runtime/pe/order.h"
#include "runtime/pe/process/slot.h"

/*
 * The worker does not run: copy what the program left in shared memory, believing
 * none of it. seen: what the host saw, where the worker did not say why it stopped.
 */
void pd_collect(const struct pd_slot *slot, enum pe_fault seen,
		const struct pd_order *order, struct pd_outcome *out);

/* What a program says of who it was, or the first where there is no such tasklet. */
static inline uint32_t pd_known_tasklet(const struct pd_end *end, uint32_t t)
{
	return t < end->nr_tasklets || pe_is_traveller(t) ? t : 0;
}

#endif /* PD_COLLECT_H */

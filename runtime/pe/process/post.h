/* SPDX-License-Identifier: MIT */
/* Parcels on their way to a PE. */
#ifndef PD_POST_H
#define PD_POST_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/pe/shared/shared.h"

/* first in, first out; grows as it must */
struct pd_inbox {
	struct pe_parcel *parcels;
	uint32_t first, end, room;
};

bool pd_inbox_put(struct pd_inbox *in, const struct pe_parcel *parcel);
/* Take up to PE_INBOX of them; returns how many. */
uint32_t pd_inbox_take(struct pd_inbox *in,
		       struct pe_parcel parcels[PE_INBOX]);
void pd_inbox_free(struct pd_inbox *in);

static inline uint32_t pd_inbox_count(const struct pd_inbox *in)
{
	return in->end - in->first;
}

#endif /* PD_POST_H */

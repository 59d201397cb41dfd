/* SPDX-License-Identifier: MIT */
/* Parcels on their way to a PE, or from one. */
#ifndef PD_POST_H
#define PD_POST_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/pe/shared/shared.h"

/* one, and its payload: NULL, or its own until it is taken */
struct pd_parcel {
	struct pe_parcel p;
	uint8_t *payload;
	uint32_t from;		/* the PE that sent it, or PE_HOST */
	uint64_t sent;		/* for the timeline: when, or 0 */
};

/* first in, first out; grows as it must */
struct pd_inbox {
	struct pd_parcel *parcels;
	uint32_t first, end, room;
};

/* false: no memory, and the payload is still the caller's */
bool pd_inbox_put(struct pd_inbox *in, const struct pd_parcel *parcel);
/* Forget the first n, whose payloads are the caller's from now on. */
void pd_inbox_drop(struct pd_inbox *in, uint32_t n);
/* with the payloads */
void pd_inbox_free(struct pd_inbox *in);

static inline uint32_t pd_inbox_count(const struct pd_inbox *in)
{
	return in->end - in->first;
}

/* number i of those that are there; stays until another is put */
static inline struct pd_parcel *pd_inbox_at(struct pd_inbox *in, uint32_t i)
{
	return &in->parcels[in->first + i];
}

#endif /* PD_POST_H */

/* SPDX-License-Identifier: MIT */
/*
 * Room for MRAM. A store to a hole of a file on a full disk is a SIGBUS, which a library
 * cannot answer on its caller's behalf, and one to memory that is not there calls the
 * OOM killer. So the library claims a file's space before it stores, and with reserve=1
 * all of MRAM has its space when the system is opened.
 */
#ifndef PD_ROOM_H
#define PD_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/ranks/system.h"

struct pd_file;

/* MRAM of these PEs that is about to be touched */
struct pd_room {
	uint32_t first_pe, nr_pes;
	void *const *bufs;	/* NULL, or by PE: those without one are not touched */
	uint64_t off, bytes;	/* of each PE */
	bool to_mram;
};

/* for the windows of a file; 0 or a negative errno and a sentence */
int pd_room_create(struct pd_file *file, uint32_t nr_ranks);

/* Have space for it: 0, or -ENOSPC or the like and a sentence. */
int pd_room_claim_file(struct pimdimm *sys, const struct pd_room *room);

static inline int pd_room_claim(struct pimdimm *sys, const struct pd_room *room)
{
	return sys->file ? pd_room_claim_file(sys, room) : 0;
}

static inline int pd_room_claim_pe(struct pimdimm *sys, uint32_t pe, uint64_t off,
				   uint64_t bytes, bool to_mram)
{
	const struct pd_room room = { .first_pe = pe, .nr_pes = 1, .off = off,
				      .bytes = bytes, .to_mram = to_mram };

	return pd_room_claim(sys, &room);
}

/* With reserve=1: see whether there is room for all MRAM, then take it. */
int pd_room_check(const struct pd_file *file, const struct pimdimm_geometry *g);
int pd_room_reserve(struct pimdimm *sys);

#endif /* PD_ROOM_H */

/* SPDX-License-Identifier: MIT */
/*
 * Sets of moves to the eight lanes of an entangled group, of the same parts, from
 * wherever each lane has its own: rows of whole groups, blended.
 */
#ifndef PT_SETS_H
#define PT_SETS_H

#include "collectives/types/mram/groups.h"

#define PT_NOBODY	UINT32_MAX	/* a lane that keeps its bytes */

struct pt_set {
	uint32_t eg;			/* that is written */
	uint32_t from[PIMDIMM_CHIPS];	/* the PE of each lane, or PT_NOBODY */
	const struct pt_whole *to, *source;	/* source: as many bytes, or fewer */
	const struct pt_node *merged;	/* of both, in linear windows; NULL: none */
};

/* bytes of windows that moving it reads and writes */
struct pt_traffic {
	uint64_t read, written;
};

/*
 * Move it. Where a lane has nobody, rows are read, blended and written again: nobody
 * else may write that lane there meanwhile.
 */
struct pt_traffic pt_set_move(struct pimdimm *sys, const struct pt_set *set,
			      enum pd_stores stores);

#endif /* PT_SETS_H */

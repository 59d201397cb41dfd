/* SPDX-License-Identifier: MIT */
/* The merged layouts of pairs that have been copied lately. */
#ifndef PT_LAYOUTS_H
#define PT_LAYOUTS_H

#include "collectives/types/walk.h"

/* what one of a pair is: so many of a layout, so far apart */
struct pt_side {
	const struct pt_node *node;
	uint64_t count;
	int64_t extent;		/* 0 where there is one */
};

struct pt_side pt_side_of(const struct pimtype_part *part);

/*
 * That of two parts, of as many bytes each, which is the caller's to pt_put(); NULL
 * where none is worth it. -ENOMEM, or -EINVAL for a PIMDIMM_LAYOUTS that is no number.
 */
int pt_layouts_find(const struct pimtype_part *to, const struct pt_whole *whole_to,
		    const struct pimtype_part *from,
		    const struct pt_whole *whole_from, struct pt_node **merged);

/* the same of sides, of which those wholes were made */
int pt_layouts_find_sides(struct pt_side to, const struct pt_whole *whole_to,
			  struct pt_side from, const struct pt_whole *whole_from,
			  struct pt_node **merged);
/* whether they are the same layout, and a hash of what is compared */
bool pt_same_side(const struct pt_side *a, const struct pt_side *b);
uint64_t pt_hash_side(uint64_t hash, const struct pt_side *side);

/* the counters but that of types */
void pt_layouts_stats(struct pimtype_stats *stats);
/* one more copy without a merged layout */
void pt_layouts_staged(void);

#endif /* PT_LAYOUTS_H */

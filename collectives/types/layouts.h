/* SPDX-License-Identifier: MIT */
/* The merged layouts of pairs that have been copied lately. */
#ifndef PT_LAYOUTS_H
#define PT_LAYOUTS_H

#include "collectives/types/walk.h"

/*
 * That of two parts, of as many bytes each, which is the caller's to pt_put(); NULL
 * where none is worth it. -ENOMEM, or -EINVAL for a PIMDIMM_LAYOUTS that is no number.
 */
int pt_layouts_find(const struct pimtype_part *to, const struct pt_whole *whole_to,
		    const struct pimtype_part *from,
		    const struct pt_whole *whole_from, struct pt_node **merged);

/* the counters but that of types */
void pt_layouts_stats(struct pimtype_stats *stats);
/* one more copy without a merged layout */
void pt_layouts_staged(void);

#endif /* PT_LAYOUTS_H */

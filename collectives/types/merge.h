/* SPDX-License-Identifier: MIT */
/* Merges two layouts of one size into one that says from where to where. */
#ifndef PT_MERGE_H
#define PT_MERGE_H

#include "collectives/types/walk.h"

/*
 * Side 0 of *merged is `to`, side 1 `from`, both from their first bytes on. NULL where
 * it would have more runs than are worth to be kept. -ENOMEM
 */
int pt_merge(const struct pt_whole *to, const struct pt_whole *from,
	     struct pt_node **merged);

#endif /* PT_MERGE_H */

/* SPDX-License-Identifier: MIT */
/* Moves what a walk leads to, between memory and a packed stream. */
#ifndef PT_MOVER_H
#define PT_MOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "collectives/types/strided.h"
#include "collectives/types/walk.h"

/*
 * All lengths and offsets are shifted: with a shift of 3 the memory is that of eight
 * lanes, each byte of the layout being a row of theirs.
 */
struct pt_mover {
	const struct pt_strided *strided;
	uint8_t *mem;		/* where offset 0 lies */
	uint8_t *stream;	/* the walk's first byte */
	unsigned int shift;
	bool to_mem;
	enum pd_stores stores;	/* of whole lines of memory, where it is rows */
};

/* a pt_leaf_fn with a struct pt_mover */
bool pt_move_leaf(void *mover, const struct pt_leaf *leaf);

/* a merged layout: from memory to memory, of eight lanes with `turned` */
void pt_run_turned(const struct pt_strided *strided, const struct pt_node *node,
		   uint8_t *dst, const uint8_t *src, const struct pt_turned *turned);
/* the same of any memory, with lanes as they are */
void pt_run_merged(const struct pt_strided *strided, const struct pt_node *node,
		   uint8_t *dst, const uint8_t *src, unsigned int shift);

#endif /* PT_MOVER_H */

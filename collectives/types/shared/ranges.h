/* SPDX-License-Identifier: MIT */
/* Copies from one layout to another, any bytes of the stream that both have. */
#ifndef PT_RANGES_H
#define PT_RANGES_H

#include "collectives/types/walk.h"

struct pt_pair {
	const struct pt_whole *to, *from;	/* `from` may be shorter */
	const struct pt_node *merged;		/* of both, or NULL */
	uint8_t *dst, *src;			/* what their offsets count from */
};

/* where the last range ended in a list, for ranges that only go forward; begins as 0 */
struct pt_cursor {
	uint64_t entry, at;
};

/* [first, first + bytes) of the stream of `from` */
void pt_copy_range(const struct pt_pair *pair, uint64_t first, uint64_t bytes,
		   struct pt_cursor *cursor);

#endif /* PT_RANGES_H */

/* SPDX-License-Identifier: MIT */
/*
 * How the groups of a call lie in the lanes of a block. The chosen axes hold
 * some of the three lane bits; a group has nl = 2^bits lanes of each of its
 * entangled groups, and a block holds lanes of 8 / nl groups. Lane bits are the
 * lowest bits of a member's rank, respectively of a group's number.
 */
#ifndef PC_LANES_H
#define PC_LANES_H

#include <stdint.h>

#include "runtime/simd/pick.h"

struct pc_lanes {
	unsigned int nl;		/* lanes of a group: 1, 2, 4 or 8 */
	unsigned int bits;		/* log2(nl) */
	unsigned int shift[3];		/* of each bit: how far lanes move, in bits */
	uint64_t low[3];		/* of each bit: the lanes where it is 0 */
	struct pd_pick pick[8];		/* all lanes get that of rank r of their group */
	uint8_t lane[8][8];		/* [group][rank]: the lane */
	uint8_t group[8], rank[8];	/* of each lane */
};

/* mask: the lane bits that the chosen axes hold, 0 to 7 */
void pc_lanes_init(struct pc_lanes *lanes, unsigned int mask);

#endif /* PC_LANES_H */

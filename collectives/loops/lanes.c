// SPDX-License-Identifier: MIT
/* Where the lanes of a call's groups lie, from the lane bits of its axes. */
#include "collectives/loops/lanes.h"

/* put the lowest bits of value where mask has its bits */
static unsigned int deposit(unsigned int value, unsigned int mask)
{
	unsigned int out = 0;

	for (unsigned int bit = 0; bit < 3; bit++) {
		if (!(mask >> bit & 1))
			continue;
		out |= (value & 1) << bit;
		value >>= 1;
	}
	return out;
}

static void init_bits(struct pc_lanes *lanes, unsigned int mask)
{
	for (unsigned int bit = 0; bit < 3; bit++) {
		if (!(mask >> bit & 1))
			continue;
		lanes->shift[lanes->bits] = 8 << bit;
		for (unsigned int lane = 0; lane < 8; lane++) {
			if (!(lane >> bit & 1))
				lanes->low[lanes->bits] |= 0xffULL << 8 * lane;
		}
		lanes->bits++;
	}
	lanes->nl = 1u << lanes->bits;
}

static void init_pick(struct pd_pick *pick, unsigned int mask, unsigned int rank)
{
	unsigned int from = deposit(rank, mask);

	pick->shift = 8 * from;
	for (unsigned int lane = 0; lane < 8; lane++) {
		pick->idx |= (uint64_t)((lane & ~mask) | from) << 8 * lane;
		if ((lane & mask) == from)
			pick->mask |= 0xffULL << 8 * lane;
		if (!(lane & ~mask))
			pick->mult |= 1ULL << 8 * lane;
	}
}

void pc_lanes_init(struct pc_lanes *lanes, unsigned int mask)
{
	*lanes = (struct pc_lanes){ 0 };
	init_bits(lanes, mask);
	for (unsigned int rank = 0; rank < lanes->nl; rank++) {
		init_pick(&lanes->pick[rank], mask, rank);
		for (unsigned int group = 0; group < 8 / lanes->nl; group++) {
			unsigned int lane = deposit(rank, mask) |
					    deposit(group, ~mask & 7);

			lanes->lane[group][rank] = (uint8_t)lane;
			lanes->group[lane] = (uint8_t)group;
			lanes->rank[lane] = (uint8_t)rank;
		}
	}
}

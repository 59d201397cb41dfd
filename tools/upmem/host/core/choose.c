// SPDX-License-Identifier: MIT
/*
 * Which DPUs of a set's ranks are disabled when they are more than were asked
 * for: one after the other, from the line (or chip) that has lost most already;
 * among those from the rank that has most left; of several such, the last. A
 * rank keeps one.
 */
#include "tools/upmem/host/core/choose.h"
#include "tools/upmem/host/core/rank.h"

/* group g of a rank: its line g or chip g, as a mask of places */
static uint64_t line_mask(unsigned int line)
{
	return 0xffULL << (RANK_CHIPS * line);
}

static uint64_t chip_mask(unsigned int chip)
{
	return 0x0101010101010101ULL << chip;
}

static void disable_one(uint64_t enabled[], uint32_t nr_ranks,
			uint64_t (*mask)(unsigned int))
{
	unsigned int most_lost = 0, most_left = 0;
	uint32_t rank = nr_ranks;
	uint64_t victim = 0;

	for (uint32_t r = 0; r < nr_ranks; r++) {
		unsigned int left = (unsigned int)__builtin_popcountll(enabled[r]);

		for (unsigned int g = 0; g < 8 && left > 1; g++) {
			uint64_t live = enabled[r] & mask(g);
			unsigned int lost =
				8 - (unsigned int)__builtin_popcountll(live);

			if (!live || lost < most_lost ||
			    (lost == most_lost && left < most_left))
				continue;
			most_lost = lost;
			most_left = left;
			rank = r;
			victim = 1ULL << (63 - __builtin_clzll(live));
		}
	}
	if (rank < nr_ranks)
		enabled[rank] &= ~victim;
}

static void choose_by(uint64_t enabled[], uint32_t nr_ranks, uint32_t nr,
		      uint64_t (*mask)(unsigned int))
{
	uint32_t have = 0;

	for (uint32_t r = 0; r < nr_ranks; r++)
		have += (uint32_t)__builtin_popcountll(enabled[r]);
	while (have-- > nr)
		disable_one(enabled, nr_ranks, mask);
}

void choose_by_line(uint64_t enabled[], uint32_t nr_ranks, uint32_t nr)
{
	choose_by(enabled, nr_ranks, nr, line_mask);
}

void choose_by_chip(uint64_t enabled[], uint32_t nr_ranks, uint32_t nr)
{
	choose_by(enabled, nr_ranks, nr, chip_mask);
}

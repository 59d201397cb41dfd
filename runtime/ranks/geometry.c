// SPDX-License-Identifier: MIT
/* The sizes of a system and what they allow. */
#include <errno.h>

#include "runtime/base/error.h"
#include "runtime/ranks/geometry.h"

#define MAX_TASKLETS	24
#define WRAM_BYTES	65536

void pd_geometry_set(struct pimdimm_geometry *g, uint32_t channels,
		     uint32_t ranks, uint64_t mram_size, uint32_t layout)
{
	*g = (struct pimdimm_geometry){
		.channels = channels,
		.ranks_per_channel = ranks,
		.banks = PIMDIMM_BANKS,
		.chips = PIMDIMM_CHIPS,
		.nr_pes = channels * ranks * PIMDIMM_RANK_PES,
		.max_tasklets = MAX_TASKLETS,
		.mram_size = mram_size,
		.wram_size = WRAM_BYTES,
		.layout = layout,
	};
}

int pd_check_range(const struct pimdimm_geometry *g, const char *what,
		   uint64_t off, uint64_t bytes)
{
	uint64_t size = g->mram_size;

	if (off > size || bytes > size - off)
		return pd_error(EINVAL,
				"%s=%llu and %llu bytes reach past the MRAM of %llu bytes",
				what, (unsigned long long)off,
				(unsigned long long)bytes,
				(unsigned long long)size);
	return 0;
}

unsigned int pd_rank_node(const struct pimdimm_geometry *g, unsigned int nodes,
			  uint32_t rank)
{
	if (g->channels < nodes)
		return (unsigned int)((uint64_t)rank * nodes /
				      (g->channels * g->ranks_per_channel));
	return rank / g->ranks_per_channel * nodes / g->channels;
}

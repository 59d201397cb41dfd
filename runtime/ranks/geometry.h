/* SPDX-License-Identifier: MIT */
/* What follows from how many channels and ranks there are, and what is in a PE. */
#ifndef PD_GEOMETRY_H
#define PD_GEOMETRY_H

#include <stdint.h>

#include <pimdimm/pimdimm.h>
#include <pimdimm/pimdimm_layout.h>

/* the entangled group of a PE, counted over the system, and its lane there */
static inline uint32_t pd_eg_of(uint32_t pe)
{
	return pe / PIMDIMM_CHIPS;
}

static inline uint32_t pd_lane_of(uint32_t pe)
{
	return pe % PIMDIMM_CHIPS;
}

/* ranks: of a channel; the rest of the geometry is the same for all systems */
void pd_geometry_set(struct pimdimm_geometry *g, uint32_t channels,
		     uint32_t ranks, uint64_t mram_size, uint32_t layout);

/* -EINVAL and a sentence unless [off, off + bytes) lies in a PE's MRAM */
int pd_check_range(const struct pimdimm_geometry *g, const char *what,
		   uint64_t off, uint64_t bytes);

/*
 * The node, of so many, that a rank's memory is to be on: channels stay whole where
 * there are enough of them, and higher ranks never come before.
 */
unsigned int pd_rank_node(const struct pimdimm_geometry *g, unsigned int nodes,
			  uint32_t rank);

#endif /* PD_GEOMETRY_H */

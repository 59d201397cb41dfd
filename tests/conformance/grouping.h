/* SPDX-License-Identifier: MIT */
/* Which PE is which member of which group, by enumeration. */
#ifndef TESTS_GROUPING_H
#define TESTS_GROUPING_H

#include <stdint.h>

#include <pimdimm/pidcomm.h>

#include "tests/conformance/rng.h"

struct shape {
	unsigned ndims;
	uint32_t dims[PIDCOMM_MAX_DIMS];
	uint32_t pes;			/* their product */
};

struct grouping {
	uint32_t groups, members;
	uint32_t *pe;			/* [group * members + rank] */
};

/* A hypercube of at most @nr_pes PEs, of any form that is allowed. */
void shape_random(struct rng *rng, uint32_t nr_pes, struct shape *shape);
void axes_random(struct rng *rng, unsigned ndims, char *axes);

void grouping_make(const struct shape *shape, const char *axes,
		   struct grouping *g);
void grouping_free(struct grouping *g);

/* How many members a group has in each entangled group: its first ones' are
 * neighbours in rank. */
uint32_t grouping_lanes(const struct grouping *g);

static inline uint32_t grouping_pe(const struct grouping *g, uint32_t group,
				   uint32_t rank)
{
	return g->pe[group * g->members + rank];
}

#endif

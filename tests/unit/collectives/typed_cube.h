/* SPDX-License-Identifier: MIT */
/* A hypercube and a choice of its axes: which PEs are whose group, by the definition. */
#ifndef TESTS_TYPED_CUBE_H
#define TESTS_TYPED_CUBE_H

#include <pimdimm/pidcomm.h>

#include "tests/unit/unit.h"

#define MRAM	0x10000u
#define HALF	(MRAM / 2)
#define NR_PES	64u
#define MOST	16u	/* axes */

/* a hypercube and a choice of axes, as the definition has them */
struct cube {
	struct pidcomm *hc;
	uint32_t dims[MOST], ndims, nr_pes;
	char axes[MOST + 1];
	uint32_t groups, members;
	uint32_t group[NR_PES], rank[NR_PES];	/* [node] */
	uint32_t node[NR_PES][NR_PES];	/* [group][rank] */
	uint32_t pe[NR_PES];		/* [node] */
};

static const struct {
	uint32_t ndims, dims[6];
} cube_shapes[] = {
	{ 1, { 64 } }, { 2, { 8, 8 } }, { 2, { 16, 3 } }, { 2, { 2, 28 } },
	{ 3, { 4, 4, 4 } }, { 3, { 2, 4, 7 } }, { 3, { 8, 2, 3 } },
	{ 4, { 2, 2, 2, 8 } }, { 4, { 1, 4, 2, 5 } }, { 5, { 2, 2, 4, 1, 3 } },
};

static inline void cube_groups(struct cube *c)
{
	c->groups = c->members = 1;
	for (uint32_t d = 0; d < c->ndims; d++)
		*(c->axes[d] == '1' ? &c->members : &c->groups) *= c->dims[d];
	for (uint32_t node = 0; node < c->nr_pes; node++) {
		uint32_t left = node, group = 0, rank = 0, groups = 1, ranks = 1;

		for (uint32_t d = 0; d < c->ndims; d++) {
			uint32_t at = left % c->dims[d];

			left /= c->dims[d];
			if (c->axes[d] == '1') {
				rank += at * ranks;
				ranks *= c->dims[d];
			} else {
				group += at * groups;
				groups *= c->dims[d];
			}
		}
		c->group[node] = group;
		c->rank[node] = rank;
		c->node[group][rank] = node;
	}
}

/* on the system's first entangled groups, in order */
static inline void cube_make(struct cube *c, struct pimdimm *sys, size_t shape)
{
	memset(c, 0, sizeof(*c));
	c->ndims = cube_shapes[shape].ndims;
	c->nr_pes = 1;
	for (uint32_t d = 0; d < c->ndims; d++) {
		c->dims[d] = cube_shapes[shape].dims[d];
		c->nr_pes *= c->dims[d];
	}
	for (uint32_t node = 0; node < c->nr_pes; node++)
		c->pe[node] = node;
	assert_ok(pidcomm_create(sys, c->ndims, c->dims, &c->hc));
}

static inline void cube_axes(struct cube *c, uint32_t bits)
{
	for (uint32_t d = 0; d < c->ndims; d++)
		c->axes[d] = bits >> d & 1 ? '1' : '0';
	cube_groups(c);
}

static const char *const cube_uris[] = {
	"mem:ranks=1,mram=64K,layout=linear",
	"mem:ranks=1,mram=64K,layout=xeon_sp",
};

#endif /* TESTS_TYPED_CUBE_H */

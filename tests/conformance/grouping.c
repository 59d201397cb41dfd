// SPDX-License-Identifier: MIT
/* Random hypercubes, and their groups by enumeration. */
#include <stdlib.h>

#include "tests/conformance/grouping.h"
#include "tests/conformance/support.h"

/* Lengths that are worth more than their share: odd ones, powers of two. */
static uint32_t last_axis(struct rng *rng, uint32_t nr_pes)
{
	switch (rng_below(rng, 3)) {
	case 0:
		return 1u << rng_below(rng, 8);
	case 1:
		return 1 + (uint32_t)rng_below(rng, 17);
	default:
		return 1 + (uint32_t)rng_below(rng, nr_pes);
	}
}

/*
 * Multiplies @bits factors of two into random axes but the last: thus most
 * shapes of many axes have some of length 1.
 */
static void spread_bits(struct rng *rng, unsigned bits, struct shape *shape)
{
	while (bits--)
		shape->dims[rng_below(rng, shape->ndims - 1)] *= 2;
}

void shape_random(struct rng *rng, uint32_t nr_pes, struct shape *shape)
{
	unsigned bits, most;
	uint32_t last;

	shape->ndims = rng_chance(rng, 70) ?
		1 + (unsigned)rng_below(rng, 5) :
		1 + (unsigned)rng_below(rng, PIDCOMM_MAX_DIMS);
	do {
		last = last_axis(rng, nr_pes);
		most = 0;
		while (shape->ndims > 1 && (uint64_t)last << (most + 1) <= nr_pes)
			most++;
		/* half of them as large as the system lets them be */
		bits = rng_chance(rng, 50) ? most :
			(unsigned)rng_below(rng, most + 1);
		shape->pes = last << bits;
	} while (shape->pes > nr_pes || shape->pes % 8);

	for (unsigned i = 0; i + 1 < shape->ndims; i++)
		shape->dims[i] = 1;
	shape->dims[shape->ndims - 1] = last;
	spread_bits(rng, bits, shape);
}

void axes_random(struct rng *rng, unsigned ndims, char *axes)
{
	unsigned kind = (unsigned)rng_below(rng, 16);

	for (unsigned i = 0; i < ndims; i++) {
		if (kind == 0)
			axes[i] = '0';
		else if (kind <= 2)
			axes[i] = '1';
		else
			axes[i] = rng_chance(rng, 50) ? '1' : '0';
	}
	axes[ndims] = '\0';
}

void grouping_make(const struct shape *shape, const char *axes,
		   struct grouping *g)
{
	g->groups = g->members = 1;
	for (unsigned i = 0; i < shape->ndims; i++) {
		if (axes[i] == '1')
			g->members *= shape->dims[i];
		else
			g->groups *= shape->dims[i];
	}

	g->pe = need(calloc(shape->pes, sizeof(*g->pe)));
	for (uint32_t pe = 0; pe < shape->pes; pe++) {
		uint32_t left = pe, group = 0, rank = 0;
		uint32_t group_weight = 1, rank_weight = 1;

		for (unsigned i = 0; i < shape->ndims; i++) {
			uint32_t coordinate = left % shape->dims[i];

			left /= shape->dims[i];
			if (axes[i] == '1') {
				rank += coordinate * rank_weight;
				rank_weight *= shape->dims[i];
			} else {
				group += coordinate * group_weight;
				group_weight *= shape->dims[i];
			}
		}
		g->pe[group * g->members + rank] = pe;
	}
}

uint32_t grouping_lanes(const struct grouping *g)
{
	uint32_t lanes = 1;

	while (lanes < g->members && g->pe[lanes] / 8 == g->pe[0] / 8)
		lanes++;
	return lanes;
}

void grouping_free(struct grouping *g)
{
	free(g->pe);
	g->pe = NULL;
}

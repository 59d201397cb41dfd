// SPDX-License-Identifier: MIT
/* Which entangled groups and lanes the groups of a choice of axes have. */
#include <stdlib.h>

#include "collectives/call/shape.h"

bool pc_cube_init(struct pc_cube *cube, const uint32_t list[], uint32_t first)
{
	uint32_t egs = cube->nr_pes / 8;

	/* the egs and sets of a shape multiply to egs: one more at most in sum */
	cube->shape_tables = calloc(3 * (size_t)egs + 1, sizeof(uint32_t));
	if (!cube->shape_tables)
		return false;
	cube->eg_numbers = cube->shape_tables + egs + 1;
	cube->places = cube->eg_numbers + egs;
	for (uint32_t eg = 0; eg < egs; eg++) {
		cube->eg_numbers[eg] = eg;
		cube->places[eg] = list ? list[eg] : first + eg;
		/* those that do are told by their numbers in the hypercube */
		cube->shares_lines &=
			cube->places[eg] % PIMDIMM_BANKS == eg % PIMDIMM_BANKS &&
			cube->places[eg] - eg % PIMDIMM_BANKS ==
				cube->places[eg - eg % PIMDIMM_BANKS];
	}
	return true;
}

void pc_cube_free(struct pc_cube *cube)
{
	free(cube->shape_tables);
}

/*
 * Index i of the mixed radix of those axes that are chosen, or are not, as a
 * position among all: each axis counts `len` places, `stride` apart.
 */
static uint32_t place_of_index(const uint32_t len[], unsigned int ndims,
			       uint32_t axes, uint32_t i)
{
	uint32_t stride = 1, at = 0;

	for (unsigned int d = 0; d < ndims; d++) {
		if (axes >> d & 1) {
			at += i % len[d] * stride;
			i /= len[d];
		}
		stride *= len[d];
	}
	return at;
}

/*
 * Take the lane bits out of each axis: `len` is left in entangled groups. Every
 * axis but the last is a power of two and the product a multiple of 8, so the
 * first ones to make 8 divide evenly.
 */
static unsigned int take_lane_bits(const struct pc_cube *cube, uint32_t axes,
				   uint32_t len[])
{
	unsigned int lanes = 1, mask = 0;

	for (unsigned int d = 0; d < cube->ndims; d++) {
		unsigned int take = 8 / lanes;

		if (d < cube->ndims - 1 && cube->dims[d] < take)
			take = cube->dims[d];
		if (axes >> d & 1)
			mask |= lanes * (take - 1);
		len[d] = cube->dims[d] / take;
		lanes *= take;
	}
	return mask;
}

/*
 * The distance of two places in a table of n entangled groups that share lines, if
 * all of the table are such pairs: see pc_shape.
 */
static uint32_t line_sharing(const uint32_t *egs, uint32_t n)
{
	uint32_t m = 1;

	while (m < n && egs[m] != PIMDIMM_BANKS / 2)
		m *= 2;
	for (uint32_t i = 0; i < n && m < n; i++) {
		if (!(i & m) &&
		    (i + m >= n || egs[i + m] != egs[i] + PIMDIMM_BANKS / 2))
			return 0;
	}
	return m < n ? m : 0;
}

const struct pc_shape *pc_shape_get(struct pc_cube *cube, uint32_t axes)
{
	struct pc_shape *s = &cube->shape;
	uint32_t len[PIDCOMM_MAX_DIMS];

	if (cube->shape_valid && s->axes == axes)
		return s;
	pc_lanes_init(&s->lanes, take_lane_bits(cube, axes, len));
	s->axes = axes;
	s->egs = 1;
	for (unsigned int d = 0; d < cube->ndims; d++)
		s->egs *= axes >> d & 1 ? len[d] : 1;
	s->sets = cube->nr_pes / 8 / s->egs;
	s->members = s->egs * s->lanes.nl;
	s->groups = s->sets * (8 / s->lanes.nl);
	s->off = cube->shape_tables;
	s->base = cube->shape_tables + s->egs;
	for (uint32_t i = 0; i < s->egs; i++)
		s->off[i] = place_of_index(len, cube->ndims, axes, i);
	for (uint32_t i = 0; i < s->sets; i++)
		s->base[i] = place_of_index(len, cube->ndims, ~axes, i);
	s->twins = s->pairs = 0;
	if (cube->shares_lines) {
		s->twins = line_sharing(s->base, s->sets);
		s->pairs = line_sharing(s->off, s->egs);
	}
	cube->shape_valid = true;
	return s;
}

void pc_shape_singles(const struct pc_cube *cube, const struct pc_lanes *lanes,
		      struct pc_shape *shape)
{
	*shape = (struct pc_shape){
		.members = lanes->nl,
		.groups = cube->nr_pes / lanes->nl,
		.egs = 1,
		.sets = cube->nr_pes / 8,
		.off = cube->eg_numbers,
		.base = cube->eg_numbers,
		.lanes = *lanes,
	};
}

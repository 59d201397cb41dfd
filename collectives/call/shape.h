/* SPDX-License-Identifier: MIT */
/* The arithmetic of a hypercube's groups: no byte moves here. */
#ifndef PC_SHAPE_H
#define PC_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include <pimdimm/pidcomm.h>

#include "collectives/loops/lanes.h"

/*
 * The groups of one choice of axes, seen in entangled groups. The entangled
 * groups of a hypercube fall into `sets`; those of one set carry the same
 * 8 / nl groups in their lanes. The e-th entangled group of set s is
 * base[s] + off[e] and holds ranks e * nl to e * nl + nl - 1.
 */
struct pc_shape {
	uint32_t axes;		/* bit i: axis i is chosen */
	uint32_t members;	/* of each group: nl * egs */
	uint32_t groups;	/* 8 / nl * sets */
	uint32_t egs;		/* entangled groups of a set */
	uint32_t sets;
	/*
	 * xeon_sp: entangled groups e and e + 4 of a rank share lines of memory
	 * by pairs. If they are in different sets, sets s and s + twins, for
	 * every s whose bit of that value is clear, are such twins. Else 0.
	 */
	uint32_t twins;
	/*
	 * If they are in the same set, entangled groups e and e + pairs of it, for
	 * every e whose bit of that value is clear. Else 0.
	 */
	uint32_t pairs;
	uint32_t *off;		/* [egs] */
	uint32_t *base;		/* [sets] */
	struct pc_lanes lanes;
};

/* the axes of a hypercube, and the shape that was asked for last */
struct pc_cube {
	unsigned int ndims;
	uint32_t dims[PIDCOMM_MAX_DIMS];
	uint32_t nr_pes;
	/*
	 * Where its e-th entangled group is in the system: shapes number those of the
	 * hypercube, and what reaches MRAM looks up here.
	 */
	uint32_t *places;
	bool shares_lines;	/* entangled groups e and e + 4 of a rank */
	struct pc_shape shape;	/* kept for the next call */
	bool shape_valid;
	uint32_t *shape_tables;	/* what its off and base point into */
	uint32_t *eg_numbers;	/* 0, 1, ...: as many as entangled groups */
};

/*
 * Make room for shapes, where axes and nr_pes are set. The entangled groups are those
 * of the list, or where it is NULL as many from `first` on. false: no memory.
 */
bool pc_cube_init(struct pc_cube *cube, const uint32_t egs[], uint32_t first);
void pc_cube_free(struct pc_cube *cube);

/* the shape for these axes; allocates nothing, valid until the next call */
const struct pc_shape *pc_shape_get(struct pc_cube *cube, uint32_t axes);

/*
 * A shape whose sets are single entangled groups and whose groups are what these
 * lanes join; valid as long as the hypercube.
 */
void pc_shape_singles(const struct pc_cube *cube, const struct pc_lanes *lanes,
		      struct pc_shape *shape);

/* the group's number in its set's lanes, and over all sets */
static inline uint32_t pc_group(const struct pc_shape *s, uint32_t set,
				uint32_t lane)
{
	return (set << (3 - s->lanes.bits)) + s->lanes.group[lane];
}

/* the node that is this rank of this group */
static inline uint32_t pc_pe(const struct pc_shape *s, uint32_t group,
			     uint32_t rank)
{
	uint32_t per_set = 8 / s->lanes.nl;
	uint32_t eg = s->base[group / per_set] + s->off[rank / s->lanes.nl];

	return 8 * eg + s->lanes.lane[group % per_set][rank % s->lanes.nl];
}

#endif /* PC_SHAPE_H */

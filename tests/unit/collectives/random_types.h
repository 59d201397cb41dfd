/* SPDX-License-Identifier: MIT */
/*
 * Random datatypes: what a constructor is called with is drawn first, and then made into
 * the naive typemap, into a type of the library, or into one of an MPI library.
 */
#ifndef TESTS_RANDOM_TYPES_H
#define TESTS_RANDOM_TYPES_H

#include "tests/unit/collectives/typemap.h"

#define POOL		12
#define ROOM		(1 << 14)	/* bytes of a buffer; types lie around its middle */

#define RECIPE_BLOCKS	24
#define RECIPE_DIMS	4

enum recipe_of {
	RECIPE_CONTIGUOUS,
	RECIPE_VECTOR,
	RECIPE_HVECTOR,
	RECIPE_INDEXED,
	RECIPE_HINDEXED,
	RECIPE_INDEXED_BLOCK,
	RECIPE_HINDEXED_BLOCK,
	RECIPE_STRUCT,
	RECIPE_SUBARRAY,
	RECIPE_DARRAY,
	RECIPE_RESIZED,
	RECIPE_DUP,
	NR_RECIPES,
};

/* what a constructor is called with; the olds' extents are those of their typemaps */
struct recipe {
	enum recipe_of of;
	/* vectors and lists: blocks, where each begins, of what and how many */
	uint64_t count, lengths[RECIPE_BLOCKS];
	int64_t displs[RECIPE_BLOCKS], stride;
	unsigned int olds[RECIPE_BLOCKS];	/* numbers of the pool's */
	/* arrays */
	uint32_t ndims;
	bool fortran;
	uint64_t sizes[RECIPE_DIMS], sub[RECIPE_DIMS], starts[RECIPE_DIMS];
	uint64_t size, rank, dargs[RECIPE_DIMS], places[RECIPE_DIMS];
	enum pimtype_distribution how[RECIPE_DIMS];
	/* bounds */
	int64_t lb, extent;
};

static inline int64_t near_zero(struct rng *rng, int64_t most)
{
	return (int64_t)rng_below(rng, (uint64_t)(2 * most + 1)) - most;
}

static inline void draw_vector(struct rng *rng, struct recipe *r)
{
	r->count = rng_chance(rng, 20) ? rng_below(rng, 100) : rng_below(rng, 6);
	r->lengths[0] = rng_below(rng, 5);
	r->stride = near_zero(rng, r->of == RECIPE_HVECTOR ? 100 : 8);
}

/* extent: of what blocks are made of, in the unit of their places */
static inline void draw_list(struct rng *rng, struct recipe *r, int64_t extent)
{
	bool in_bytes = r->of == RECIPE_HINDEXED || r->of == RECIPE_HINDEXED_BLOCK;
	bool one_length = r->of == RECIPE_INDEXED_BLOCK ||
			  r->of == RECIPE_HINDEXED_BLOCK;
	bool even = rng_chance(rng, 20), close = rng_chance(rng, 30);
	int64_t at = 0;

	r->count = rng_below(rng, RECIPE_BLOCKS);
	for (uint64_t i = 0; i < r->count; i++) {
		r->lengths[i] = one_length && i ? r->lengths[0] : rng_below(rng, 5);
		r->displs[i] = even ? (int64_t)i * 7 - 20 :
			       close ? at : near_zero(rng, in_bytes ? 300 : 30);
		at = r->displs[i] + (int64_t)r->lengths[i] *
		     (in_bytes ? extent : 1);
	}
}

static inline void draw_struct(struct rng *rng, struct recipe *r, unsigned int pool)
{
	r->count = rng_below(rng, 5);
	for (uint64_t i = 0; i < r->count; i++) {
		r->olds[i] = (unsigned int)rng_below(rng, pool);
		r->lengths[i] = rng_below(rng, 4);
		r->displs[i] = near_zero(rng, 500);
	}
}

static inline void draw_sizes(struct rng *rng, struct recipe *r)
{
	r->fortran = rng_chance(rng, 50);
	for (uint32_t i = 0; i < r->ndims; i++)
		r->sizes[i] = 1 + rng_below(rng, r->ndims > 2 ? 5 : 9);
}

static inline void draw_subarray(struct rng *rng, struct recipe *r)
{
	r->ndims = 1 + (uint32_t)rng_below(rng, 4);
	draw_sizes(rng, r);
	for (uint32_t i = 0; i < r->ndims; i++) {
		r->sub[i] = 1 + rng_below(rng, r->sizes[i]);
		r->starts[i] = rng_below(rng, r->sizes[i] - r->sub[i] + 1);
	}
}

static inline void draw_darray(struct rng *rng, struct recipe *r)
{
	r->ndims = 1 + (uint32_t)rng_below(rng, 3);
	draw_sizes(rng, r);
	r->size = 1;
	for (uint32_t i = 0; i < r->ndims; i++) {
		r->how[i] = (enum pimtype_distribution)rng_below(rng, 3);
		r->places[i] = r->how[i] ? 1 + rng_below(rng, 4) : 1;
		r->dargs[i] = rng_chance(rng, 50) ? PIMTYPE_DISTRIBUTE_DARG :
						    1 + rng_below(rng, 4);
		if (r->how[i] == PIMTYPE_DISTRIBUTE_BLOCK && r->dargs[i])
			r->dargs[i] += (r->sizes[i] + r->places[i] - 1) /
				       r->places[i];
		r->size *= r->places[i];
	}
	r->rank = rng_below(rng, r->size);
}

/* one of pool types; maps[i]: the typemap of the pool's number i */
static inline void recipe_draw(struct rng *rng, struct recipe *r,
			       const struct map *const maps[], unsigned int pool)
{
	r->olds[0] = (unsigned int)rng_below(rng, pool);
	r->of = (enum recipe_of)rng_below(rng, NR_RECIPES);
	r->count = r->lengths[0] = 1;
	r->displs[0] = 0;
	switch (r->of) {
	case RECIPE_CONTIGUOUS:
		r->lengths[0] = rng_below(rng, 8);
		break;
	case RECIPE_VECTOR:
	case RECIPE_HVECTOR:
		draw_vector(rng, r);
		break;
	case RECIPE_INDEXED:
	case RECIPE_HINDEXED:
	case RECIPE_INDEXED_BLOCK:
	case RECIPE_HINDEXED_BLOCK:
		draw_list(rng, r, map_extent(maps[r->olds[0]]));
		break;
	case RECIPE_STRUCT:
		draw_struct(rng, r, pool);
		break;
	case RECIPE_SUBARRAY:
		draw_subarray(rng, r);
		break;
	case RECIPE_DARRAY:
		draw_darray(rng, r);
		break;
	case RECIPE_RESIZED:
		r->lb = near_zero(rng, 20);
		r->extent = near_zero(rng, 100);
		break;
	default:
		break;
	}
}

/* a block of old types at disp; false: too many elements */
static inline bool map_add_block(struct map *map, const struct map *old,
				 int64_t disp, uint64_t length)
{
	int64_t extent = map_extent(old);

	for (uint64_t i = 0; i < length; i++) {
		if (!map_add(map, old, disp + (int64_t)i * extent))
			return false;
	}
	return true;
}

static inline bool map_blocks(struct map *map, const struct recipe *r,
			      const struct map *const maps[])
{
	bool vector = r->of == RECIPE_VECTOR || r->of == RECIPE_HVECTOR;
	bool in_extents = r->of == RECIPE_VECTOR || r->of == RECIPE_INDEXED ||
			  r->of == RECIPE_INDEXED_BLOCK;

	for (uint64_t i = 0; i < r->count; i++) {
		const struct map *old = maps[r->olds[r->of == RECIPE_STRUCT ? i : 0]];
		int64_t at = vector ? (int64_t)i * r->stride : r->displs[i];

		if (!map_add_block(map, old, in_extents ? at * map_extent(old) : at,
				   r->lengths[vector ? 0 : i]))
			return false;
	}
	return true;
}

/* the element's place along each axis, its index counting the fastest axis first */
static inline void coordinates(uint64_t index, const struct recipe *r, uint64_t at[])
{
	for (uint32_t k = 0; k < r->ndims; k++) {
		uint32_t axis = r->fortran ? k : r->ndims - 1 - k;

		at[axis] = index % r->sizes[axis];
		index /= r->sizes[axis];
	}
}

/* the process along an axis that has an element of it */
static inline uint64_t darray_owner(const struct recipe *r, uint32_t axis, uint64_t at)
{
	uint64_t darg = r->dargs[axis], places = r->places[axis];

	if (r->how[axis] == PIMTYPE_DISTRIBUTE_NONE)
		return 0;
	if (r->how[axis] == PIMTYPE_DISTRIBUTE_BLOCK)
		return at / (darg ? darg : (r->sizes[axis] + places - 1) / places);
	return at / (darg ? darg : 1) % places;
}

/* is the element at these places one of the box, or of the process? */
static inline bool recipe_has(const struct recipe *r, const uint64_t at[])
{
	uint64_t left = r->rank;

	for (uint32_t i = r->ndims; i--;) {
		if (r->of == RECIPE_SUBARRAY) {
			if (at[i] < r->starts[i] ||
			    at[i] >= r->starts[i] + r->sub[i])
				return false;
			continue;
		}
		if (darray_owner(r, i, at[i]) != left % r->places[i])
			return false;
		left /= r->places[i];
	}
	return true;
}

static inline bool map_array(struct map *map, const struct recipe *r,
			     const struct map *old)
{
	uint64_t all = 1, at[RECIPE_DIMS];

	for (uint32_t i = 0; i < r->ndims; i++)
		all *= r->sizes[i];
	for (uint64_t e = 0; e < all; e++) {
		coordinates(e, r, at);
		if (recipe_has(r, at) &&
		    !map_add(map, old, (int64_t)e * map_extent(old)))
			return false;
	}
	map_mark(map, 0, (int64_t)all * map_extent(old));
	return true;
}

/* by MPI's definitions; false: there are too many elements to be worth it */
static inline bool recipe_map(const struct recipe *r, const struct map *const maps[],
			      struct map *map)
{
	if (r->of == RECIPE_SUBARRAY || r->of == RECIPE_DARRAY)
		return map_array(map, r, maps[r->olds[0]]);
	if (!map_blocks(map, r, maps))
		return false;
	if (r->of == RECIPE_RESIZED)
		map_mark(map, r->lb, r->extent);
	return true;
}

static inline int recipe_make_list(const struct recipe *r, const struct pimtype *old,
				   struct pimtype **type)
{
	switch (r->of) {
	case RECIPE_INDEXED:
		return pimtype_indexed(r->count, r->lengths, r->displs, old, type);
	case RECIPE_HINDEXED:
		return pimtype_hindexed(r->count, r->lengths, r->displs, old, type);
	case RECIPE_INDEXED_BLOCK:
		return pimtype_indexed_block(r->count, r->lengths[0], r->displs, old,
					     type);
	default:
		return pimtype_hindexed_block(r->count, r->lengths[0], r->displs, old,
					      type);
	}
}

static inline int recipe_make_struct(const struct recipe *r,
				     const struct pimtype *const pool[],
				     struct pimtype **type)
{
	const struct pimtype *olds[RECIPE_BLOCKS];

	for (uint64_t i = 0; i < r->count; i++)
		olds[i] = pool[r->olds[i]];
	return pimtype_struct(r->count, r->lengths, r->displs, olds, type);
}

/* as the library's constructors make it of the pool's types */
static inline int recipe_make(const struct recipe *r, const struct pimtype *const pool[],
			      struct pimtype **type)
{
	const struct pimtype *old = pool[r->olds[0]];
	enum pimtype_order order = r->fortran ? PIMTYPE_ORDER_FORTRAN : PIMTYPE_ORDER_C;

	switch (r->of) {
	case RECIPE_CONTIGUOUS:
		return pimtype_contiguous(r->lengths[0], old, type);
	case RECIPE_VECTOR:
		return pimtype_vector(r->count, r->lengths[0], r->stride, old, type);
	case RECIPE_HVECTOR:
		return pimtype_hvector(r->count, r->lengths[0], r->stride, old, type);
	case RECIPE_STRUCT:
		return recipe_make_struct(r, pool, type);
	case RECIPE_SUBARRAY:
		return pimtype_subarray(r->ndims, r->sizes, r->sub, r->starts, order, old,
					type);
	case RECIPE_DARRAY:
		return pimtype_darray(r->size, r->rank, r->ndims, r->sizes, r->how, r->dargs,
				      r->places, order, old, type);
	case RECIPE_RESIZED:
		return pimtype_resized(old, r->lb, r->extent, type);
	case RECIPE_DUP:
		return pimtype_dup(old, type);
	default:
		return recipe_make_list(r, old, type);
	}
}

/* a part of a type that lies in a buffer of ROOM bytes; false: none does */
static inline bool random_part(struct rng *rng, const struct map *map,
			       const struct pimtype *type, struct pimtype_part *part)
{
	int64_t lo, hi, step = map_extent(map);

	part->count = rng_chance(rng, 50) ? 1 : rng_below(rng, 5);
	part->type = type;
	part->offset = ROOM / 2 + near_zero(rng, 70);
	lo = hi = part->count > 1 ? (int64_t)(part->count - 1) * step : 0;
	lo = (lo < 0 ? lo : 0) + map_true_lb(map) + part->offset;
	hi = (hi > 0 ? hi : 0) + map_true_ub(map) + part->offset;
	return lo >= 0 && hi <= ROOM && map_size(map) * part->count <= ROOM;
}

/* the places of all bytes of a part, in order; returns how many, *twice: some again */
static inline uint64_t places_of(const struct map *map, const struct pimtype_part *part,
				 int32_t places[], bool *twice)
{
	static uint8_t seen[ROOM];
	int64_t extent = map_extent(map);
	uint64_t n = 0;

	*twice = false;
	for (uint64_t k = 0; k < part->count; k++) {
		for (size_t i = 0; i < map->n; i++) {
			int64_t at = part->offset + map->elements[i].disp +
				     (int64_t)k * extent;

			for (unsigned int b = 0;
			     b < map_sizes[map->elements[i].which]; b++)
				places[n++] = (int32_t)(at + b);
		}
	}
	for (uint64_t i = 0; i < n; i++)
		*twice |= seen[places[i]]++;
	for (uint64_t i = 0; i < n; i++)
		seen[places[i]] = 0;
	return n;
}

/* so many bytes as the next step of a walk through n takes, more than there are at times */
static inline uint64_t some_bytes(struct rng *rng, uint64_t n)
{
	return rng_chance(rng, 30) ? n + 1 : 1 + rng_below(rng, n + 20);
}

static inline uint64_t number_of(const char *name, uint64_t usual)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : usual;
}

#endif /* TESTS_RANDOM_TYPES_H */

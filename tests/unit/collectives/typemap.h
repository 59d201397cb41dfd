/* SPDX-License-Identifier: MIT */
/*
 * Datatypes as MPI defines them: the list of all elements with their places, nothing
 * merged, and bounds by the words of the standard. What the library says and does is
 * compared with it.
 */
#ifndef TESTS_TYPEMAP_H
#define TESTS_TYPEMAP_H

#include <pimdimm/types.h>

#include "tests/unit/unit.h"

#define MAP_MOST	4096	/* elements */

struct map_element {
	int64_t disp;
	uint8_t which;
};

struct map {
	size_t n;
	bool marked;		/* has lb and ub markers, of which these are the outermost */
	int64_t lb_mark, ub_mark;
	struct map_element *elements;
};

static const uint8_t map_sizes[] = {
	1, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, sizeof(long double),
	8, 16, 2 * sizeof(long double),
};

static const uint8_t map_aligns[] = {
	1, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, _Alignof(long double),
	4, 8, _Alignof(long double),
};

static inline void map_begin(struct map *map)
{
	*map = (struct map){ .elements = need(malloc(MAP_MOST *
						     sizeof(*map->elements))) };
}

static inline void map_end(struct map *map)
{
	free(map->elements);
	*map = (struct map){ .n = 0 };
}

/* false: there are too many elements to be worth it */
static inline bool map_add(struct map *map, const struct map *old, int64_t disp)
{
	if (map->n + old->n > MAP_MOST)
		return false;
	for (size_t i = 0; i < old->n; i++) {
		map->elements[map->n] = old->elements[i];
		map->elements[map->n++].disp += disp;
	}
	if (!old->marked)
		return true;
	if (!map->marked || old->lb_mark + disp < map->lb_mark)
		map->lb_mark = old->lb_mark + disp;
	if (!map->marked || old->ub_mark + disp > map->ub_mark)
		map->ub_mark = old->ub_mark + disp;
	map->marked = true;
	return true;
}

static inline int64_t map_true_lb(const struct map *map)
{
	int64_t lb = map->n ? INT64_MAX : 0;

	for (size_t i = 0; i < map->n; i++)
		lb = map->elements[i].disp < lb ? map->elements[i].disp : lb;
	return lb;
}

static inline int64_t map_true_ub(const struct map *map)
{
	int64_t ub = map->n ? INT64_MIN : 0;

	for (size_t i = 0; i < map->n; i++) {
		int64_t end = map->elements[i].disp +
			      map_sizes[map->elements[i].which];

		ub = end > ub ? end : ub;
	}
	return ub;
}

static inline uint64_t map_align(const struct map *map)
{
	uint64_t align = 1;

	for (size_t i = 0; i < map->n; i++) {
		uint64_t a = map_aligns[map->elements[i].which];

		align = a > align ? a : align;
	}
	return align;
}

static inline int64_t map_lb(const struct map *map)
{
	return map->marked ? map->lb_mark : map_true_lb(map);
}

static inline int64_t map_extent(const struct map *map)
{
	int64_t extent, align = (int64_t)map_align(map);

	if (map->marked)
		return map->ub_mark - map->lb_mark;
	extent = map_true_ub(map) - map_true_lb(map);
	while (extent % align)
		extent++;
	return extent;
}

static inline uint64_t map_size(const struct map *map)
{
	uint64_t size = 0;

	for (size_t i = 0; i < map->n; i++)
		size += map_sizes[map->elements[i].which];
	return size;
}

static inline void map_mark(struct map *map, int64_t lb, int64_t extent)
{
	map->marked = true;
	map->lb_mark = lb;
	map->ub_mark = lb + extent;
}

#endif /* TESTS_TYPEMAP_H */

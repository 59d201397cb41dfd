// SPDX-License-Identifier: MIT
/*
 * A set of 32-bit numbers, in leaves of those whose upper 16 bits are the same. A leaf is a
 * list while it has few members and a bitmap when it has many, so that memory follows the
 * members, some 4 bytes each at most, wherever they lie; counts tell a member's rank.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/graph/graph_ids.h"

#define LEAF_WORDS	1024	/* of 64 bits: the lower 16 bits of an id */
#define NR_LEAVES	65536
/* a list beyond this takes no less than a bitmap */
#define MOST_LISTED	4096

struct bitmap {
	uint16_t before[LEAF_WORDS];	/* members in the words before */
	uint64_t bits[LEAF_WORDS];
};

/* A bitmap if it has one, else a list; zeroed, it is an empty list. */
struct leaf {
	uint32_t base;			/* members in the leaves before */
	uint16_t count, room;		/* of the list */
	uint16_t *list;			/* lower halves of members, ascending */
	struct bitmap *map;
};

struct ids {
	struct leaf leaves[NR_LEAVES];
};

struct ids *ids_create(void)
{
	return calloc(1, sizeof(struct ids));
}

void ids_free(struct ids *ids)
{
	if (!ids)
		return;
	for (size_t i = 0; i < NR_LEAVES; i++) {
		free(ids->leaves[i].list);
		free(ids->leaves[i].map);
	}
	free(ids);
}

static void map_add(struct bitmap *map, uint32_t low)
{
	map->bits[low / 64] |= UINT64_C(1) << low % 64;
}

static int leaf_make_map(struct leaf *leaf)
{
	leaf->map = calloc(1, sizeof(*leaf->map));
	if (!leaf->map)
		return -ENOMEM;
	for (uint32_t i = 0; i < leaf->count; i++)
		map_add(leaf->map, leaf->list[i]);
	free(leaf->list);
	leaf->list = NULL;
	leaf->count = leaf->room = 0;
	return 0;
}

/* How many of the list are smaller. */
static uint32_t list_rank(const struct leaf *leaf, uint32_t low)
{
	uint32_t first = 0, end = leaf->count;

	while (first < end) {
		uint32_t middle = (first + end) / 2;

		if (leaf->list[middle] < low)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

static int list_grow(struct leaf *leaf)
{
	uint16_t room = leaf->room ? 2 * leaf->room : 4;
	uint16_t *list = reallocarray(leaf->list, room, sizeof(*list));

	if (!list)
		return -ENOMEM;
	leaf->list = list;
	leaf->room = room;
	return 0;
}

static int list_add(struct leaf *leaf, uint32_t low)
{
	uint32_t at = list_rank(leaf, low);

	if (at < leaf->count && leaf->list[at] == low)
		return 0;
	if (leaf->count == leaf->room && list_grow(leaf))
		return -ENOMEM;
	memmove(leaf->list + at + 1, leaf->list + at,
		(leaf->count - at) * sizeof(*leaf->list));
	leaf->list[at] = (uint16_t)low;
	leaf->count++;
	return 0;
}

static int leaf_add(struct leaf *leaf, uint32_t low)
{
	if (!leaf->map && leaf->count == MOST_LISTED && leaf_make_map(leaf))
		return -ENOMEM;
	if (!leaf->map)
		return list_add(leaf, low);
	map_add(leaf->map, low);
	return 0;
}

int ids_add(struct ids *ids, uint32_t id)
{
	return leaf_add(&ids->leaves[id >> 16], id & 0xffff);
}

static int leaf_merge(struct leaf *leaf, const struct leaf *other)
{
	int ret = 0;

	if (other->map && !leaf->map)
		ret = leaf_make_map(leaf);
	for (size_t w = 0; !ret && other->map && w < LEAF_WORDS; w++)
		leaf->map->bits[w] |= other->map->bits[w];
	for (uint32_t i = 0; !ret && i < other->count; i++)
		ret = leaf_add(leaf, other->list[i]);
	return ret;
}

int ids_merge(struct ids *ids, const struct ids *other)
{
	int ret = 0;

	for (size_t i = 0; i < NR_LEAVES && !ret; i++)
		ret = leaf_merge(&ids->leaves[i], &other->leaves[i]);
	return ret;
}

static uint32_t map_seal(struct bitmap *map)
{
	uint32_t count = 0;

	for (size_t i = 0; i < LEAF_WORDS; i++) {
		map->before[i] = (uint16_t)count;
		count += (uint32_t)__builtin_popcountll(map->bits[i]);
	}
	return count;
}

uint64_t ids_seal(struct ids *ids)
{
	uint64_t count = 0;

	for (size_t i = 0; i < NR_LEAVES; i++) {
		struct leaf *leaf = &ids->leaves[i];

		leaf->base = (uint32_t)count;
		count += leaf->map ? map_seal(leaf->map) : leaf->count;
	}
	return count;
}

uint32_t ids_rank(const struct ids *ids, uint32_t id)
{
	const struct leaf *leaf = &ids->leaves[id >> 16];
	uint32_t low = id & 0xffff;
	uint64_t below;

	if (!leaf->map)
		return leaf->base + list_rank(leaf, low);
	below = leaf->map->bits[low / 64] & ((UINT64_C(1) << low % 64) - 1);
	return leaf->base + leaf->map->before[low / 64] +
	       (uint32_t)__builtin_popcountll(below);
}

static uint32_t *map_list(const struct bitmap *map, uint32_t high, uint32_t *out)
{
	for (uint32_t w = 0; w < LEAF_WORDS; w++) {
		for (uint64_t b = map->bits[w]; b; b &= b - 1)
			*out++ = high | w * 64 | (uint32_t)__builtin_ctzll(b);
	}
	return out;
}

void ids_list(const struct ids *ids, uint32_t *out)
{
	for (uint32_t i = 0; i < NR_LEAVES; i++) {
		const struct leaf *leaf = &ids->leaves[i];

		if (leaf->map)
			out = map_list(leaf->map, i << 16, out);
		for (uint32_t k = 0; k < leaf->count; k++)
			*out++ = i << 16 | leaf->list[k];
	}
}

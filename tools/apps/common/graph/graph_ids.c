// SPDX-License-Identifier: MIT
/*
 * A set of 32-bit numbers as a bitmap of two levels, so that memory follows the
 * members and not the largest of them, with counts that tell a member's rank.
 */
#include <errno.h>
#include <stdlib.h>

#include "tools/apps/common/graph/graph_ids.h"

#define LEAF_WORDS	1024	/* of 64 bits: the lower 16 bits of an id */
#define NR_LEAVES	65536

struct leaf {
	uint32_t base;			/* members in the leaves before */
	uint16_t before[LEAF_WORDS];	/* members in the words before */
	uint64_t bits[LEAF_WORDS];
};

struct ids {
	struct leaf *leaves[NR_LEAVES];
};

struct ids *ids_create(void)
{
	return calloc(1, sizeof(struct ids));
}

void ids_free(struct ids *ids)
{
	if (!ids)
		return;
	for (size_t i = 0; i < NR_LEAVES; i++)
		free(ids->leaves[i]);
	free(ids);
}

int ids_add(struct ids *ids, uint32_t id)
{
	struct leaf **leaf = &ids->leaves[id >> 16];

	if (!*leaf) {
		*leaf = calloc(1, sizeof(**leaf));
		if (!*leaf)
			return -ENOMEM;
	}
	(*leaf)->bits[(id & 0xffff) / 64] |= UINT64_C(1) << id % 64;
	return 0;
}

int ids_merge(struct ids *ids, const struct ids *other)
{
	for (size_t i = 0; i < NR_LEAVES; i++) {
		if (!other->leaves[i])
			continue;
		if (!ids->leaves[i])
			ids->leaves[i] = calloc(1, sizeof(*ids->leaves[i]));
		if (!ids->leaves[i])
			return -ENOMEM;
		for (size_t w = 0; w < LEAF_WORDS; w++)
			ids->leaves[i]->bits[w] |= other->leaves[i]->bits[w];
	}
	return 0;
}

static uint32_t leaf_seal(struct leaf *leaf, uint32_t base)
{
	uint32_t count = 0;

	leaf->base = base;
	for (size_t i = 0; i < LEAF_WORDS; i++) {
		leaf->before[i] = (uint16_t)count;
		count += (uint32_t)__builtin_popcountll(leaf->bits[i]);
	}
	return count;
}

uint64_t ids_seal(struct ids *ids)
{
	uint64_t count = 0;

	for (size_t i = 0; i < NR_LEAVES; i++) {
		if (ids->leaves[i])
			count += leaf_seal(ids->leaves[i], (uint32_t)count);
	}
	return count;
}

uint32_t ids_rank(const struct ids *ids, uint32_t id)
{
	const struct leaf *leaf = ids->leaves[id >> 16];
	uint32_t word = (id & 0xffff) / 64;
	uint64_t below = leaf->bits[word] & ((UINT64_C(1) << id % 64) - 1);

	return leaf->base + leaf->before[word] +
	       (uint32_t)__builtin_popcountll(below);
}

void ids_list(const struct ids *ids, uint32_t *out)
{
	for (uint32_t i = 0; i < NR_LEAVES; i++) {
		const struct leaf *leaf = ids->leaves[i];

		for (uint32_t w = 0; leaf && w < LEAF_WORDS; w++) {
			for (uint64_t b = leaf->bits[w]; b; b &= b - 1)
				*out++ = i << 16 | w * 64 |
					 (uint32_t)__builtin_ctzll(b);
		}
	}
}

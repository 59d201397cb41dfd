// SPDX-License-Identifier: MIT
/*
 * Lane turns: every lane mask and tier, in place or not, against what their
 * definitions say of each byte, taken word by word.
 */
#include "tests/unit/tiers.h"

#define BLOCKS	9
#define STEP	128
#define STREAM	(BLOCKS * STEP)
#define ARENA	(8 * STREAM + 64)

typedef uint8_t arena[ARENA] __attribute__((aligned(64)));

static arena src, dst, want;

static const enum pc_turn ways[] = {
	PC_TURN_PIM, PC_TURN_HOST, PC_TURN_IN, PC_TURN_OUT, PC_TURN_BOTH,
};

/* Where byte b of a lane's word is in its block. */
static unsigned at(bool pim, unsigned lane, unsigned b)
{
	return pim ? 8 * b + lane : 8 * lane + b;
}

static bool from_pim(enum pc_turn way)
{
	return way != PC_TURN_HOST && way != PC_TURN_OUT;
}

static bool to_pim(enum pc_turn way)
{
	return way != PC_TURN_HOST && way != PC_TURN_IN;
}

/* The lane of the same group that has this rank. */
static unsigned lane_of(const struct pc_lanes *l, unsigned lane, unsigned rank)
{
	return l->lane[l->group[lane]][rank];
}

static void turn_block(const struct pc_lanes *l, enum pc_turn way, unsigned k,
		       uint8_t *to, const uint8_t *from)
{
	uint8_t block[64];

	memcpy(block, from, 64);
	for (unsigned lane = 0; lane < 8; lane++) {
		unsigned other = lane_of(l, lane, l->rank[lane] ^ k);

		for (unsigned b = 0; b < 8; b++)
			to[at(to_pim(way), lane, b)] =
				block[at(from_pim(way), other, b)];
	}
}

static void fill_all(uint64_t seed)
{
	struct rng rng = { seed };

	rng_fill(&rng, src, ARENA);
	rng_fill(&rng, dst, ARENA);
	memcpy(want, dst, ARENA);
}

static void streams_in(uint8_t *base, uint8_t *out[8])
{
	for (unsigned k = 0; k < 8; k++)
		out[k] = base + k * STREAM;
}

static void check_move(int isa, unsigned mask, enum pc_turn way, unsigned k)
{
	const struct pc_turns *t = pc_isa_turns((enum pd_isa)isa);
	struct pc_lanes l;

	pc_lanes_init(&l, mask);
	for (enum pd_stores how = 0; how < PD_NR_STORES; how++) {
		fill_all(mask * 8 + k);
		for (size_t i = 0; i < BLOCKS; i++)
			turn_block(&l, way, k, want + 64 * i, src + STEP * i);
		t->move(&l, way, k, dst, 64, src, STEP, BLOCKS, how);
		assert_tier_memory(isa, dst, want, ARENA, mask, way, k);
	}
	for (size_t i = 0; i < BLOCKS; i++)
		turn_block(&l, way, k, want + STEP * i, want + STEP * i);
	t->move(&l, way, k, dst, STEP, dst, STEP, BLOCKS, PD_STORES_PLAIN);
	assert_tier_memory(isa, dst, want, ARENA, mask, way, k);
}

static void check_swap(int isa, unsigned mask, enum pc_turn way, unsigned k)
{
	struct pc_lanes l;

	pc_lanes_init(&l, mask);
	fill_all(mask * 8 + k);
	for (size_t i = 0; i < BLOCKS; i++) {
		uint8_t *a = want + STEP * i, *b = a + STREAM, x[64], y[64];

		turn_block(&l, way, k, x, a);
		turn_block(&l, way, k, y, b);
		memcpy(a, y, 64);
		memcpy(b, x, 64);
	}
	pc_isa_turns((enum pd_isa)isa)->swap(&l, way, k, dst, dst + STREAM,
					     STEP, BLOCKS);
	assert_tier_memory(isa, dst, want, ARENA, mask, way, k);
}

/* Row r holds in all lanes what rank r of their group sent: in stream k by k. */
static void check_align(int isa, unsigned mask, enum pc_turn way)
{
	uint8_t turned[8][64], *from[8];
	struct pc_lanes l;

	pc_lanes_init(&l, mask);
	fill_all(mask);
	streams_in(src, from);
	for (size_t i = 0; i < BLOCKS; i++) {
		for (unsigned k = 0; k < l.nl; k++)
			turn_block(&l, way, k, turned[k], from[k] + STEP * i);
		for (unsigned row = 0; row < l.nl; row++) {
			uint8_t *to = want + 64 * (row * BLOCKS + i);

			for (unsigned x = 0; x < 64; x++) {
				unsigned lane = to_pim(way) ? x % 8 : x / 8;

				to[x] = turned[l.rank[lane] ^ row][x];
			}
		}
	}
	pc_isa_turns((enum pd_isa)isa)->align(&l, way, dst, BLOCKS, from, STEP,
					      BLOCKS);
	assert_tier_memory(isa, dst, want, ARENA, mask, way, l.nl);
}

/* The lane of rank j of stream k is that of stream k ^ j. */
static void check_reorder(int isa, unsigned mask, bool in_place, enum pd_stores stores)
{
	uint8_t *from[8], *to[8];
	struct pc_lanes l;

	pc_lanes_init(&l, mask);
	fill_all(mask);
	streams_in(in_place ? dst : src, from);
	streams_in(dst, to);
	for (size_t i = 0; i < BLOCKS; i++) {
		for (unsigned k = 0; k < l.nl; k++) {
			uint8_t *out = want + k * STREAM + STEP * i;

			for (unsigned x = 0; x < 64; x++)
				out[x] = from[k ^ l.rank[x % 8]][STEP * i + x];
		}
	}
	pc_isa_turns((enum pd_isa)isa)->reorder(&l, to, from, STEP, BLOCKS,
						stores);
	assert_tier_memory(isa, dst, want, ARENA, mask, in_place, stores);
}

static void check_turns(int isa)
{
	for (unsigned mask = 0; mask < 8; mask++) {
		struct pc_lanes l;

		pc_lanes_init(&l, mask);
		for (size_t w = 0; w < ARRAY_SIZE(ways); w++) {
			for (unsigned k = 0; k < l.nl; k++) {
				check_move(isa, mask, ways[w], k);
				check_swap(isa, mask, ways[w], k);
			}
		}
	}
}

static void check_all_aligned(int isa)
{
	for (unsigned mask = 0; mask < 8; mask++) {
		check_align(isa, mask, PC_TURN_PIM);
		check_align(isa, mask, PC_TURN_HOST);
		check_align(isa, mask, PC_TURN_IN);
	}
}

static void check_all_reordered(int isa)
{
	for (unsigned mask = 0; mask < 8; mask++) {
		for (enum pd_stores how = 0; how < PD_NR_STORES; how++)
			check_reorder(isa, mask, false, how);
		check_reorder(isa, mask, true, PD_STORES_PLAIN);
	}
}

static void test_turns(void **state)
{
	(void)state;
	each_tier(check_turns);
}

static void test_align(void **state)
{
	(void)state;
	each_tier(check_all_aligned);
}

static void test_reorder(void **state)
{
	(void)state;
	each_tier(check_all_reordered);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_turns),
	cmocka_unit_test(test_align),
	cmocka_unit_test(test_reorder),
};

UNIT_MAIN(tests)

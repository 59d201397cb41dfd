// SPDX-License-Identifier: MIT
/* The runtime's loops, every tier against the formula of the PIM domain. */
#include "tests/unit/tiers.h"

#define WORDS	147
#define ARENA	(WORDS * 128 + 256)

static uint8_t window[ARENA] __attribute__((aligned(64)));
static uint8_t want[ARENA], host[8][WORDS * 8 + 64];

/* byte b of lane l's word lies at byte 8*b + l of its block */
static uint8_t *pim(uint8_t *blocks, size_t step, size_t word, unsigned l,
		    unsigned b)
{
	return blocks + word * step + 8 * b + l;
}

static void fill_all(uint64_t seed)
{
	struct rng rng = { seed };

	rng_fill(&rng, window, ARENA);
	memcpy(want, window, ARENA);
	rng_fill(&rng, host, sizeof(host));
}

static void check_lane(int isa, size_t step, unsigned lane, size_t words,
		       size_t at)
{
	const struct pd_blocks *k = pd_isa_blocks((enum pd_isa)isa);
	uint8_t *src = host[0] + at, got[WORDS * 8 + 8], expected[WORDS * 8 + 8];

	fill_all(lane * 1000 + words);
	for (size_t w = 0; w < words; w++)
		for (unsigned b = 0; b < 8; b++)
			*pim(want, step, w, lane, b) = src[8 * w + b];
	k->lane_put(window, step, lane, src, words);
	assert_tier_memory(isa, window, want, ARENA, lane, words, step);

	memset(got, 0x3c, sizeof(got));
	memset(expected, 0x3c, sizeof(expected));
	memcpy(expected, src, 8 * words);
	k->lane_get(got, window, step, lane, words);
	assert_tier_memory(isa, got, expected, sizeof(got), lane, words, step);
}

static void check_lanes(int isa)
{
	for (size_t step = 64; step <= 128; step += 64)
		for (unsigned lane = 0; lane < 8; lane++)
			for (size_t words = 0; words <= 20; words++)
				check_lane(isa, step, lane, words, words % 13);
}

/* where buffers begin behind a line, and lane by lane */
static const size_t begins[] = { 0, 3, 8, 40, 56, 63 };
static const size_t distances[] = { 0, 8, 13, 32 };

/* Buffers begin `at` bytes behind a line, and lane by lane `apart` bytes more. */
static void check_group(int isa, size_t step, size_t words, size_t at,
			size_t apart, enum pd_stores stores)
{
	const struct pd_blocks *k = pd_isa_blocks((enum pd_isa)isa);
	_Alignas(64) static uint8_t got[8][WORDS * 8 + 64];
	_Alignas(64) static uint8_t expected[8][WORDS * 8 + 64];
	const void *src[8];
	void *dst[8];

	fill_all(words * 64 + at);
	memset(got, 0x77, sizeof(got));
	memset(expected, 0x77, sizeof(expected));
	for (unsigned l = 0; l < 8; l++) {
		src[l] = host[l] + (at * (l + 1)) % 64;
		dst[l] = got[l] + (at + apart * l) % 64;
		memcpy(expected[l] + (at + apart * l) % 64, src[l], 8 * words);
		for (size_t w = 0; w < words; w++)
			for (unsigned b = 0; b < 8; b++)
				*pim(want, step, w, l, b) =
					((const uint8_t *)src[l])[8 * w + b];
	}
	k->eg_put(window, step, src, words, stores);
	assert_tier_memory(isa, window, want, ARENA, words, at, step);
	k->eg_get(dst, window, step, words, stores);
	assert_tier_memory(isa, got, expected, sizeof(got), words, at, apart);

	/* of some lanes alone */
	memset(got, 0x77, sizeof(got));
	for (unsigned l = 0; l < 8; l++) {
		if ((words * 37 + at + apart) >> l & 1)
			continue;
		dst[l] = NULL;
		memset(expected[l], 0x77, sizeof(expected[l]));
	}
	k->eg_get(dst, window, step, words, stores);
	assert_tier_memory(isa, got, expected, sizeof(got), words, at, apart);
}

/* Two groups whose blocks alternate; all sixteen buffers, then without one of them. */
static void check_pair(int isa, size_t words, size_t at, size_t apart, enum pd_stores stores)
{
	const struct pd_blocks *k = pd_isa_blocks((enum pd_isa)isa);
	_Alignas(64) static uint8_t got[16][WORDS * 8 + 64], expected[16][WORDS * 8 + 64];
	void *dst[16];

	fill_all(words * 64 + at);
	for (int without = -1; without < 16; without += 5) {
		memset(got, 0x77, sizeof(got));
		memset(expected, 0x77, sizeof(expected));
		for (unsigned l = 0; l < 16; l++) {
			size_t from = (at + apart * l) % 64;

			dst[l] = (int)l == without ? NULL : got[l] + from;
			for (size_t i = 0; dst[l] && i < 8 * words; i++)
				expected[l][from + i] =
					*pim(window + l / 8 * 64, 128, i / 8, l % 8, i % 8);
		}
		k->pair_get(dst, window, 128, words, stores);
		assert_tier_memory(isa, got, expected, sizeof(got), words, at, apart);
		assert_tier_memory(isa, window, want, ARENA, words, at, apart);
	}
}

static void check_pairs(int isa)
{
	for (enum pd_stores stores = 0; stores < PD_NR_STORES; stores++)
		for (size_t words = 0; words <= WORDS; words += words < 70 ? 1 : 11)
			for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
				for (size_t j = 0; j < ARRAY_SIZE(distances); j++)
					check_pair(isa, words, begins[i], distances[j], stores);
}

static void check_groups(int isa)
{
	for (enum pd_stores stores = 0; stores < PD_NR_STORES; stores++)
		for (size_t words = 0; words <= WORDS; words += words < 70 ? 1 : 11)
			for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
				for (size_t j = 0; j < ARRAY_SIZE(distances); j++)
					check_group(isa, 64 << (words & 1),
						    words, begins[i], distances[j],
						    stores);
}

static void check_transpose(int isa)
{
	const struct pd_blocks *k = pd_isa_blocks((enum pd_isa)isa);
	static uint8_t blocks[ARENA];

	for (size_t n = 0; n <= WORDS; n++) {
		for (size_t at = 0; at < 64; at += 7) {
			fill_all(n * 64 + at);
			memcpy(blocks, window, ARENA);
			for (size_t w = 0; w < n; w++)
				for (unsigned l = 0; l < 8; l++)
					for (unsigned b = 0; b < 8; b++)
						*pim(want + at, 64, w, l, b) =
						window[at + 64 * w + 8 * l + b];
			k->transpose(blocks + at, window + at, n);
			assert_tier_memory(isa, blocks, want, ARENA, n, at, 0);
			k->transpose(blocks + at, blocks + at, n);
			assert_tier_memory(isa, blocks, window, ARENA, n, at, 1);
		}
	}
}

static void test_lanes(void **state)
{
	(void)state;
	each_tier(check_lanes);
}

static void test_groups(void **state)
{
	(void)state;
	each_tier(check_groups);
}

static void test_pair(void **state)
{
	(void)state;
	each_tier(check_pairs);
}

static void test_transpose(void **state)
{
	(void)state;
	each_tier(check_transpose);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lanes),
	cmocka_unit_test(test_groups),
	cmocka_unit_test(test_pair),
	cmocka_unit_test(test_transpose),
};

UNIT_MAIN(tests)

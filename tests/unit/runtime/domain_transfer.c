// SPDX-License-Identifier: MIT
/* The domain transfer: byte 8*i + j of each block becomes byte 8*j + i. */
#include "tests/unit/unit.h"

#define MAX_BLOCKS	70
#define ARENA		(64 * MAX_BLOCKS + 256)

static void expect(uint8_t *dst, const uint8_t *src, size_t blocks)
{
	for (size_t n = 0; n < blocks; n++)
		for (int i = 0; i < 8; i++)
			for (int j = 0; j < 8; j++)
				dst[64 * n + 8 * j + i] = src[64 * n + 8 * i + j];
}

static void check_apart(size_t blocks, size_t from, size_t to)
{
	static uint8_t src[ARENA], dst[ARENA], want[ARENA], kept[ARENA];
	struct rng rng = { blocks * 4096 + from * 64 + to };

	rng_fill(&rng, src, ARENA);
	rng_fill(&rng, dst, ARENA);
	memcpy(kept, src, ARENA);
	memcpy(want, dst, ARENA);
	expect(want + to, src + from, blocks);
	pimdimm_domain_transfer(dst + to, src + from, blocks);
	assert_memory_equal(dst, want, ARENA);
	assert_memory_equal(src, kept, ARENA);
}

static void check_in_place(size_t blocks, size_t at)
{
	static uint8_t buf[ARENA], want[ARENA], kept[ARENA];
	struct rng rng = { blocks * 64 + at };

	rng_fill(&rng, buf, ARENA);
	memcpy(want, buf, ARENA);
	memcpy(kept, buf, ARENA);
	expect(want + at, buf + at, blocks);
	pimdimm_domain_transfer(buf + at, buf + at, blocks);
	assert_memory_equal(buf, want, ARENA);
	pimdimm_domain_transfer(buf + at, buf + at, blocks);
	assert_memory_equal(buf, kept, ARENA);
}

static void test_lengths(void **state)
{
	(void)state;
	for (size_t blocks = 0; blocks <= MAX_BLOCKS; blocks++) {
		check_apart(blocks, 64, 64);
		check_in_place(blocks, 64);
	}
}

static void test_alignments(void **state)
{
	(void)state;
	for (size_t from = 0; from < 64; from++) {
		for (size_t to = 0; to < 64; to++)
			check_apart(5, from, to);
		for (size_t blocks = 0; blocks < 12; blocks++)
			check_in_place(blocks, from);
	}
}

/* Either buffer ends exactly where memory does. */
static void test_ends(void **state)
{
	(void)state;
	for (size_t blocks = 1; blocks < 20; blocks++) {
		uint8_t *src = need(malloc(64 * blocks));
		uint8_t *dst = need(malloc(64 * blocks));
		uint8_t *want = need(malloc(64 * blocks));
		struct rng rng = { blocks };

		rng_fill(&rng, src, 64 * blocks);
		expect(want, src, blocks);
		pimdimm_domain_transfer(dst, src, blocks);
		assert_memory_equal(dst, want, 64 * blocks);
		free(src);
		free(dst);
		free(want);
	}
}

static void test_none(void **state)
{
	(void)state;
	pimdimm_domain_transfer(NULL, NULL, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lengths),
	cmocka_unit_test(test_alignments),
	cmocka_unit_test(test_ends),
	cmocka_unit_test(test_none),
};

UNIT_MAIN(tests)

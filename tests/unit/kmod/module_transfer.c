// SPDX-License-Identifier: MIT
/*
 * The kernel module's domain transfer, scalar and by AVX2, against its
 * definition: byte b of lane l's word lies at byte 8*b + l of its block.
 */
#include "tests/unit/unit.h"

#include "kmod/transpose.h"
#ifdef __x86_64__
#include "kmod/transpose_avx2.h"
#endif

#define MAX_BLOCKS	70u
#define PITCH		75u	/* words from lane to lane */
#define STRIDES		128u	/* the widest */

struct way {
	const char *name;
	bool avx2;
	void (*store)(void *blocks, size_t stride, uint64_t *const lanes[8],
		      size_t count);
	void (*load)(uint64_t *const lanes[8], const void *blocks,
		     size_t stride, size_t count);
};

static void store_all_lanes(void *blocks, size_t stride,
			    uint64_t *const lanes[8], size_t count)
{
	pimdimm_store_lanes(blocks, stride, lanes, count, 0xff);
}

static const struct way ways[] = {
	{ "scalar", false, pimdimm_store_blocks, pimdimm_load_blocks },
	{ "lanes", false, store_all_lanes, pimdimm_load_blocks },
#ifdef __x86_64__
	{ "AVX2", true, pimdimm_avx2_store_blocks, pimdimm_avx2_load_blocks },
#endif
};

static bool has_avx2(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

static _Alignas(8) uint8_t lanes_of[8 * PITCH * 8];
static _Alignas(8) uint8_t blocks_of[MAX_BLOCKS * STRIDES];
static uint8_t want[sizeof(blocks_of) + sizeof(lanes_of)];

static uint8_t *lane_byte(uint8_t *lanes, unsigned int lane, size_t word,
			  unsigned int byte)
{
	return lanes + 8 * (PITCH * lane + word) + byte;
}

#define LANE(l)	((uint64_t *)lane_byte(lanes_of, l, 0, 0))
#define LANES	((uint64_t *const[8]){ LANE(0), LANE(1), LANE(2), LANE(3), \
				       LANE(4), LANE(5), LANE(6), LANE(7) })

static void fill(uint8_t *bytes, size_t count, uint64_t seed)
{
	for (size_t i = 0; i < count; i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		bytes[i] = (uint8_t)(seed >> 56);
	}
}

static void check_store(const struct way *way, size_t stride, size_t count)
{
	fill(lanes_of, sizeof(lanes_of), count + 1);
	fill(blocks_of, sizeof(blocks_of), count + 2);
	memcpy(want, blocks_of, sizeof(blocks_of));
	for (size_t i = 0; i < count; i++)
		for (unsigned int at = 0; at < 64; at++)
			want[i * stride + at] =
				*lane_byte(lanes_of, at % 8, i, at / 8);
	way->store(blocks_of, stride, LANES, count);
	if (memcmp(want, blocks_of, sizeof(blocks_of)))
		fail_msg("%s: store of %zu blocks %zu apart", way->name, count,
			 stride);
}

static void check_load(const struct way *way, size_t stride, size_t count)
{
	fill(lanes_of, sizeof(lanes_of), count + 3);
	fill(blocks_of, sizeof(blocks_of), count + 4);
	memcpy(want, lanes_of, sizeof(lanes_of));
	for (size_t i = 0; i < count; i++)
		for (unsigned int at = 0; at < 64; at++)
			*lane_byte(want, at % 8, i, at / 8) =
				blocks_of[i * stride + at];
	way->load(LANES, blocks_of, stride, count);
	if (memcmp(want, lanes_of, sizeof(lanes_of)))
		fail_msg("%s: load of %zu blocks %zu apart", way->name, count,
			 stride);
}

/* Each count, so that what vectors leave over is done, and nothing beyond. */
static void test_all_ways(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (ways[i].avx2 && !has_avx2())
			continue;
		for (size_t count = 0; count <= MAX_BLOCKS; count++) {
			for (size_t stride = 64; stride <= STRIDES; stride *= 2) {
				check_store(&ways[i], stride, count);
				check_load(&ways[i], stride, count);
			}
		}
	}
}

/* The lanes that are not selected keep every byte. */
static void test_some_lanes(void **state)
{
	(void)state;
	for (unsigned int mask = 0; mask < 256; mask++) {
		fill(lanes_of, sizeof(lanes_of), mask);
		fill(blocks_of, sizeof(blocks_of), mask + 1);
		memcpy(want, blocks_of, sizeof(blocks_of));
		for (size_t at = 0; at < 64 * 5; at++)
			if (mask >> at % 8 & 1)
				want[at] = *lane_byte(lanes_of, at % 8, at / 64,
						      at % 64 / 8);
		pimdimm_store_lanes(blocks_of, 64, LANES, 5, mask);
		assert_memory_equal(want, blocks_of, sizeof(blocks_of));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all_ways),
	cmocka_unit_test(test_some_lanes),
};

UNIT_MAIN(tests)

// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of the layouts, against their definition written out step by step.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sizes.h>

#include "uapi/pimdimm_layout.h"

/* Short of a rotation, one of them, several, and not a power of two. */
static const u64 mram_sizes[] = {
	PIMDIMM_MRAM_MIN, PIMDIMM_MRAM_MIN + PIMDIMM_MRAM_ALIGN, SZ_1M,
	3 * SZ_1M + SZ_4K, PIMDIMM_MRAM_MAX,
};

/* Marks the place of each block; says whether all have one of their own. */
static bool place_all(unsigned long *taken, u32 layout, u64 mram_size)
{
	u64 span = pimdimm_layout_span(layout, mram_size);
	u64 words = mram_size / PIMDIMM_WORD_BYTES;
	unsigned int bank;
	u64 word, offset;

	for (bank = 0; bank < PIMDIMM_BANKS; bank++) {
		for (word = 0; word < words; word++) {
			offset = pimdimm_layout_offset(layout, mram_size, bank,
						       word);
			if (offset % PIMDIMM_BLOCK_BYTES || offset >= span ||
			    __test_and_set_bit(offset / PIMDIMM_BLOCK_BYTES,
					       taken))
				return false;
		}
	}
	return true;
}

static void layout_injective(struct kunit *test)
{
	const u64 mram_size = PIMDIMM_MRAM_MIN + PIMDIMM_MRAM_ALIGN;
	unsigned long *taken;
	u32 layout;

	for (layout = 0; layout < PIMDIMM_NR_LAYOUTS; layout++) {
		u64 places = pimdimm_layout_span(layout, mram_size) /
			     PIMDIMM_BLOCK_BYTES;

		taken = kvcalloc(BITS_TO_LONGS(places), sizeof(*taken),
				 GFP_KERNEL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, taken);
		KUNIT_EXPECT_TRUE(test, place_all(taken, layout, mram_size));
		kvfree(taken);
	}
}

static void layout_linear(struct kunit *test)
{
	const u64 mram_size = 3 * SZ_1M + SZ_4K;
	u64 word;
	u32 bank;

	for (bank = 0; bank < PIMDIMM_BANKS; bank++)
		for (word = 0; word < mram_size / 8; word += 509)
			KUNIT_ASSERT_EQ(test, bank * 8 * mram_size + 64 * word,
					pimdimm_layout_offset(PIMDIMM_LAYOUT_LINEAR,
							      mram_size, bank,
							      word));
}

static u64 xeon_sp_offset(u32 bank, u64 word)
{
	u64 m = 8 * word, rotated = m, x;
	int bit;

	for (bit = 14; bit <= 21; bit++)
		rotated &= ~BIT_ULL(bit);
	for (bit = 15; bit <= 21; bit++)
		if (m & BIT_ULL(bit))
			rotated |= BIT_ULL(bit - 1);
	if (m & BIT_ULL(14))
		rotated |= BIT_ULL(21);
	x = 16 * rotated;
	return 0x40000 * (bank % 4) + (bank >= 4 ? 0x40 : 0) + x % 0x20000 +
	       x / 0x20000 * 0x100000;
}

static void layout_xeon_sp(struct kunit *test)
{
	u64 word;
	u32 bank;

	for (bank = 0; bank < PIMDIMM_BANKS; bank++)
		for (word = 0; word < PIMDIMM_MRAM_MAX / 8; word += 509)
			KUNIT_ASSERT_EQ(test, xeon_sp_offset(bank, word),
					pimdimm_layout_offset(PIMDIMM_LAYOUT_XEON_SP,
							      PIMDIMM_MRAM_MAX,
							      bank, word));
}

/* No block ends behind the window, and the last one ends near its end. */
static void layout_span_of(struct kunit *test, u32 layout, u64 mram_size)
{
	u64 span = pimdimm_layout_span(layout, mram_size);
	u64 last = 0, word;

	for (word = 0; word < mram_size / 8; word++)
		last = max(last, pimdimm_layout_offset(layout, mram_size, 7,
						       word));
	KUNIT_EXPECT_EQ(test, 0, span % PIMDIMM_MRAM_ALIGN);
	KUNIT_EXPECT_LE(test, last + PIMDIMM_BLOCK_BYTES, span);
	KUNIT_EXPECT_GT(test, last + SZ_1M, span);
}

static void layout_span(struct kunit *test)
{
	u32 layout;
	int i;

	for (layout = 0; layout < PIMDIMM_NR_LAYOUTS; layout++)
		for (i = 0; i < ARRAY_SIZE(mram_sizes); i++)
			layout_span_of(test, layout, mram_sizes[i]);
}

static void layout_runs_of(struct kunit *test, u32 layout, u64 mram_size)
{
	u64 stride = pimdimm_layout_stride(layout), word, run, i;

	for (word = 0; word < mram_size / 8; word += run) {
		u64 first = pimdimm_layout_offset(layout, mram_size, 3, word);

		run = pimdimm_layout_run(layout, mram_size, word);
		KUNIT_ASSERT_GT(test, run, 0);
		KUNIT_ASSERT_LE(test, word + run, mram_size / 8);
		for (i = 0; i < run; i += 127)
			KUNIT_ASSERT_EQ(test, first + i * stride,
					pimdimm_layout_offset(layout, mram_size,
							      3, word + i));
	}
}

/* Evenly spaced, and together all there is. */
static void layout_runs(struct kunit *test)
{
	u32 layout;
	int i;

	for (layout = 0; layout < PIMDIMM_NR_LAYOUTS; layout++)
		for (i = 0; i < ARRAY_SIZE(mram_sizes); i++)
			layout_runs_of(test, layout, mram_sizes[i]);
}

static struct kunit_case layout_cases[] = {
	KUNIT_CASE(layout_injective),
	KUNIT_CASE(layout_linear),
	KUNIT_CASE(layout_xeon_sp),
	KUNIT_CASE(layout_span),
	KUNIT_CASE(layout_runs),
	{}
};

static struct kunit_suite layout_suite = {
	.name = "pimdimm_layout",
	.test_cases = layout_cases,
};

kunit_test_suite(layout_suite);

MODULE_DESCRIPTION("KUnit tests of pimdimm");
MODULE_AUTHOR("The pimdimm authors");
MODULE_LICENSE("GPL");

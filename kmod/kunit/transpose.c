// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of the domain transfer, portable and by AVX2, against its
 * definition: byte b of lane l's word lies at byte 8*b + l of its block.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/string.h>

#include "kmod/transpose.h"

#ifdef CONFIG_X86_64
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>

#include "kmod/transpose_avx2.h"
#endif

#define WORDS	24	/* of a lane: several steps of AVX2 */
#define PITCH	27	/* words from lane to lane */
#define STRIDE	128	/* of blocks, the widest */

/**
 * struct transfer - both sides of a domain transfer
 * @words: words of the eight lanes, host domain
 * @back: the same, as they come back
 * @lanes: where each lane's @words are
 * @back_lanes: and its @back
 * @blocks: PIM domain
 * @expected: what @blocks should hold
 */
struct transfer {
	u64 words[8 * PITCH];
	u64 back[8 * PITCH];
	u64 *lanes[8];
	u64 *back_lanes[8];
	u8 blocks[WORDS * STRIDE] __aligned(8);
	u8 expected[WORDS * STRIDE];
};

static int transpose_init(struct kunit *test)
{
	struct transfer *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	u64 value = 0x9e3779b97f4a7c15;
	int i;

	if (!t)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(t->words); i++) {
		value = value * 6364136223846793005ULL + 1442695040888963407ULL;
		t->words[i] = value;
	}
	for (i = 0; i < 8; i++) {
		t->lanes[i] = &t->words[i * PITCH];
		t->back_lanes[i] = &t->back[i * PITCH];
	}
	test->priv = t;
	return 0;
}

/* What storing the lanes of @mask leaves, of all blocks and of the gaps. */
static void transpose_expect(struct transfer *t, size_t stride, size_t count,
			     unsigned int mask)
{
	size_t word, lane, b;

	memset(t->blocks, 0xa5, sizeof(t->blocks));
	memset(t->expected, 0xa5, sizeof(t->expected));
	for (word = 0; word < count; word++)
		for (lane = 0; lane < 8; lane++)
			for (b = 0; b < 8 && (mask & BIT(lane)); b++)
				t->expected[word * stride + 8 * b + lane] =
					t->words[lane * PITCH + word] >> (8 * b);
}

static void expect_blocks(struct kunit *test)
{
	struct transfer *t = test->priv;

	KUNIT_EXPECT_EQ(test, 0,
			memcmp(t->blocks, t->expected, sizeof(t->blocks)));
}

/* Of each lane @count words have come back, and no more. */
static void expect_lanes(struct kunit *test, size_t count)
{
	struct transfer *t = test->priv;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t->back); i++) {
		u64 word = i % PITCH < count ? t->words[i] : 0;

		KUNIT_EXPECT_EQ(test, word, t->back[i]);
	}
}

typedef void store_fn(void *blocks, size_t stride, u64 *const lanes[8],
		      size_t count);
typedef void load_fn(u64 *const lanes[8], const void *blocks, size_t stride,
		     size_t count);

static void check_store(struct kunit *test, store_fn *store)
{
	struct transfer *t = test->priv;
	size_t stride, count;

	for (stride = 64; stride <= STRIDE; stride += 64) {
		for (count = 0; count <= WORDS; count++) {
			transpose_expect(t, stride, count, 0xff);
			store(t->blocks, stride, t->lanes, count);
			expect_blocks(test);
		}
	}
}

static void check_load(struct kunit *test, load_fn *load)
{
	struct transfer *t = test->priv;
	size_t stride, count;

	for (stride = 64; stride <= STRIDE; stride += 64) {
		for (count = 0; count <= WORDS; count++) {
			transpose_expect(t, stride, WORDS, 0xff);
			memcpy(t->blocks, t->expected, sizeof(t->blocks));
			memset(t->back, 0, sizeof(t->back));
			load(t->back_lanes, t->blocks, stride, count);
			expect_lanes(test, count);
			expect_blocks(test);
		}
	}
}

static void transpose_word(struct kunit *test)
{
	u64 w[8], before[8];
	int i;

	for (i = 0; i < 8; i++)
		w[i] = 0x0706050403020100ULL + 0x0808080808080808ULL * i;
	memcpy(before, w, sizeof(w));
	pimdimm_transpose(w);
	for (i = 0; i < 64; i++)
		KUNIT_EXPECT_EQ(test, 8 * (i % 8) + i / 8, ((u8 *)w)[i]);
	pimdimm_transpose(w);
	KUNIT_EXPECT_EQ(test, 0, memcmp(w, before, sizeof(w)));
}

static void transpose_store(struct kunit *test)
{
	check_store(test, pimdimm_store_blocks);
}

static void transpose_load(struct kunit *test)
{
	check_load(test, pimdimm_load_blocks);
}

/* Every selection; what is not selected keeps its bytes. */
static void transpose_store_lanes(struct kunit *test)
{
	struct transfer *t = test->priv;
	unsigned int mask;

	for (mask = 0; mask < 256; mask++) {
		transpose_expect(t, STRIDE, WORDS, mask);
		pimdimm_store_lanes(t->blocks, STRIDE, t->lanes, WORDS, mask);
		expect_blocks(test);
	}
}

#ifdef CONFIG_X86_64
static void store_by_avx2(void *blocks, size_t stride, u64 *const lanes[8],
			  size_t count)
{
	kernel_fpu_begin();
	pimdimm_avx2_store_blocks(blocks, stride, lanes, count);
	kernel_fpu_end();
}

static void load_by_avx2(u64 *const lanes[8], const void *blocks, size_t stride,
			 size_t count)
{
	kernel_fpu_begin();
	pimdimm_avx2_load_blocks(lanes, blocks, stride, count);
	kernel_fpu_end();
}

static void transpose_avx2(struct kunit *test)
{
	if (!boot_cpu_has(X86_FEATURE_AVX2))
		kunit_skip(test, "this CPU has no AVX2");
	check_store(test, store_by_avx2);
	check_load(test, load_by_avx2);
}
#endif

static struct kunit_case transpose_cases[] = {
	KUNIT_CASE(transpose_word),
	KUNIT_CASE(transpose_store),
	KUNIT_CASE(transpose_load),
	KUNIT_CASE(transpose_store_lanes),
#ifdef CONFIG_X86_64
	KUNIT_CASE(transpose_avx2),
#endif
	{}
};

static struct kunit_suite transpose_suite = {
	.name = "pimdimm_transpose",
	.init = transpose_init,
	.test_cases = transpose_cases,
};

kunit_test_suite(transpose_suite);

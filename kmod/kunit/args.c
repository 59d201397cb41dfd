// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of what the ioctls take for an argument.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/sizes.h>

#include "kmod/args.h"

#define MRAM	SZ_1M
#define WINDOW	(64ULL * MRAM)

static void args_flags(struct kunit *test)
{
	struct pimdimm_query query = {};
	struct pimdimm_reset reset = {};
	struct pimdimm_mux mux = { .reserved = 1 };
	struct pimdimm_touch touch = { .words = U64_MAX };
	struct pimdimm_export export = { .reserved = 1 };
	int bit;

	KUNIT_EXPECT_EQ(test, 0, pimdimm_check_query(&query));
	KUNIT_EXPECT_EQ(test, 0, pimdimm_check_reset(&reset));
	for (bit = 0; bit < 32; bit++) {
		query.flags = BIT(bit);
		reset.flags = BIT(bit);
		/* said first, whatever else is wrong */
		mux.flags = BIT(bit);
		touch.flags = BIT(bit);
		export.flags = BIT(bit);
		KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, pimdimm_check_query(&query));
		KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, pimdimm_check_reset(&reset));
		KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, pimdimm_check_mux(&mux));
		KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, pimdimm_check_touch(&touch));
		KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
				pimdimm_check_export(&export, WINDOW));
	}
}

static void args_xfer_flags(struct kunit *test)
{
	const u32 known = PIMDIMM_XFER_FROM_MRAM | PIMDIMM_XFER_STRIDED;
	struct pimdimm_xfer arg = { .offset = 1, .stride = 8 };
	int bit;

	/* the first two are known */
	for (bit = 2; bit < 32; bit++) {
		arg.flags = BIT(bit);
		KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
				pimdimm_check_xfer(&arg, MRAM));
		arg.flags = BIT(bit) | known;
		KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
				pimdimm_check_xfer(&arg, MRAM));
	}
	arg.offset = 0;
	arg.flags = PIMDIMM_XFER_STRIDED;
	KUNIT_EXPECT_EQ(test, 0, pimdimm_check_xfer(&arg, MRAM));
	arg.flags = PIMDIMM_XFER_FROM_MRAM;
	KUNIT_EXPECT_EQ(test, -EINVAL, pimdimm_check_xfer(&arg, MRAM));
	arg.stride = 0;
	KUNIT_EXPECT_EQ(test, 0, pimdimm_check_xfer(&arg, MRAM));
}

/* A range, and what a check of it should say. */
struct bounds {
	u64 offset;
	u64 bytes;
	int result;
};

static void args_xfer_range(struct kunit *test)
{
	static const struct bounds ranges[] = {
		{ 0, 0, 0 },
		{ 0, 8, 0 },
		{ 0, MRAM, 0 },
		{ MRAM - 8, 8, 0 },
		{ MRAM, 0, 0 },
		{ 4, 8, -EINVAL },
		{ 8, 4, -EINVAL },
		{ MRAM, 8, -EINVAL },
		{ MRAM + 8, 0, -EINVAL },
		{ 8, MRAM, -EINVAL },
		/* sums that wrap around */
		{ 8, U64_MAX - 7, -EINVAL },
		{ U64_MAX - 7, 8, -EINVAL },
		{ U64_MAX - 7, 16, -EINVAL },
		{ MRAM, U64_MAX - 7, -EINVAL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		const struct pimdimm_xfer arg = {
			.offset = ranges[i].offset,
			.bytes = ranges[i].bytes,
		};

		KUNIT_EXPECT_EQ_MSG(test, ranges[i].result,
				    pimdimm_check_xfer(&arg, MRAM),
				    "%#llx bytes at %#llx", arg.bytes,
				    arg.offset);
	}
}

static void args_export_range(struct kunit *test)
{
	static const struct bounds ranges[] = {
		{ 0, PAGE_SIZE, 0 },
		{ 0, WINDOW, 0 },
		{ WINDOW - PAGE_SIZE, PAGE_SIZE, 0 },
		{ 0, 0, -EINVAL },
		{ WINDOW, 0, -EINVAL },
		{ 8, PAGE_SIZE, -EINVAL },
		{ 0, PAGE_SIZE - 8, -EINVAL },
		{ WINDOW, PAGE_SIZE, -EINVAL },
		{ PAGE_SIZE, WINDOW, -EINVAL },
		{ WINDOW + PAGE_SIZE, PAGE_SIZE, -EINVAL },
		{ PAGE_SIZE, -PAGE_SIZE, -EINVAL },
		{ -PAGE_SIZE, PAGE_SIZE, -EINVAL },
		{ -PAGE_SIZE, 2 * PAGE_SIZE, -EINVAL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		const struct pimdimm_export arg = {
			.offset = ranges[i].offset,
			.bytes = ranges[i].bytes,
		};

		KUNIT_EXPECT_EQ_MSG(test, ranges[i].result,
				    pimdimm_check_export(&arg, WINDOW),
				    "%#llx bytes at %#llx", arg.bytes,
				    arg.offset);
	}
}

static void args_export_reserved(struct kunit *test)
{
	struct pimdimm_export arg = { .bytes = PAGE_SIZE, .out_fd = -77 };

	KUNIT_EXPECT_EQ(test, 0, pimdimm_check_export(&arg, WINDOW));
	arg.reserved = BIT(31);
	KUNIT_EXPECT_EQ(test, -EINVAL, pimdimm_check_export(&arg, WINDOW));
}

static void args_mux(struct kunit *test)
{
	struct pimdimm_mux arg = { .owner = PIMDIMM_MUX_HOST };

	KUNIT_EXPECT_EQ(test, 0, pimdimm_check_mux(&arg));
	arg.owner = PIMDIMM_MUX_PES;
	KUNIT_EXPECT_EQ(test, 0, pimdimm_check_mux(&arg));
	arg.owner = PIMDIMM_MUX_PES + 1;
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, pimdimm_check_mux(&arg));
	arg.owner = U32_MAX;
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, pimdimm_check_mux(&arg));
	arg.reserved = 1;
	KUNIT_EXPECT_EQ(test, -EINVAL, pimdimm_check_mux(&arg));
}

static void args_touch(struct kunit *test)
{
	/* all words of the largest rank */
	struct pimdimm_touch arg = { .words = 1ULL << 29 };

	KUNIT_EXPECT_EQ(test, 0, pimdimm_check_touch(&arg));
	arg.words++;
	KUNIT_EXPECT_EQ(test, -EINVAL, pimdimm_check_touch(&arg));
	arg.words = U64_MAX;
	KUNIT_EXPECT_EQ(test, -EINVAL, pimdimm_check_touch(&arg));
	arg.words = 0;
	KUNIT_EXPECT_EQ(test, 0, pimdimm_check_touch(&arg));
}

static struct kunit_case args_cases[] = {
	KUNIT_CASE(args_flags),
	KUNIT_CASE(args_xfer_flags),
	KUNIT_CASE(args_xfer_range),
	KUNIT_CASE(args_export_range),
	KUNIT_CASE(args_export_reserved),
	KUNIT_CASE(args_mux),
	KUNIT_CASE(args_touch),
	{}
};

static struct kunit_suite args_suite = {
	.name = "pimdimm_args",
	.test_cases = args_cases,
};

kunit_test_suite(args_suite);

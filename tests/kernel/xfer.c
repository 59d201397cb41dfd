// SPDX-License-Identifier: MIT
/*
 * XFER moves the right bytes: every mask, both directions, array and strided,
 * any alignment of host buffers, compared with the window by the layout's
 * formulas. What was not selected keeps its bytes, in MRAM and in host memory.
 */
#include <sys/ioctl.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"

/* Bytes beside a transfer, of each PE and each host buffer, that are checked */
#define MARGIN 32u

struct plan {
	uint32_t flags;
	uint64_t mask;
	uint64_t offset;
	uint64_t bytes;
	/* host: where the first buffer begins, how far the next one is */
	size_t skew;
	size_t pitch;
};

/* The bytes of all PEs around a transfer: [first, first + span) of each. */
struct region {
	uint64_t first;
	uint64_t span;
	uint8_t *bytes; /* PE after PE */
};

struct scene {
	struct rank rank;
	struct random random;
	struct region region;
	uint8_t *host;
	uint8_t *expected_host;
	size_t host_size;
};

static void *allocate(size_t bytes)
{
	void *memory = malloc(bytes);

	ASSERT_TRUE(memory != NULL);
	return memory;
}

static void region_place(struct scene *scene, const struct plan *plan)
{
	struct region *region = &scene->region;
	uint64_t end = plan->offset + plan->bytes + MARGIN;

	if (end > scene->rank.query.out_mram_size)
		end = scene->rank.query.out_mram_size;
	region->first = plan->offset < MARGIN ? 0 : plan->offset - MARGIN;
	region->span = end - region->first;
	region->bytes = allocate(region->span * PIMDIMM_RANK_PES);
	random_fill(&scene->random, region->bytes,
		    region->span * PIMDIMM_RANK_PES);
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++)
		rank_put(&scene->rank, pe, region->first,
			 region->bytes + pe * region->span, region->span);
}

static void host_place(struct scene *scene, const struct plan *plan)
{
	scene->host_size = plan->skew + MARGIN +
			   plan->pitch * PIMDIMM_RANK_PES + plan->bytes;
	scene->host = allocate(scene->host_size);
	scene->expected_host = allocate(scene->host_size);
	random_fill(&scene->random, scene->host, scene->host_size);
	memcpy(scene->expected_host, scene->host, scene->host_size);
}

static size_t host_at(const struct plan *plan, unsigned int pe)
{
	return plan->skew + pe * plan->pitch;
}

static int run_xfer(const struct scene *scene, const struct plan *plan,
		    uint64_t *done)
{
	uint64_t addrs[PIMDIMM_RANK_PES];

	if (plan->flags & PIMDIMM_XFER_STRIDED)
		return xfer_strided(scene->rank.fd, plan->flags, plan->mask,
				    plan->offset, plan->bytes,
				    scene->host + plan->skew, plan->pitch,
				    done);
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++)
		/* those of other PEs must not be looked at */
		addrs[pe] = plan->mask >> pe & 1 ?
				    (uintptr_t)scene->host + host_at(plan, pe) :
				    UINT64_MAX - 15 + pe % 16;
	return xfer_array(scene->rank.fd, plan->flags, plan->mask, plan->offset,
			  plan->bytes, addrs, done);
}

/* The model: moves in plain memory what the transfer is to move. */
static void expect(const struct scene *scene, const struct plan *plan)
{
	const struct region *region = &scene->region;

	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++) {
		uint8_t *mram = region->bytes + pe * region->span +
				(plan->offset - region->first);
		uint8_t *host = scene->expected_host + host_at(plan, pe);

		if (!(plan->mask >> pe & 1))
			continue;
		if (plan->flags & PIMDIMM_XFER_FROM_MRAM)
			memcpy(host, mram, plan->bytes);
		else
			memcpy(mram, host, plan->bytes);
	}
}

static void compare(const struct scene *scene, const struct plan *plan)
{
	const struct region *region = &scene->region;
	uint8_t *seen = allocate(region->span);

	ASSERT_TRUE(!memcmp(scene->host, scene->expected_host,
			    scene->host_size));
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++) {
		const uint8_t *wanted = region->bytes + pe * region->span;

		rank_get(&scene->rank, pe, region->first, seen, region->span);
		for (uint64_t i = 0; i < region->span; i++) {
			if (wanted[i] == seen[i])
				continue;
			test_note("mask %llx flags %x bytes %llx PE %u",
				  (unsigned long long)plan->mask, plan->flags,
				  (unsigned long long)plan->bytes, pe);
			ASSERT_EQ(wanted[i], seen[i]);
		}
	}
	free(seen);
}

static void check(struct scene *scene, const struct plan *plan)
{
	uint64_t done = 0;

	region_place(scene, plan);
	host_place(scene, plan);
	ASSERT_EQ(0, run_xfer(scene, plan, &done));
	ASSERT_EQ(plan->bytes, done);
	expect(scene, plan);
	compare(scene, plan);
	free(scene->region.bytes);
	free(scene->host);
	free(scene->expected_host);
}

static void start(struct scene *scene)
{
	rank_open_map(&scene->rank);
	random_start(&scene->random);
}

/* A multiple of 8 below @limit. */
static uint64_t random_words(struct random *random, uint64_t limit)
{
	return random_below(random, limit / 8) * 8;
}

/* Each mask in two groups, each group with a quarter of the masks. */
static void every_mask_of_a_group(uint32_t flags)
{
	struct scene scene;

	start(&scene);
	for (unsigned int i = 0; i < 2 * 256; i++) {
		unsigned int bank = (i + i / 256 * 3) % PIMDIMM_BANKS;
		uint64_t lanes = i % 256;
		struct plan plan = {
			.flags = flags,
			.mask = lanes << (bank * PIMDIMM_CHIPS),
			.bytes = 8 + 8 * (i % 5),
			.skew = i % 7,
			.pitch = 64,
		};

		plan.offset = random_words(&scene.random,
					   scene.rank.query.out_mram_size -
						   plan.bytes);
		check(&scene, &plan);
	}
}

TEST(every_mask_to_mram)
{
	every_mask_of_a_group(0);
}

TEST(every_mask_from_mram)
{
	every_mask_of_a_group(PIMDIMM_XFER_FROM_MRAM);
}

TEST(every_mask_strided)
{
	every_mask_of_a_group(PIMDIMM_XFER_STRIDED);
}

/* Sizes that cross pages, runs of xeon_sp and the module's own pieces. */
static void random_transfers(uint32_t flags, unsigned int rounds)
{
	struct scene scene;

	start(&scene);
	for (unsigned int i = 0; i < rounds; i++) {
		uint64_t limit = i % 8 ? 2048 : 20000;
		struct plan plan = {
			.flags = flags,
			.mask = random_next(&scene.random),
			.bytes = 8 + random_words(&scene.random, limit),
			.skew = random_below(&scene.random, 64),
		};

		if (i % 3 == 1)
			plan.mask &= random_next(&scene.random) &
				     random_next(&scene.random);
		if (i % 3 == 2)
			plan.mask = ALL_PES;
		plan.pitch = plan.bytes + random_below(&scene.random, 40);
		plan.offset = random_words(
			&scene.random,
			scene.rank.query.out_mram_size - plan.bytes + 8);
		check(&scene, &plan);
	}
}

TEST(random_to_mram)
{
	random_transfers(0, 60);
}

TEST(random_from_mram)
{
	random_transfers(PIMDIMM_XFER_FROM_MRAM, 60);
}

TEST(random_strided_to_mram)
{
	random_transfers(PIMDIMM_XFER_STRIDED, 60);
}

TEST(random_strided_from_mram)
{
	random_transfers(PIMDIMM_XFER_STRIDED | PIMDIMM_XFER_FROM_MRAM, 60);
}

/* Where the bits that xeon_sp moves change, page and window ends. */
TEST(borders)
{
	struct scene scene;
	uint64_t size;

	start(&scene);
	size = scene.rank.query.out_mram_size;
	for (uint64_t border = 64; border <= size; border *= 2) {
		struct plan plan = {
			.mask = 0x8000000180ff5a01,
			.offset = border - 64,
			.bytes = border == size ? 64 : 128,
			.pitch = 128,
		};

		check(&scene, &plan);
		plan.flags = PIMDIMM_XFER_FROM_MRAM;
		check(&scene, &plan);
	}
}

/* Much of each PE, there and back, with a mark in every word. */
TEST(large)
{
	uint64_t words, *host, *back;
	struct rank rank;

	rank_open_map(&rank);
	words = rank_words(&rank);
	if (words > 1 << 16)
		words = 1 << 16;
	host = allocate(words * 8 * PIMDIMM_RANK_PES);
	back = allocate(words * 8 * PIMDIMM_RANK_PES);
	for (uint64_t i = 0; i < words * PIMDIMM_RANK_PES; i++)
		host[i] = (i << 20) + 0x8000000000000001;
	ASSERT_EQ(0, xfer_all(&rank, 0, host, words * 8));
	ASSERT_EQ(0, xfer_all(&rank, PIMDIMM_XFER_FROM_MRAM, back, words * 8));
	EXPECT_EQ(0, memcmp(host, back, words * 8 * PIMDIMM_RANK_PES));
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++) {
		for (uint64_t w = 0; w < words; w += 101) {
			uint64_t seen;

			rank_get(&rank, pe, w * 8, &seen, 8);
			ASSERT_EQ(host[pe * words + w], seen);
		}
	}
}

/* Nothing but the selected bytes appears anywhere in the window. */
TEST(nothing_else_is_written)
{
	uint8_t host[8 * 64];
	struct random random;
	struct rank rank;

	rank_open_map(&rank);
	random_start(&random);
	memset(host, 0x5a, sizeof(host));
	for (unsigned int i = 0; i < 12; i++) {
		uint64_t mask = random_next(&random) & random_next(&random);
		uint64_t bytes = 8 * (1 + random_below(&random, 64));
		uint64_t offset = random_words(
			&random, rank.query.out_mram_size - bytes);

		rank_reset(&rank);
		ASSERT_EQ(0, xfer_strided(rank.fd, 0, mask, offset, bytes, host,
					  0, NULL));
		ASSERT_EQ(bytes * (uint64_t)__builtin_popcountll(mask),
			  rank_count_nonzero(&rank));
	}
}

/* stride 0: one buffer for all, a broadcast. */
TEST(stride_zero_broadcasts)
{
	uint64_t words[4] = { 1, 0x0203040506070809, UINT64_MAX, 5 };
	uint64_t seen[4];
	struct rank rank;

	rank_open_map(&rank);
	ASSERT_EQ(0, xfer_strided(rank.fd, 0, ALL_PES, 64, sizeof(words), words,
				  0, NULL));
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++) {
		rank_get(&rank, pe, 64, seen, sizeof(seen));
		EXPECT_EQ(0, memcmp(words, seen, sizeof(words)));
	}
}

TEST(nothing_to_do)
{
	uint64_t addrs[PIMDIMM_RANK_PES] = { 0 };
	uint64_t done = 77, size;
	struct rank rank;

	rank_open_map(&rank);
	size = rank.query.out_mram_size;
	EXPECT_EQ(0, xfer_array(rank.fd, 0, 0, 0, 64, addrs, &done));
	EXPECT_EQ(0, xfer_array(rank.fd, 0, 0, 0, 64, NULL, &done));
	done = 77;
	EXPECT_EQ(0, xfer_array(rank.fd, 0, ALL_PES, 0, 0, addrs, &done));
	EXPECT_EQ(0, done);
	EXPECT_EQ(0, xfer_array(rank.fd, 0, ALL_PES, size, 0, NULL, &done));
	EXPECT_EQ(0, xfer_strided(rank.fd, PIMDIMM_XFER_FROM_MRAM, ALL_PES,
				  size, 0, NULL, 8, &done));
	EXPECT_EQ(0, rank_count_nonzero(&rank));
}

/* Whatever stood in out_bytes before. */
TEST(out_bytes_is_not_an_input)
{
	uint64_t word = 9;
	struct pimdimm_xfer arg = {
		.size = sizeof(arg),
		.flags = PIMDIMM_XFER_STRIDED,
		.pe_mask = 1,
		.bytes = 8,
		.addrs = (uintptr_t)&word,
		.out_bytes = UINT64_MAX,
	};
	struct rank rank;

	rank_open(&rank);
	ASSERT_EQ(0, ioctl(rank.fd, PIMDIMM_IOC_XFER, &arg));
	EXPECT_EQ(8, arg.out_bytes);
	EXPECT_EQ(8, arg.bytes);
	EXPECT_EQ(1, arg.pe_mask);
	EXPECT_EQ((uintptr_t)&word, arg.addrs);
}

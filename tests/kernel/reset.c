// SPDX-License-Identifier: MIT
/* RESET zeroes the whole window and gives its pages back. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"

static size_t resident_pages(const struct rank *rank)
{
	size_t pages = rank->query.out_window_size / page_size();
	unsigned char *resident = malloc(pages);
	size_t count = 0;

	ASSERT_TRUE(resident != NULL);
	ASSERT_EQ(0, mincore(rank->window, rank->query.out_window_size,
			     resident));
	for (size_t i = 0; i < pages; i++)
		count += resident[i] & 1;
	free(resident);
	return count;
}

TEST(zeroes_everything)
{
	struct rank rank;
	uint64_t size;

	rank_open_map(&rank);
	size = rank.query.out_window_size;
	for (uint64_t at = 0; at < size; at += size / 512)
		rank.window[at] = 0xff;
	rank.window[size - 1] = 0xff;
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++)
		*rank_byte(&rank, pe, rank.query.out_mram_size - 1) = 0xff;
	EXPECT_LT(0, rank_count_nonzero(&rank));
	rank_reset(&rank);
	EXPECT_EQ(0, resident_pages(&rank));
	EXPECT_EQ(0, rank_count_nonzero(&rank));
	EXPECT_EQ(0, rank.window[size - 1]);
}

TEST(mapping_stays_valid)
{
	uint64_t word = 0x1122334455667788, seen;
	struct rank rank;

	rank_open_map(&rank);
	rank.window[0] = 1;
	rank_reset(&rank);
	ASSERT_EQ(0, xfer_strided(rank.fd, 0, 1, 0, 8, &word, 0, NULL));
	rank_get(&rank, 0, 0, &seen, 8);
	EXPECT_EQ(word, seen);
	rank.window[0] = 0x99;
	ASSERT_EQ(0, xfer_strided(rank.fd, PIMDIMM_XFER_FROM_MRAM, 1, 0, 8,
				  &seen, 0, NULL));
	EXPECT_NE(word, seen);
}

TEST(again_and_again)
{
	struct rank rank;

	rank_open_map(&rank);
	for (unsigned int i = 0; i < 200; i++) {
		ASSERT_EQ(0, rank.window[8192]);
		rank.window[8192] = 1;
		rank_reset(&rank);
		rank_reset(&rank);
	}
}

struct storm {
	struct rank rank;
	atomic_bool stop;
};

static void *transfer(void *argument)
{
	struct storm *storm = argument;
	static uint8_t host[65536];

	memset(host, 0x5a, sizeof(host));
	while (!storm->stop) {
		uint64_t done = 0;

		EXPECT_EQ(0, xfer_strided(storm->rank.fd, 0, ALL_PES, 0,
					  sizeof(host), host, 0, &done));
		EXPECT_EQ(sizeof(host), done);
	}
	return NULL;
}

static void *store(void *argument)
{
	struct storm *storm = argument;

	while (!storm->stop)
		for (uint64_t at = 0; at < 1 << 20; at += 4096)
			storm->rank.window[at] = 0x5a;
	return NULL;
}

/* Reset against transfers and stores: each byte is one of the two values. */
TEST(while_others_write)
{
	struct storm storm = { .stop = false };
	pthread_t threads[2];

	rank_open_map(&storm.rank);
	ASSERT_EQ(0, pthread_create(&threads[0], NULL, transfer, &storm));
	ASSERT_EQ(0, pthread_create(&threads[1], NULL, store, &storm));
	for (double end = seconds_now() + 1; seconds_now() < end;) {
		rank_reset(&storm.rank);
		for (uint64_t at = 0; at < 65536; at += 509) {
			uint8_t byte = *rank_byte(&storm.rank, 17, at);

			ASSERT_TRUE(byte == 0 || byte == 0x5a);
		}
	}
	storm.stop = true;
	ASSERT_EQ(0, pthread_join(threads[0], NULL));
	ASSERT_EQ(0, pthread_join(threads[1], NULL));
	rank_reset(&storm.rank);
	EXPECT_EQ(0, rank_count_nonzero(&storm.rank));
}

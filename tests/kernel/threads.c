// SPDX-License-Identifier: MIT
/*
 * Writers to different PEs lose nothing, of one entangled group too, whose
 * words share every block: neither transfers with masks against each other nor
 * against stores through the window.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"

#define WORDS		 700u
#define RUN_MICROSECONDS 1000000

/* One thread's part: a lane of a group, which nobody else writes. */
struct writer {
	const struct rank *rank;
	unsigned int pe;
	uint64_t offset;
	uint64_t rounds;
	atomic_bool *stop;
	pthread_t thread;
};

static void expect_words(const uint64_t *wanted, const uint64_t *seen)
{
	for (unsigned int i = 0; i < WORDS; i++)
		ASSERT_EQ(wanted[i], seen[i]);
}

static void next_words(const struct writer *writer, uint64_t *words)
{
	for (unsigned int i = 0; i < WORDS; i++)
		words[i] = (writer->rounds * 0x0101010101010101) ^
			   (writer->pe * 0x0001020408102040ULL) ^ i;
}

/* Writes by XFER, reads through the window. */
static void *by_transfer(void *argument)
{
	struct writer *writer = argument;
	uint64_t words[WORDS], seen[WORDS];

	while (!*writer->stop) {
		next_words(writer, words);
		ASSERT_EQ(0, xfer_strided(writer->rank->fd, 0,
					  1ULL << writer->pe, writer->offset,
					  sizeof(words), words, 0, NULL));
		rank_get(writer->rank, writer->pe, writer->offset, seen,
			 sizeof(seen));
		expect_words(words, seen);
		writer->rounds++;
	}
	return NULL;
}

/* Writes through the window, reads by XFER. */
static void *by_store(void *argument)
{
	struct writer *writer = argument;
	uint64_t words[WORDS], seen[WORDS];

	while (!*writer->stop) {
		next_words(writer, words);
		rank_put(writer->rank, writer->pe, writer->offset, words,
			 sizeof(words));
		ASSERT_EQ(0, xfer_strided(writer->rank->fd,
					  PIMDIMM_XFER_FROM_MRAM,
					  1ULL << writer->pe, writer->offset,
					  sizeof(seen), seen, 0, NULL));
		expect_words(words, seen);
		writer->rounds++;
	}
	return NULL;
}

static void run_writers(const struct rank *rank, struct writer *writers,
			unsigned int count, void *(*const body[2])(void *))
{
	atomic_bool stop = false;

	for (unsigned int i = 0; i < count; i++) {
		writers[i].rank = rank;
		writers[i].stop = &stop;
		ASSERT_EQ(0, pthread_create(&writers[i].thread, NULL,
					    body[i % 2], &writers[i]));
	}
	usleep(RUN_MICROSECONDS);
	stop = true;
	for (unsigned int i = 0; i < count; i++) {
		ASSERT_EQ(0, pthread_join(writers[i].thread, NULL));
		EXPECT_LT(0, writers[i].rounds);
	}
}

/* The eight lanes of one group at the same words, two ways at a time. */
static void lanes_of_one_group(void *(*first)(void *), void *(*second)(void *),
			       unsigned int count)
{
	void *(*const body[2])(void *) = { first, second };
	struct writer writers[8] = { 0 };
	struct rank rank;

	rank_open_map(&rank);
	for (unsigned int i = 0; i < count; i++) {
		writers[i].pe = 3 * PIMDIMM_CHIPS + i;
		writers[i].offset = 8 * 77;
	}
	run_writers(&rank, writers, count, body);
}

TEST(transfers_against_stores)
{
	lanes_of_one_group(by_transfer, by_store, 2);
}

TEST(transfers_against_transfers)
{
	lanes_of_one_group(by_transfer, by_transfer, 2);
}

TEST(eight_lanes_at_once)
{
	lanes_of_one_group(by_transfer, by_store, 8);
}

/* Different groups: whole groups at a time, so whole blocks are written. */
struct group_writer {
	const struct rank *rank;
	unsigned int bank;
	atomic_bool *stop;
	uint64_t rounds;
	pthread_t thread;
};

static void *whole_group(void *argument)
{
	struct group_writer *writer = argument;
	static const uint64_t stride = WORDS * 8;
	uint64_t mask = 0xffULL << (writer->bank * PIMDIMM_CHIPS);
	uint64_t *words = malloc(stride * 64), *seen = malloc(stride * 64);
	size_t first = (size_t)writer->bank * 8 * WORDS;

	ASSERT_TRUE(words && seen);
	while (!*writer->stop) {
		for (unsigned int i = 0; i < 8 * WORDS; i++)
			words[first + i] = writer->rounds * 977 + i;
		ASSERT_EQ(0, xfer_strided(writer->rank->fd, 0, mask, 64, stride,
					  words, stride, NULL));
		ASSERT_EQ(0, xfer_strided(writer->rank->fd,
					  PIMDIMM_XFER_FROM_MRAM, mask, 64,
					  stride, seen, stride, NULL));
		ASSERT_TRUE(!memcmp(words + first, seen + first, 8 * stride));
		writer->rounds++;
	}
	free(words);
	free(seen);
	return NULL;
}

TEST(groups_at_once)
{
	struct group_writer writers[4] = { 0 };
	atomic_bool stop = false;
	struct rank rank;

	rank_open(&rank);
	for (unsigned int i = 0; i < 4; i++) {
		writers[i].rank = &rank;
		writers[i].bank = i * 2;
		writers[i].stop = &stop;
		ASSERT_EQ(0, pthread_create(&writers[i].thread, NULL,
					    whole_group, &writers[i]));
	}
	usleep(RUN_MICROSECONDS);
	stop = true;
	for (unsigned int i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_join(writers[i].thread, NULL));
		EXPECT_LT(0, writers[i].rounds);
	}
}

/* A descriptor closed by one thread while others use it. */
static void *use_until_closed(void *argument)
{
	struct writer *writer = argument;
	uint64_t word = 1;

	while (!*writer->stop) {
		errno = 0;
		if (xfer_strided(writer->rank->fd, 0, 1, 0, 8, &word, 0, NULL))
			EXPECT_EQ(EBADF, errno);
		writer->rounds++;
	}
	return NULL;
}

TEST(close_under_use)
{
	struct rank rank;
	atomic_bool stop = false;
	struct writer writer = { .rank = &rank, .stop = &stop };

	rank_open(&rank);
	ASSERT_EQ(0, pthread_create(&writer.thread, NULL, use_until_closed,
				    &writer));
	for (unsigned int i = 0; i < 200; i++) {
		int fd;

		close(rank.fd);
		fd = rank_reopen(&rank);
		ASSERT_LE(0, fd);
		rank.fd = fd;
	}
	stop = true;
	ASSERT_EQ(0, pthread_join(writer.thread, NULL));
}

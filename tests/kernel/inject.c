// SPDX-License-Identifier: MIT
/*
 * Injected faults, as the node shows them. Root alone turns the knobs, so others
 * skip; what the library makes of them has a test of its own.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernel/dmabuf.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/views.h"

#define BYTES 512u

static const char *const knobs[] = {
	"delay_us", "fail_nth", "fail_ppm", "flip_ppm", "gone", "gone_nth", "seed",
};

/* Turns a knob: 0, or -1 and errno. */
static int turn(const struct rank *rank, const char *knob, const char *value)
{
	char attribute[32];

	snprintf(attribute, sizeof(attribute), "inject/%s", knob);
	return sysfs_write(rank, attribute, value);
}

static void clear(const struct rank *rank)
{
	for (size_t i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++)
		ASSERT_EQ(0, turn(rank, knobs[i], "0"));
}

/* An open and mapped rank without faults, whatever another test has left. */
static void start(struct rank *rank)
{
	rank_open_map(rank);
	clear(rank);
}

static int to_mram(const struct rank *rank, uint64_t mask)
{
	static uint8_t host[PIMDIMM_RANK_PES * BYTES];
	uint64_t done;

	memset(host, 0x5a, sizeof(host));
	return xfer_strided(rank->fd, 0, mask, 0, BYTES, host, BYTES, &done);
}

static const struct pimdimm_status *status_of(const struct rank *rank)
{
	void *page = mmap(NULL, page_size(), PROT_READ, MAP_SHARED, rank->fd,
			  PIMDIMM_MMAP_STATUS);

	ASSERT_TRUE(page != MAP_FAILED);
	return page;
}

TEST(nth_transfer_fails)
{
	struct rank rank;
	long before;

	start(&rank);
	before = sysfs_number(&rank, "inject/failures");
	ASSERT_EQ(0, turn(&rank, "fail_nth", "3"));
	EXPECT_EQ(0, to_mram(&rank, ALL_PES));
	/* what moves nothing, or is refused, is no transfer */
	EXPECT_EQ(0, to_mram(&rank, 0));
	EXPECT_ERRNO(EINVAL, xfer_strided(rank.fd, 0, 1, 1, 8, &rank, 0, NULL));
	EXPECT_EQ(1, sysfs_number(&rank, "inject/fail_nth") - 1);
	EXPECT_EQ(0, to_mram(&rank, 1));
	EXPECT_ERRNO(EIO, to_mram(&rank, 1));
	EXPECT_EQ(0, to_mram(&rank, 1));
	EXPECT_EQ(before + 1, sysfs_number(&rank, "inject/failures"));
	rank_close(&rank);
}

/* By the seed alone: the bits say which of 64 transfers fail. */
static uint64_t failing(const struct rank *rank, const char *seed)
{
	uint64_t trail = 0;

	ASSERT_EQ(0, turn(rank, "seed", seed));
	for (unsigned int i = 0; i < 64; i++)
		trail |= (uint64_t)(to_mram(rank, 1) != 0) << i;
	return trail;
}

TEST(seeds)
{
	struct rank rank;
	uint64_t trail;

	start(&rank);
	ASSERT_EQ(0, turn(&rank, "fail_ppm", "300000"));
	trail = failing(&rank, "18446744073709551615");
	EXPECT_NE(0, trail);
	EXPECT_NE(UINT64_MAX, trail);
	EXPECT_EQ(trail, failing(&rank, "18446744073709551615"));
	EXPECT_NE(trail, failing(&rank, "5"));
	clear(&rank);
	EXPECT_EQ(0, failing(&rank, "5"));
	rank_close(&rank);
}

TEST(gone)
{
	struct pimdimm_reset reset = { .size = sizeof(reset) };
	const struct pimdimm_status *status;
	struct rank rank;

	start(&rank);
	status = status_of(&rank);
	EXPECT_EQ(0, to_mram(&rank, ALL_PES));
	EXPECT_NE(0, rank.window[0]);
	EXPECT_EQ(0, status->flags);
	ASSERT_EQ(0, turn(&rank, "gone", "1"));
	EXPECT_EQ(PIMDIMM_STATUS_GONE, status->flags);
	EXPECT_ERRNO(ENODEV, to_mram(&rank, ALL_PES));
	EXPECT_ERRNO(ENODEV, ioctl(rank.fd, PIMDIMM_IOC_RESET, &reset));
	EXPECT_EQ(0, ioctl(rank.fd, PIMDIMM_IOC_QUERY, &rank.query));
	EXPECT_TRUE(mmap(NULL, page_size(), PROT_READ, MAP_SHARED, rank.fd,
			 0) == MAP_FAILED && errno == ENODEV);
	/* the mapping is memory without contents, and nobody is killed */
	EXPECT_EQ(0, rank.window[0]);
	rank.window[0] = 1;
	EXPECT_EQ(1, rank.window[0]);
	/* it comes back for the next owner alone */
	ASSERT_EQ(0, turn(&rank, "gone", "0"));
	EXPECT_ERRNO(ENODEV, to_mram(&rank, ALL_PES));
	ASSERT_EQ(0, turn(&rank, "gone", "1"));
	close(rank.fd);
	/* the status counts as a descriptor */
	EXPECT_ERRNO(EBUSY, open(rank.path, O_RDWR | O_CLOEXEC));
	ASSERT_EQ(0, munmap((void *)status, page_size()));
	ASSERT_ERRNO(ENODEV, open(rank.path, O_RDWR | O_CLOEXEC));
	ASSERT_EQ(0, turn(&rank, "gone", "0"));
	rank.fd = open(rank.path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, rank.fd);
	EXPECT_EQ(0, status_of(&rank)->flags);
	EXPECT_EQ(0, to_mram(&rank, ALL_PES));
	EXPECT_EQ(1, rank.window[0]);
	rank_close(&rank);
}

/* Nobody is killed for what the PEs had, and nobody has it from now on. */
TEST(gone_while_the_pes_own)
{
	struct views views;
	char mux_text[64];

	views_start(&views, true);
	clear(&views.rank);
	views.pe[0] = 7;
	to_pes(&views.rank);
	EXPECT_EQ(SIGBUS, touch(views.rank.window, false));
	ASSERT_EQ(0, turn(&views.rank, "gone", "1"));
	ASSERT_EQ(0, touch(views.rank.window, false));
	EXPECT_EQ(0, views.rank.window[0]);
	EXPECT_EQ(0, touch(views.rank.window, true));
	EXPECT_EQ(1, views.pe[0]);
	EXPECT_ERRNO(ENODEV, mux(views.rank.fd, PIMDIMM_MUX_HOST));
	EXPECT_ERRNO(ENODEV, mux(views.rank.fd, PIMDIMM_MUX_PES));
	sysfs_text(&views.rank, "mux", mux_text);
	EXPECT_EQ(0, strcmp(mux_text, "host\n"));
	EXPECT_EQ(0, touch(views.rank.window, false));
	clear(&views.rank);
	rank_close(&views.rank);
}

/* Each page that dma-bufs hold, of ranges that overlap too, and no other. */
TEST(gone_beside_dma_bufs)
{
	static const struct {
		unsigned int first, count;
	} ranges[] = { { 9, 1 }, { 2, 1 }, { 4, 2 }, { 4, 4 }, { 5, 1 }, { 8, 1 } };
	static const bool held[12] = { [2] = true, [4] = true, [5] = true,
				       [6] = true, [7] = true, [8] = true,
				       [9] = true };
	size_t page = page_size();
	int fds[sizeof(ranges) / sizeof(ranges[0])];
	struct rank rank;

	rank_open_exporting(&rank);
	clear(&rank);
	for (unsigned int i = 0; i < 12; i++)
		memset(rank.window + i * page, 1, page);
	rank.window[rank.query.out_window_size - 1] = 1;
	for (unsigned int i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		fds[i] = export_range(rank.fd, ranges[i].first * page,
				      ranges[i].count * page);
		ASSERT_LE(0, fds[i]);
	}
	ASSERT_EQ(0, turn(&rank, "gone", "1"));
	for (unsigned int i = 0; i < 12; i++) {
		EXPECT_EQ(held[i], rank.window[i * page]);
		EXPECT_EQ(held[i], rank.window[(i + 1) * page - 1]);
	}
	EXPECT_EQ(0, rank.window[rank.query.out_window_size - 1]);
	/* what is held is the window's still */
	rank.window[2 * page] = 5;
	EXPECT_EQ(5, *map_dmabuf(fds[1], page));
	for (unsigned int i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		close(fds[i]);
	clear(&rank);
	rank_close(&rank);
}

TEST(gone_at_the_nth)
{
	struct rank rank;

	start(&rank);
	ASSERT_EQ(0, turn(&rank, "gone_nth", "2"));
	EXPECT_EQ(0, to_mram(&rank, ALL_PES));
	EXPECT_ERRNO(ENODEV, to_mram(&rank, ALL_PES));
	EXPECT_ERRNO(ENODEV, to_mram(&rank, ALL_PES));
	EXPECT_EQ(1, sysfs_number(&rank, "inject/gone"));
	EXPECT_EQ(0, rank.window[0]);
	clear(&rank);
	rank_close(&rank);
	start(&rank);
	EXPECT_EQ(0, to_mram(&rank, ALL_PES));
	rank_close(&rank);
}

static unsigned int wrong_bits(const struct rank *rank, unsigned int pe)
{
	uint64_t words[BYTES / 8];
	unsigned int bits = 0;

	rank_get(rank, pe, 0, words, BYTES);
	for (unsigned int i = 0; i < BYTES / 8; i++)
		bits += (unsigned int)__builtin_popcountll(
			words[i] ^ 0x5a5a5a5a5a5a5a5a);
	return bits;
}

TEST(flips)
{
	unsigned int bits = 0;
	struct rank rank;
	long before;

	start(&rank);
	before = sysfs_number(&rank, "inject/flips");
	ASSERT_EQ(0, to_mram(&rank, ALL_PES));
	/* of 32 PEs' 64 words, a tenth */
	ASSERT_EQ(0, turn(&rank, "flip_ppm", "100000"));
	ASSERT_EQ(0, to_mram(&rank, 0x5555555555555555));
	clear(&rank);
	EXPECT_LE(204, sysfs_number(&rank, "inject/flips") - before);
	EXPECT_LE(sysfs_number(&rank, "inject/flips") - before, 205);
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++) {
		if (pe % 2)
			EXPECT_EQ(0, wrong_bits(&rank, pe));
		bits += wrong_bits(&rank, pe);
	}
	EXPECT_LE(190, bits);
	EXPECT_LE(bits, 205);
	rank_close(&rank);
}

TEST(slow)
{
	struct rank rank;
	double start_time;

	start(&rank);
	ASSERT_EQ(0, turn(&rank, "delay_us", "30000"));
	start_time = seconds_now();
	EXPECT_EQ(0, to_mram(&rank, 1));
	EXPECT_LE(0.029, seconds_now() - start_time);
	clear(&rank);
	rank_close(&rank);
}

TEST(asking)
{
	struct pimdimm_touch touch = { .size = sizeof(touch), .words = 100 };
	const struct pimdimm_status *status;
	struct rank rank;

	start(&rank);
	status = status_of(&rank);
	ASSERT_EQ(0, ioctl(rank.fd, PIMDIMM_IOC_TOUCH, &touch));
	EXPECT_EQ(0, touch.out_fails);
	ASSERT_EQ(0, turn(&rank, "fail_nth", "1"));
	ASSERT_EQ(0, turn(&rank, "flip_ppm", "500000"));
	EXPECT_EQ(PIMDIMM_STATUS_ARMED, status->flags);
	ASSERT_EQ(0, ioctl(rank.fd, PIMDIMM_IOC_TOUCH, &touch));
	EXPECT_EQ(1, touch.out_fails);
	EXPECT_EQ(50, touch.out_flips);
	touch.words = (1 << 29) + 1;
	EXPECT_ERRNO(EINVAL, ioctl(rank.fd, PIMDIMM_IOC_TOUCH, &touch));
	touch.words = 0;
	touch.flags = 1;
	EXPECT_ERRNO(EOPNOTSUPP, ioctl(rank.fd, PIMDIMM_IOC_TOUCH, &touch));
	clear(&rank);
	EXPECT_EQ(0, status->flags);
	rank_close(&rank);
}

TEST(status_is_a_page_to_read)
{
	struct rank rank;
	void *page;

	start(&rank);
	EXPECT_TRUE(mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED,
			 rank.fd, PIMDIMM_MMAP_STATUS) == MAP_FAILED &&
		    errno == EACCES);
	EXPECT_TRUE(mmap(NULL, page_size(), PROT_READ, MAP_PRIVATE, rank.fd,
			 PIMDIMM_MMAP_STATUS) == MAP_FAILED && errno == EINVAL);
	EXPECT_TRUE(mmap(NULL, 2 * page_size(), PROT_READ, MAP_SHARED, rank.fd,
			 PIMDIMM_MMAP_STATUS) == MAP_FAILED && errno == EINVAL);
	page = (void *)status_of(&rank);
	EXPECT_ERRNO(EACCES, mprotect(page, page_size(),
				      PROT_READ | PROT_WRITE));
	EXPECT_TRUE(mremap(page, page_size(), 2 * page_size(),
			   MREMAP_MAYMOVE) == MAP_FAILED);
	/* nothing but the flags is in it */
	for (size_t i = 0; i < page_size(); i++)
		EXPECT_EQ(0, ((uint8_t *)page)[i]);
	rank_close(&rank);
	EXPECT_EQ(0, ((uint8_t *)page)[0]);
}

TEST(values_that_cannot_be)
{
	struct rank rank;

	start(&rank);
	for (size_t i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++)
		EXPECT_ERRNO(EINVAL, turn(&rank, knobs[i], "x"));
	EXPECT_ERRNO(EINVAL, turn(&rank, "fail_ppm", "1000001"));
	EXPECT_ERRNO(EINVAL, turn(&rank, "flip_ppm", "1000001"));
	EXPECT_ERRNO(EINVAL, turn(&rank, "delay_us", "10000001"));
	EXPECT_ERRNO(ERANGE, turn(&rank, "fail_ppm", "4294967296"));
	EXPECT_ERRNO(EINVAL, turn(&rank, "seed", "-1"));
	EXPECT_EQ(0, sysfs_number(&rank, "inject/fail_ppm"));
	rank_close(&rank);
}

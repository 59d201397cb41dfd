// SPDX-License-Identifier: MIT
/* /sys/class/pimdimm tells of a rank what its node would, and more. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"

TEST(same_as_query)
{
	char layout[64];
	struct rank rank;

	rank_open(&rank);
	EXPECT_EQ(PIMDIMM_ABI, sysfs_number(&rank, "abi"));
	EXPECT_EQ((long)rank.query.out_channel, sysfs_number(&rank, "channel"));
	EXPECT_EQ((long)rank.query.out_rank, sysfs_number(&rank, "rank"));
	EXPECT_EQ((long)rank.query.out_channels,
		  sysfs_number(&rank, "channels"));
	EXPECT_EQ((long)rank.query.out_ranks, sysfs_number(&rank, "ranks"));
	EXPECT_EQ((long)rank.query.out_mram_size,
		  sysfs_number(&rank, "mram_size"));
	EXPECT_EQ((long)rank.query.out_window_size,
		  sysfs_number(&rank, "window_size"));
	sysfs_text(&rank, "layout", layout);
	EXPECT_EQ(0, strcmp(layout,
			    rank.query.out_layout == PIMDIMM_LAYOUT_LINEAR ?
				    "linear\n" :
				    "xeon_sp\n"));
}

TEST(owner)
{
	struct rank rank;

	rank_open(&rank);
	EXPECT_EQ((long)getpid(), sysfs_number(&rank, "owner"));
	close(rank.fd);
	EXPECT_EQ(0, sysfs_number(&rank, "owner"));
}

TEST(reading_is_no_open)
{
	struct rank rank;
	int fd;

	rank_open(&rank);
	close(rank.fd);
	sysfs_number(&rank, "allocated");
	fd = open(rank.path, O_RDONLY | O_CLOEXEC);
	EXPECT_LE(0, fd);
	close(fd);
}

TEST(nothing_is_writable)
{
	static const char *const attributes[] = {
		"abi", "allocated", "layout", "mram_size", "owner",
		"transfers_to_mram", "bytes_to_mram",
	};
	struct rank rank;
	char path[128];

	rank_open(&rank);
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]);
	     i++) {
		snprintf(path, sizeof(path), "/sys/class/pimdimm/pimdimm%d/%s",
			 rank.number, attributes[i]);
		int fd = open(path, O_WRONLY | O_CLOEXEC);

		/* root may open it, nobody may write it */
		EXPECT_TRUE(fd < 0 || write(fd, "1", 1) < 0);
		close(fd);
	}
}

TEST(allocated)
{
	struct rank rank;
	long page = (long)page_size(), before;

	rank_open_map(&rank);
	EXPECT_EQ(0, sysfs_number(&rank, "allocated"));
	rank.window[0] = 1;
	before = sysfs_number(&rank, "allocated");
	EXPECT_LE(page, before);
	rank.window[rank.query.out_window_size - 1] = 1;
	EXPECT_LT(before, sysfs_number(&rank, "allocated"));
	rank_reset(&rank);
	EXPECT_EQ(0, sysfs_number(&rank, "allocated"));
	rank.window[0] = 1;
	close(rank.fd);
	/* the mapping's page is no longer the rank's */
	EXPECT_EQ(0, sysfs_number(&rank, "allocated"));
}

TEST(transfer_counts)
{
	static uint64_t host[PIMDIMM_RANK_PES * 4];
	long to, to_bytes, from, from_bytes;
	struct rank rank;

	rank_open(&rank);
	to = sysfs_number(&rank, "transfers_to_mram");
	to_bytes = sysfs_number(&rank, "bytes_to_mram");
	from = sysfs_number(&rank, "transfers_from_mram");
	from_bytes = sysfs_number(&rank, "bytes_from_mram");
	ASSERT_EQ(0, xfer_strided(rank.fd, 0, 0x8421, 0, 32, host, 32, NULL));
	ASSERT_EQ(0, xfer_all(&rank, PIMDIMM_XFER_FROM_MRAM, host, 24));
	ASSERT_EQ(0, xfer_all(&rank, PIMDIMM_XFER_FROM_MRAM, host, 8));
	/* refused ones, and those with nothing to do, do not count */
	ASSERT_ERRNO(EINVAL,
		     xfer_strided(rank.fd, 0, 1, 1, 8, host, 0, NULL));
	ASSERT_EQ(0, xfer_strided(rank.fd, 0, 0, 0, 8, host, 0, NULL));
	EXPECT_EQ(to + 1, sysfs_number(&rank, "transfers_to_mram"));
	EXPECT_EQ(to_bytes + 4 * 32, sysfs_number(&rank, "bytes_to_mram"));
	EXPECT_EQ(from + 2, sysfs_number(&rank, "transfers_from_mram"));
	EXPECT_EQ(from_bytes + 64 * 32,
		  sysfs_number(&rank, "bytes_from_mram"));
}

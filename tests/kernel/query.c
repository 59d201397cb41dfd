// SPDX-License-Identifier: MIT
/* What QUERY tells: the rank's position, geometry and layout. */
#include <glob.h>
#include <sys/ioctl.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"

TEST(abi)
{
	struct rank rank;

	rank_open(&rank);
	EXPECT_EQ(PIMDIMM_ABI, rank.query.out_abi);
}

TEST(geometry)
{
	struct rank rank;

	rank_open(&rank);
	EXPECT_LE(1, rank.query.out_channels);
	EXPECT_LE(1, rank.query.out_ranks);
	EXPECT_LT(rank.query.out_channel, rank.query.out_channels);
	EXPECT_LT(rank.query.out_rank, rank.query.out_ranks);
	EXPECT_LT(rank.query.out_layout, PIMDIMM_NR_LAYOUTS);
	EXPECT_LE(PIMDIMM_MRAM_MIN, rank.query.out_mram_size);
	EXPECT_LE(rank.query.out_mram_size, PIMDIMM_MRAM_MAX);
	EXPECT_EQ(0, rank.query.out_mram_size % PIMDIMM_MRAM_ALIGN);
	EXPECT_EQ(pimdimm_layout_span(rank.query.out_layout,
				      rank.query.out_mram_size),
		  rank.query.out_window_size);
	test_note("%s: layout %u, MRAM 0x%llx, window 0x%llx", rank.path,
		  rank.query.out_layout,
		  (unsigned long long)rank.query.out_mram_size,
		  (unsigned long long)rank.query.out_window_size);
}

/* Device N is rank N of the system in the order channel, rank. */
TEST(position_follows_number)
{
	struct rank first, other;

	rank_open(&first);
	EXPECT_EQ((uint32_t)first.number,
		  first.query.out_channel * first.query.out_ranks +
			  first.query.out_rank);
	rank_open_other(&other, &first);
	EXPECT_EQ((uint32_t)other.number,
		  other.query.out_channel * other.query.out_ranks +
			  other.query.out_rank);
	EXPECT_EQ(first.query.out_mram_size, other.query.out_mram_size);
	EXPECT_EQ(first.query.out_layout, other.query.out_layout);
}

TEST(as_many_nodes_as_ranks)
{
	struct rank rank;
	glob_t nodes;

	rank_open(&rank);
	ASSERT_EQ(0, glob("/dev/pimdimm*", 0, NULL, &nodes));
	EXPECT_EQ(rank.query.out_channels * rank.query.out_ranks,
		  nodes.gl_pathc);
	globfree(&nodes);
}

TEST(writes_out_fields_only)
{
	struct pimdimm_query query;
	struct rank rank;

	rank_open(&rank);
	memset(&query, 0xff, sizeof(query));
	query.size = sizeof(query);
	query.flags = 0;
	ASSERT_EQ(0, ioctl(rank.fd, PIMDIMM_IOC_QUERY, &query));
	EXPECT_EQ(sizeof(query), query.size);
	EXPECT_EQ(0, query.flags);
	EXPECT_EQ(0, memcmp(&query, &rank.query, sizeof(query)));
}

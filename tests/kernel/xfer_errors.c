// SPDX-License-Identifier: MIT
/*
 * XFER refuses wrong arguments and bad memory, says how far it came, and
 * changes nothing that it was not told to change.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"

#define GOOD_PAGES 16u

static uint64_t host_words[PIMDIMM_RANK_PES];

/* One word of each PE from @offset, and a mask of all. */
static int xfer_at(const struct rank *rank, uint64_t offset, uint64_t bytes)
{
	return xfer_strided(rank->fd, 0, ALL_PES, offset, bytes, host_words, 8,
			    NULL);
}

TEST(misaligned)
{
	struct rank rank;

	rank_open_map(&rank);
	memset(host_words, 0xff, sizeof(host_words));
	for (unsigned int i = 1; i < 8; i++) {
		EXPECT_ERRNO(EINVAL, xfer_at(&rank, i, 8));
		EXPECT_ERRNO(EINVAL, xfer_at(&rank, 0, i));
		EXPECT_ERRNO(EINVAL, xfer_at(&rank, i, i));
		EXPECT_ERRNO(EINVAL, xfer_at(&rank, i, 0));
	}
	EXPECT_EQ(0, rank_count_nonzero(&rank));
}

TEST(past_the_mram)
{
	struct rank rank;
	uint64_t size;

	rank_open_map(&rank);
	memset(host_words, 0xff, sizeof(host_words));
	size = rank.query.out_mram_size;
	EXPECT_ERRNO(EINVAL, xfer_at(&rank, size, 8));
	EXPECT_ERRNO(EINVAL, xfer_at(&rank, size - 8, 16));
	EXPECT_ERRNO(EINVAL, xfer_at(&rank, size + 8, 0));
	EXPECT_ERRNO(EINVAL, xfer_at(&rank, 0, size + 8));
	EXPECT_ERRNO(EINVAL, xfer_at(&rank, 8, size));
	/* sums that wrap */
	EXPECT_ERRNO(EINVAL, xfer_at(&rank, UINT64_MAX - 7, 8));
	EXPECT_ERRNO(EINVAL, xfer_at(&rank, UINT64_MAX - 7, 16));
	EXPECT_ERRNO(EINVAL, xfer_at(&rank, 8, UINT64_MAX - 7));
	EXPECT_ERRNO(EINVAL, xfer_at(&rank, 1ULL << 63, 1ULL << 63));
	EXPECT_ERRNO(EINVAL, xfer_at(&rank, 1ULL << 32, 8));
	EXPECT_EQ(0, rank_count_nonzero(&rank));
}

TEST(stride_without_strided)
{
	uint64_t addrs[PIMDIMM_RANK_PES];
	struct pimdimm_xfer arg = {
		.size = sizeof(arg),
		.pe_mask = 1,
		.bytes = 8,
		.addrs = (uintptr_t)addrs,
		.stride = 8,
	};
	struct rank rank;

	rank_open(&rank);
	addrs[0] = (uintptr_t)host_words;
	EXPECT_ERRNO(EINVAL, ioctl(rank.fd, PIMDIMM_IOC_XFER, &arg));
	arg.stride = 0;
	EXPECT_EQ(0, ioctl(rank.fd, PIMDIMM_IOC_XFER, &arg));
}

static const uint64_t bad_addresses[] = {
	0,
	8,
	UINT64_MAX,
	UINT64_MAX - 7,
	0xffff888000000000, /* the kernel's map of memory */
	0xffffffff81000000, /* its text */
	0x7ffffffffff8,	    /* the last word of user space, never mapped */
	0x800000000000,
	0x8000000000000000, /* not canonical */
};

#define for_each_bad_address(address)                                          \
	for (const uint64_t *address = bad_addresses;                          \
	     address <                                                         \
	     bad_addresses + sizeof(bad_addresses) / sizeof(bad_addresses[0]); \
	     address++)

TEST(bad_array)
{
	struct rank rank;
	uint8_t *page;

	rank_open_map(&rank);
	page = pages_before_hole(page_size());
	for_each_bad_address(address) {
		EXPECT_ERRNO(EFAULT,
			     xfer_array(rank.fd, 0, ALL_PES, 0, 8,
					(const uint64_t *)*address, NULL));
		EXPECT_ERRNO(EFAULT,
			     xfer_array(rank.fd, PIMDIMM_XFER_FROM_MRAM, 1, 0,
					8, (const uint64_t *)*address, NULL));
	}
	/* the array's second half does not exist */
	EXPECT_ERRNO(EFAULT,
		     xfer_array(rank.fd, 0, ALL_PES, 0, 8,
				(uint64_t *)(page + page_size() - 256), NULL));
	EXPECT_EQ(0, rank_count_nonzero(&rank));
}

/* Each PE's buffer in turn is the bad one. */
TEST(bad_buffers)
{
	uint64_t addrs[PIMDIMM_RANK_PES];
	struct rank rank;

	rank_open_map(&rank);
	for (unsigned int bad = 0; bad < PIMDIMM_RANK_PES; bad += 7) {
		for_each_bad_address(address) {
			for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++)
				addrs[pe] = (uintptr_t)&host_words[pe];
			addrs[bad] = *address;
			EXPECT_ERRNO(EFAULT, xfer_array(rank.fd, 0, ALL_PES, 0,
							8, addrs, NULL));
			EXPECT_ERRNO(EFAULT,
				     xfer_array(rank.fd, PIMDIMM_XFER_FROM_MRAM,
						ALL_PES, 0, 8, addrs, NULL));
			/* unselected, it is not looked at */
			EXPECT_EQ(0, xfer_array(rank.fd, 0,
						ALL_PES & ~(1ULL << bad), 0, 8,
						addrs, NULL));
		}
	}
}

TEST(bad_strided_buffers)
{
	static const uint64_t strides[] = { 1ULL << 40, 1ULL << 58,
					    UINT64_MAX / 2, 0x0400000000000000 };
	struct rank rank;

	rank_open_map(&rank);
	for_each_bad_address(address)
		EXPECT_ERRNO(EFAULT, xfer_strided(rank.fd, 0, ALL_PES, 0, 8,
						  (void *)*address, 8, NULL));
	for (size_t i = 0; i < sizeof(strides) / sizeof(strides[0]); i++)
		EXPECT_ERRNO(EFAULT,
			     xfer_strided(rank.fd, PIMDIMM_XFER_FROM_MRAM,
					  0x8000000000000002, 0, 8, host_words,
					  strides[i], NULL));
	EXPECT_EQ(0, rank_count_nonzero(&rank));
}

TEST(read_only_destination)
{
	uint8_t *page = mmap(NULL, page_size(), PROT_READ,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rank rank;

	ASSERT_TRUE(page != MAP_FAILED);
	rank_open_map(&rank);
	EXPECT_ERRNO(EFAULT, xfer_strided(rank.fd, PIMDIMM_XFER_FROM_MRAM,
					  ALL_PES, 0, 8, page, 8, NULL));
	EXPECT_ERRNO(EFAULT,
		     xfer_strided(rank.fd, PIMDIMM_XFER_FROM_MRAM, ALL_PES, 0,
				  8, "text is not writable either", 0, NULL));
	/* as a source it will do */
	EXPECT_EQ(0, xfer_strided(rank.fd, 0, ALL_PES, 0, 8, page, 8, NULL));
}

TEST(unreadable_source)
{
	uint8_t *page = mmap(NULL, page_size(), PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rank rank;

	ASSERT_TRUE(page != MAP_FAILED);
	rank_open_map(&rank);
	EXPECT_ERRNO(EFAULT,
		     xfer_strided(rank.fd, 0, ALL_PES, 0, 8, page, 8, NULL));
	EXPECT_EQ(0, rank_count_nonzero(&rank));
}

/* Direction and the descriptor's mode must agree. */
TEST(descriptor_mode)
{
	struct rank rank;
	int fd;

	rank_open(&rank);
	close(rank.fd);
	fd = open(rank.path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_ERRNO(EBADF,
		     xfer_strided(fd, 0, ALL_PES, 0, 8, host_words, 8, NULL));
	EXPECT_EQ(0, xfer_strided(fd, PIMDIMM_XFER_FROM_MRAM, ALL_PES, 0, 8,
				  host_words, 8, NULL));
	EXPECT_ERRNO(EBADF, ioctl(fd, PIMDIMM_IOC_RESET,
				  &(struct pimdimm_reset){ .size = 8 }));
	close(fd);
	fd = rank_reopen(&rank);
	close(fd);
	fd = open(rank.path, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_ERRNO(EBADF, xfer_strided(fd, PIMDIMM_XFER_FROM_MRAM, ALL_PES, 0,
					 8, host_words, 8, NULL));
	EXPECT_EQ(0,
		  xfer_strided(fd, 0, ALL_PES, 0, 8, host_words, 8, NULL));
	close(fd);
}

/*
 * A transfer of @bad PE's buffer running into a hole after GOOD_PAGES, at
 * @shift bytes from a page's end. All other buffers are @filler.
 */
struct broken {
	struct rank rank;
	uint64_t addrs[PIMDIMM_RANK_PES];
	uint64_t good; /* bytes of the bad buffer that exist */
	uint64_t bytes;
	uint8_t *filler;
	uint8_t *edge;
};

static void break_buffer(struct broken *broken, unsigned int bad,
			 unsigned int shift)
{
	size_t good_pages = GOOD_PAGES * page_size();

	rank_open_map(&broken->rank);
	broken->good = good_pages - 5 - shift;
	broken->bytes = good_pages + page_size();
	if (broken->bytes > broken->rank.query.out_mram_size)
		broken->bytes = broken->rank.query.out_mram_size;
	if (broken->good > broken->bytes - 8)
		broken->good = broken->bytes - 8;
	broken->filler = malloc(broken->bytes);
	ASSERT_TRUE(broken->filler != NULL);
	broken->edge = pages_before_hole(good_pages);
	broken->edge += good_pages - broken->good;
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++)
		broken->addrs[pe] = (uintptr_t)broken->filler;
	broken->addrs[bad] = (uintptr_t)broken->edge;
}

static void source_ends_early(unsigned int bad, uint64_t mask)
{
	struct broken broken;
	uint8_t *seen;
	uint64_t done;

	break_buffer(&broken, bad, 3);
	seen = malloc(broken.bytes);
	ASSERT_TRUE(seen != NULL);
	memset(broken.filler, 0xaa, broken.bytes);
	memset(broken.edge, 0xbb, broken.good);
	ASSERT_EQ(0, xfer_array(broken.rank.fd, 0, mask, 0, broken.bytes,
				broken.addrs, &done));
	EXPECT_LT(0, done);
	EXPECT_EQ(0, done % 8);
	EXPECT_LE(done, broken.good);
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++) {
		uint8_t byte = pe == bad ? 0xbb : 0xaa;

		rank_get(&broken.rank, pe, 0, seen, broken.bytes);
		for (uint64_t i = 0; i < broken.bytes; i++) {
			if (!(mask >> pe & 1))
				ASSERT_EQ(0, seen[i]);
			else if (i < done)
				ASSERT_EQ(byte, seen[i]);
			else /* not promised, but nothing else either */
				ASSERT_TRUE(seen[i] == 0 || seen[i] == byte);
		}
	}
}

TEST(source_of_first_pe_ends_early)
{
	source_ends_early(0, ALL_PES);
}

TEST(source_of_last_pe_ends_early)
{
	source_ends_early(63, 0x8100000000005581);
}

TEST(source_of_lonely_pe_ends_early)
{
	source_ends_early(29, 1ULL << 29);
}

static void destination_ends_early(unsigned int bad, uint64_t mask)
{
	struct broken broken;
	uint64_t done;
	uint8_t *mram;

	break_buffer(&broken, bad, 6);
	mram = malloc(broken.bytes);
	ASSERT_TRUE(mram != NULL);
	memset(mram, 0xcc, broken.bytes);
	ASSERT_EQ(0, xfer_strided(broken.rank.fd, 0, ALL_PES, 0, broken.bytes,
				  mram, 0, NULL));
	memset(broken.filler, 0xaa, broken.bytes);
	memset(broken.edge, 0xbb, broken.good);
	ASSERT_EQ(0, xfer_array(broken.rank.fd, PIMDIMM_XFER_FROM_MRAM, mask, 0,
				broken.bytes, broken.addrs, &done));
	EXPECT_LT(0, done);
	EXPECT_EQ(0, done % 8);
	EXPECT_LE(done, broken.good);
	for (uint64_t i = 0; i < broken.good; i++)
		ASSERT_TRUE(broken.edge[i] == 0xcc ||
			    (i >= done && broken.edge[i] == 0xbb));
	for (uint64_t i = 0; i < done && mask & ~(1ULL << bad); i++)
		ASSERT_EQ(0xcc, broken.filler[i]);
}

TEST(destination_of_first_pe_ends_early)
{
	destination_ends_early(0, ALL_PES);
}

TEST(destination_of_last_pe_ends_early)
{
	destination_ends_early(63, 0x8100000000005581);
}

TEST(destination_of_lonely_pe_ends_early)
{
	destination_ends_early(29, 1ULL << 29);
}

/* What the kernel had in the buffer's memory before must not come out. */
TEST(nothing_leaks_behind_a_fault)
{
	struct rank rank;
	uint8_t *page;
	uint64_t addrs[PIMDIMM_RANK_PES];

	rank_open_map(&rank);
	page = pages_before_hole(page_size());
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++)
		addrs[pe] = (uintptr_t)page;
	addrs[9] = (uintptr_t)(page + page_size() - 4);
	EXPECT_ERRNO(EFAULT,
		     xfer_array(rank.fd, 0, 1ULL << 9, 0, 8, addrs, NULL));
	EXPECT_EQ(0, rank_count_nonzero(&rank));
}

// SPDX-License-Identifier: MIT
/* mmap of a rank: what is allowed, what is shown, what outlives what. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"
#include "tests/kernel/userfault.h"

static void *map(const struct rank *rank, uint64_t offset, uint64_t bytes,
		 int protection, int flags)
{
	return mmap(NULL, bytes, protection, flags, rank->fd, (off_t)offset);
}

/* As a number, so that ASSERT_ERRNO can look at it. */
static long try_map(const struct rank *rank, uint64_t offset, uint64_t bytes,
		    int protection, int flags)
{
	return (long)map(rank, offset, bytes, protection, flags);
}

TEST(window_starts_zero)
{
	struct rank rank;
	size_t page = page_size();

	rank_open_map(&rank);
	EXPECT_EQ(0, rank.window[0]);
	EXPECT_EQ(0, rank.window[rank.query.out_window_size - 1]);
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++) {
		EXPECT_EQ(0, *rank_byte(&rank, pe, 0));
		EXPECT_EQ(0, *rank_byte(&rank, pe,
					rank.query.out_mram_size - 1));
	}
	EXPECT_EQ(0, rank.window[page]);
}

TEST(stores_are_seen_by_transfers)
{
	uint64_t seen[PIMDIMM_RANK_PES], last;
	struct rank rank;

	rank_open_map(&rank);
	last = rank.query.out_mram_size - 8;
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++) {
		uint64_t word = 0x0102030405060708 * (pe + 1);

		rank_put(&rank, pe, last, &word, sizeof(word));
	}
	ASSERT_EQ(0, xfer_strided(rank.fd, PIMDIMM_XFER_FROM_MRAM, ALL_PES,
				  last, 8, seen, 8, NULL));
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++)
		EXPECT_EQ(0x0102030405060708ULL * (pe + 1), seen[pe]);
}

TEST(private_mapping_is_refused)
{
	struct rank rank;

	rank_open(&rank);
	EXPECT_ERRNO(EINVAL, try_map(&rank, 0, page_size(),
				     PROT_READ | PROT_WRITE, MAP_PRIVATE));
	EXPECT_ERRNO(EINVAL,
		     try_map(&rank, 0, page_size(), PROT_READ, MAP_PRIVATE));
}

TEST(beyond_the_window)
{
	size_t page = page_size();
	struct rank rank;
	uint64_t size;

	rank_open(&rank);
	size = rank.query.out_window_size;
	EXPECT_NE(-1, try_map(&rank, size - page, page, PROT_READ, MAP_SHARED));
	EXPECT_ERRNO(EINVAL,
		     try_map(&rank, 0, size + page, PROT_READ, MAP_SHARED));
	EXPECT_ERRNO(EINVAL,
		     try_map(&rank, page, size, PROT_READ, MAP_SHARED));
	EXPECT_ERRNO(EINVAL,
		     try_map(&rank, size, page, PROT_READ, MAP_SHARED));
	EXPECT_ERRNO(EINVAL,
		     try_map(&rank, 1ULL << 39, page, PROT_READ, MAP_SHARED));
	EXPECT_ERRNO(EINVAL, try_map(&rank, page / 2, page, PROT_READ,
				     MAP_SHARED));
	EXPECT_ERRNO(EINVAL, try_map(&rank, 0, 0, PROT_READ, MAP_SHARED));
	/* the last page that an offset can name */
	EXPECT_EQ(-1, try_map(&rank, INT64_MAX - page + 1, page, PROT_READ,
			      MAP_SHARED));
	EXPECT_EQ(-1, try_map(&rank, -(uint64_t)page, page, PROT_READ,
			      MAP_SHARED));
}

TEST(parts_show_their_part)
{
	size_t page = page_size();
	uint8_t *part, *last;
	struct rank rank;

	rank_open_map(&rank);
	part = map(&rank, page, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED);
	ASSERT_TRUE(part != MAP_FAILED);
	last = map(&rank, rank.query.out_window_size - page, page,
		   PROT_READ | PROT_WRITE, MAP_SHARED);
	ASSERT_TRUE(last != MAP_FAILED);
	part[0] = 1;
	part[2 * page - 1] = 2;
	last[page - 1] = 3;
	EXPECT_EQ(1, rank.window[page]);
	EXPECT_EQ(2, rank.window[3 * page - 1]);
	EXPECT_EQ(3, rank.window[rank.query.out_window_size - 1]);
}

/* A mapping of a node that is open for reading only can never be written. */
TEST(read_only_descriptor)
{
	struct rank rank, reader;
	uint8_t *window;
	size_t page = page_size();

	rank_open(&rank);
	reader = rank;
	close(rank.fd);
	reader.fd = open(rank.path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, reader.fd);
	EXPECT_ERRNO(EACCES, try_map(&reader, 0, page, PROT_READ | PROT_WRITE,
				     MAP_SHARED));
	window = map(&reader, 0, page, PROT_READ, MAP_SHARED);
	ASSERT_TRUE(window != MAP_FAILED);
	EXPECT_EQ(0, window[0]);
	EXPECT_ERRNO(EACCES, mprotect(window, page, PROT_READ | PROT_WRITE));
	EXPECT_ERRNO(EINVAL,
		     try_map(&reader, 0, page, PROT_READ, MAP_PRIVATE));
}

TEST(write_only_descriptor)
{
	struct rank rank, writer;

	rank_open(&rank);
	writer = rank;
	close(rank.fd);
	writer.fd = open(rank.path, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, writer.fd);
	EXPECT_ERRNO(EACCES, try_map(&writer, 0, page_size(), PROT_WRITE,
				     MAP_SHARED));
}

static sigjmp_buf after_fault;

static void on_fault(int signal)
{
	siglongjmp(after_fault, signal);
}

/* The signal that touching @address brings, or 0. */
static int touch(volatile uint8_t *address, bool store)
{
	int signal = sigsetjmp(after_fault, 1);

	if (signal)
		return signal;
	if (store)
		*address = 1;
	else
		(void)*address;
	return 0;
}

static void catch_faults(void)
{
	struct sigaction action = { .sa_handler = on_fault };

	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
}

TEST(store_to_a_read_only_mapping)
{
	struct rank rank;
	uint8_t *window;

	rank_open(&rank);
	catch_faults();
	window = map(&rank, 0, page_size(), PROT_READ, MAP_SHARED);
	ASSERT_TRUE(window != MAP_FAILED);
	EXPECT_EQ(0, touch(window, false));
	EXPECT_EQ(SIGSEGV, touch(window, true));
	/* this descriptor may write, so the mapping may be changed */
	EXPECT_EQ(0, mprotect(window, page_size(), PROT_READ | PROT_WRITE));
	EXPECT_EQ(0, touch(window, true));
}

TEST(growth_beyond_the_window)
{
	size_t page = page_size();
	struct rank rank;
	uint8_t *last;

	rank_open(&rank);
	catch_faults();
	last = map(&rank, rank.query.out_window_size - page, page,
		   PROT_READ | PROT_WRITE, MAP_SHARED);
	ASSERT_TRUE(last != MAP_FAILED);
	last = mremap(last, page, 2 * page, MREMAP_MAYMOVE);
	if (last == MAP_FAILED)
		return;
	EXPECT_EQ(0, touch(last, true));
	EXPECT_EQ(SIGBUS, touch(last + page, true));
	EXPECT_EQ(SIGBUS, touch(last + page, false));
}

/*
 * What handles faults of a host view may not sleep for as long as somebody likes:
 * it is the module's code. PE views are shmem's.
 */
TEST(userfaultfd)
{
	int fd = userfault_open();
	struct rank rank;
	uint8_t *pe;

	rank_open_map(&rank);
	EXPECT_ERRNO(EINVAL, userfault_register(fd, rank.window, page_size()));
	pe = map(&rank, PIMDIMM_MMAP_PE, page_size(), PROT_READ | PROT_WRITE,
		 MAP_SHARED);
	ASSERT_TRUE(pe != MAP_FAILED);
	EXPECT_EQ(0, userfault_register(fd, pe, page_size()));
}

TEST(moved_and_cut_mappings)
{
	size_t page = page_size();
	uint8_t *part, *moved;
	struct rank rank;

	rank_open_map(&rank);
	part = map(&rank, 0, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED);
	ASSERT_TRUE(part != MAP_FAILED);
	ASSERT_EQ(0, munmap(part + page, page));
	part[3 * page] = 7;
	moved = mremap(part + 2 * page, 2 * page, 2 * page,
		       MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
	if (moved == MAP_FAILED)
		moved = part + 2 * page;
	EXPECT_EQ(7, moved[page]);
	moved[page] = 8;
	EXPECT_EQ(8, rank.window[3 * page]);
}

/* MRAM is ordinary memory to the kernel: other calls may read and write it. */
TEST(window_as_a_buffer_of_system_calls)
{
	struct iovec to, from;
	uint8_t bytes[64];
	struct rank rank;
	int ends[2];

	rank_open_map(&rank);
	for (unsigned int i = 0; i < sizeof(bytes); i++)
		rank.window[i] = (uint8_t)(i + 1);
	ASSERT_EQ(0, pipe(ends));
	ASSERT_EQ(64, write(ends[1], rank.window, 64));
	ASSERT_EQ(64, read(ends[0], rank.window + 256, 64));
	EXPECT_EQ(0, memcmp(rank.window, rank.window + 256, 64));
	to = (struct iovec){ bytes, 64 };
	from = (struct iovec){ rank.window, 64 };
	ASSERT_EQ(64, process_vm_readv(getpid(), &to, 1, &from, 1, 0));
	EXPECT_EQ(0, memcmp(bytes, rank.window, 64));
}

/* The window itself as the host buffer of a transfer: no deadlock. */
TEST(window_as_a_buffer_of_transfers)
{
	struct rank rank;
	uint8_t *buffer;
	uint8_t seen[4096];
	uint64_t done;

	rank_open_map(&rank);
	buffer = rank.window + rank.query.out_window_size - 4096;
	for (unsigned int i = 0; i < 4096; i++)
		buffer[i] = (uint8_t)(i * 7 + 1);
	/* bank 0's first words lie elsewhere in both layouts */
	ASSERT_EQ(0, xfer_strided(rank.fd, 0, 1, 0, 4096, buffer, 0, &done));
	EXPECT_EQ(4096, done);
	rank_get(&rank, 0, 0, seen, sizeof(seen));
	EXPECT_EQ(0, memcmp(seen, buffer, sizeof(seen)));
	/* source and destination are the same blocks */
	ASSERT_EQ(0, xfer_strided(rank.fd, 0, ALL_PES, 0, 4096, rank.window, 0,
				  &done));
	ASSERT_EQ(0, xfer_strided(rank.fd, PIMDIMM_XFER_FROM_MRAM, ALL_PES, 0,
				  4096, rank.window, 0, &done));
}

static int store_in_child(void *argument)
{
	struct rank *rank = argument;
	int seen = rank->window[0];

	rank->window[0] = 0x5b;
	return seen;
}

TEST(fork_shares)
{
	struct rank rank;

	rank_open_map(&rank);
	rank.window[0] = 0x42;
	EXPECT_EQ(0x42, in_child(store_in_child, &rank));
	EXPECT_EQ(0x5b, rank.window[0]);
}

/*
 * Root finds the backing file in /proc/PID/map_files. Its size must hold
 * whatever is done to it.
 */
TEST(backing_file_keeps_its_size)
{
	char path[96];
	struct rank rank;
	int file;

	rank_open_map(&rank);
	rank.window[rank.query.out_window_size - 1] = 9;
	snprintf(path, sizeof(path), "/proc/self/map_files/%zx-%zx",
		 (size_t)rank.window,
		 (size_t)rank.window + (size_t)rank.query.out_window_size);
	file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0)
		SKIP("%s: %s", path, strerror(errno));
	EXPECT_ERRNO(EPERM, ftruncate(file, 4096));
	EXPECT_ERRNO(EPERM,
		     ftruncate(file, rank.query.out_window_size + 4096));
	EXPECT_EQ(9, rank.window[rank.query.out_window_size - 1]);
	close(file);
}

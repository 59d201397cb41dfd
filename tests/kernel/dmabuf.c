// SPDX-License-Identifier: MIT
/* EXPORT: dma-bufs of a rank, mapped by processes. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/dma-buf.h>

#include "tests/kernel/dmabuf.h"
#include "tests/kernel/harness.h"

/* The window's pages, marked so that each byte tells where it is. */
static void mark_pages(const struct rank *rank, unsigned int pages)
{
	for (size_t at = 0; at < pages * page_size(); at += 4) {
		uint32_t mark = (uint32_t)at * 2654435761u;

		memcpy(rank->window + at, &mark, sizeof(mark));
	}
}

static void expect_marks(const uint8_t *map, size_t begin, size_t bytes)
{
	for (size_t at = begin; at < begin + bytes; at += 4) {
		uint32_t mark = (uint32_t)at * 2654435761u, seen;

		memcpy(&seen, map + at - begin, sizeof(seen));
		ASSERT_EQ(mark, seen);
	}
}

TEST(shows_the_same_bytes)
{
	uint64_t word = 0x1122334455667788, seen;
	struct rank rank;
	uint8_t *map;
	int fd;

	rank_open_exporting(&rank);
	mark_pages(&rank, 8);
	fd = export_pages(&rank, 8);
	map = map_dmabuf(fd, 8 * page_size());
	expect_marks(map, 0, 8 * page_size());
	/* both ways, by stores and by transfers */
	map[5] = 0x5a;
	EXPECT_EQ(0x5a, rank.window[5]);
	ASSERT_EQ(0, xfer_strided(rank.fd, 0, 1, 0, 8, &word, 0, NULL));
	EXPECT_EQ(0x88, map[0]);
	map[0] ^= 0xff;
	ASSERT_EQ(0, xfer_strided(rank.fd, PIMDIMM_XFER_FROM_MRAM, 1, 0, 8,
				  &seen, 0, NULL));
	EXPECT_EQ(word ^ 0xff, seen);
}

TEST(parts)
{
	size_t page = page_size();
	struct rank rank;
	uint64_t last;

	rank_open_exporting(&rank);
	mark_pages(&rank, 16);
	last = rank.query.out_window_size - page;
	rank.window[last + 7] = 7;
	for (unsigned int first = 0; first < 16; first += 5) {
		for (unsigned int pages = 1; pages <= 16 - first; pages += 3) {
			int fd = export_range(rank.fd, first * page,
					      pages * page);
			uint8_t *map = map_dmabuf(fd, pages * page);

			EXPECT_EQ((off_t)(pages * page), lseek(fd, 0, SEEK_END));
			expect_marks(map, first * page, pages * page);
			/* a part of the part */
			if (pages > 1) {
				uint8_t *part = mmap(NULL, page, PROT_READ,
						     MAP_SHARED, fd,
						     (off_t)page);

				ASSERT_TRUE(part != MAP_FAILED);
				expect_marks(part, (first + 1) * page, page);
				munmap(part, page);
			}
			munmap(map, pages * page);
			close(fd);
		}
	}
	EXPECT_EQ(7, map_dmabuf(export_range(rank.fd, last, page), page)[7]);
}

/* What was never touched is there, and zero, in both. */
TEST(holes_are_filled)
{
	struct rank rank;
	uint8_t *map;

	rank_open_exporting(&rank);
	map = map_dmabuf(export_pages(&rank, 4), 4 * page_size());
	EXPECT_LE((long)(4 * page_size()), sysfs_number(&rank, "allocated"));
	for (size_t at = 0; at < 4 * page_size(); at++)
		ASSERT_EQ(0, map[at]);
	map[100] = 1;
	EXPECT_EQ(1, rank.window[100]);
}

TEST(refused_ranges)
{
	size_t page = page_size();
	struct rank rank;
	uint64_t size;

	rank_open_exporting(&rank);
	size = rank.query.out_window_size;
	EXPECT_ERRNO(EINVAL, export_range(rank.fd, 0, 0));
	EXPECT_ERRNO(EINVAL, export_range(rank.fd, 1, page));
	EXPECT_ERRNO(EINVAL, export_range(rank.fd, 8, page));
	EXPECT_ERRNO(EINVAL, export_range(rank.fd, 0, page - 1));
	EXPECT_ERRNO(EINVAL, export_range(rank.fd, 0, page / 2));
	EXPECT_ERRNO(EINVAL, export_range(rank.fd, size, page));
	EXPECT_ERRNO(EINVAL, export_range(rank.fd, size, 0));
	EXPECT_ERRNO(EINVAL, export_range(rank.fd, page, size));
	EXPECT_ERRNO(EINVAL, export_range(rank.fd, 0, size + page));
	EXPECT_ERRNO(EINVAL, export_range(rank.fd, -page, 2 * page));
	EXPECT_ERRNO(EINVAL, export_range(rank.fd, 2 * page, -page));
	EXPECT_ERRNO(EINVAL, export_range(rank.fd, 0, 1ULL << 63));
	EXPECT_ERRNO(EINVAL, export_range(rank.fd, PIMDIMM_MMAP_PE, page));
	/* none of them has left anything behind */
	EXPECT_EQ(0, sysfs_number(&rank, "allocated"));
	EXPECT_EQ(0, try_reset(&rank));
}

/* Whoever gets a dma-buf may write it. */
TEST(needs_both_modes)
{
	static const int modes[] = { O_RDONLY, O_WRONLY };
	struct rank rank;

	rank_open_exporting(&rank);
	rank_close(&rank);
	for (unsigned int i = 0; i < 2; i++) {
		int fd = open(rank.path, modes[i] | O_CLOEXEC);

		ASSERT_LE(0, fd);
		EXPECT_ERRNO(EBADF, export_range(fd, 0, page_size()));
		close(fd);
	}
}

static int next_descriptor(const struct rank *rank)
{
	int next = dup(rank->fd);

	close(next);
	return next;
}

TEST(descriptor)
{
	struct rank rank;
	int next, fd;

	rank_open_exporting(&rank);
	next = next_descriptor(&rank);
	fd = export_pages(&rank, 1);
	EXPECT_EQ(next, fd);
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	EXPECT_EQ(O_RDWR, fcntl(fd, F_GETFL) & O_ACCMODE);
}

/* Where the caller cannot be told its descriptor, there must be none. */
TEST(untold_descriptor)
{
	struct pimdimm_export *arg = mmap(NULL, page_size(),
					  PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rank rank;
	int next;

	rank_open_exporting(&rank);
	ASSERT_TRUE(arg != MAP_FAILED);
	arg->size = sizeof(*arg);
	arg->bytes = page_size();
	ASSERT_EQ(0, mprotect(arg, page_size(), PROT_READ));
	next = next_descriptor(&rank);
	for (unsigned int i = 0; i < 100; i++)
		EXPECT_ERRNO(EFAULT, ioctl(rank.fd, PIMDIMM_IOC_EXPORT, arg));
	EXPECT_EQ(next, next_descriptor(&rank));
	EXPECT_EQ(0, try_reset(&rank));
}

TEST(no_free_descriptor)
{
	struct rank rank;
	struct rlimit limit;

	rank_open_exporting(&rank);
	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
	limit.rlim_cur = (rlim_t)next_descriptor(&rank);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	EXPECT_ERRNO(EMFILE, export_range(rank.fd, 0, page_size()));
	EXPECT_EQ(0, try_reset(&rank));
}

TEST(refused_mappings)
{
	size_t page = page_size();
	struct rank rank;
	int fd;

	rank_open_exporting(&rank);
	fd = export_range(rank.fd, 2 * page, 4 * page);
	ASSERT_LE(0, fd);
	EXPECT_ERRNO(EINVAL, (long)mmap(NULL, 5 * page, PROT_READ, MAP_SHARED,
					fd, 0));
	EXPECT_ERRNO(EINVAL, (long)mmap(NULL, page, PROT_READ, MAP_SHARED, fd,
					(off_t)(4 * page)));
	EXPECT_ERRNO(EINVAL, (long)mmap(NULL, 2 * page, PROT_READ, MAP_SHARED,
					fd, (off_t)(3 * page)));
	EXPECT_ERRNO(EINVAL, (long)mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd,
					0));
}

/* By no call does a part show what lies beyond it. */
TEST(parts_do_not_grow)
{
	size_t page = page_size();
	struct rank rank;
	uint8_t *map;
	int fd;

	rank_open_exporting(&rank);
	mark_pages(&rank, 16);
	fd = export_range(rank.fd, 4 * page, 4 * page);
	ASSERT_LE(0, fd);
	map = map_dmabuf(fd, 4 * page);
	EXPECT_ERRNO(EFAULT, (long)mremap(map, 4 * page, 8 * page,
					  MREMAP_MAYMOVE));
	EXPECT_ERRNO(EFAULT, (long)mremap(map, 0, 8 * page, MREMAP_MAYMOVE));
	EXPECT_ERRNO(EINVAL, madvise(map, page, MADV_DODUMP));
	/* its own pages, in another order, and no others */
	ASSERT_EQ(0, remap_file_pages(map, page, 0, 2, 0));
	expect_marks(map, 6 * page, page);
	EXPECT_ERRNO(EINVAL, remap_file_pages(map, page, 0, 4, 0));
	EXPECT_ERRNO(EINVAL, remap_file_pages(map + page, page, 0, 8, 0));
}

/*
 * Two mappings side by side whose places in dma-buf and window seem to meet are
 * not made one, which would be checked by nobody.
 */
TEST(neighbours_are_not_merged)
{
	size_t page = page_size();
	struct rank rank;
	uint8_t *map;
	int fd;

	rank_open_exporting(&rank);
	mark_pages(&rank, 16);
	fd = export_range(rank.fd, 2 * page, 8 * page);
	ASSERT_LE(0, fd);
	map = mmap(NULL, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0);
	ASSERT_TRUE(map != MAP_FAILED);
	/* its window pages are 2 and 3: the next one of them is 4 */
	ASSERT_TRUE(map == mmap(map, 2 * page, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_FIXED, fd, 0));
	ASSERT_TRUE(map + 2 * page ==
		    mmap(map + 2 * page, page, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, (off_t)(4 * page)));
	expect_marks(map, 2 * page, 2 * page);
	expect_marks(map + 2 * page, 6 * page, page);
}

TEST(reset_is_refused)
{
	size_t page = page_size();
	struct rank rank;
	uint8_t *map;
	int fd, other;

	rank_open_exporting(&rank);
	mark_pages(&rank, 4);
	fd = export_pages(&rank, 2);
	other = export_range(rank.fd, page, 2 * page);
	ASSERT_LE(0, other);
	EXPECT_ERRNO(EBUSY, try_reset(&rank));
	map = map_dmabuf(fd, 2 * page);
	close(fd);
	EXPECT_ERRNO(EBUSY, try_reset(&rank));
	close(other);
	/* the mapping alone keeps it */
	EXPECT_ERRNO(EBUSY, try_reset(&rank));
	expect_marks(map, 0, 2 * page);
	munmap(map, 2 * page);
	EXPECT_EQ(0, try_reset(&rank));
	EXPECT_EQ(0, rank_count_nonzero(&rank));
}

/* It outlives the node; the next owner neither sees nor keeps it. */
TEST(rank_is_closed_first)
{
	size_t page = page_size();
	struct rank rank, next;
	uint8_t *map;
	int fd;

	rank_open_exporting(&rank);
	mark_pages(&rank, 4);
	fd = export_pages(&rank, 4);
	rank_close(&rank);
	next = rank;
	next.fd = rank_reopen(&rank);
	ASSERT_LE(0, next.fd);
	rank_map(&next);
	EXPECT_EQ(0, rank_count_nonzero(&next));
	map = map_dmabuf(fd, 4 * page);
	expect_marks(map, 0, 4 * page);
	map[0] = 9;
	next.window[0] = 8;
	EXPECT_EQ(9, map[0]);
	EXPECT_EQ(0, try_reset(&next));
	EXPECT_EQ(9, map[0]);
	close(fd);
	expect_marks(map + page, page, page);
	munmap(map, 4 * page);
}

/* A process with nothing but what comes over the socket. */
static int look_and_store(int socket, const struct rank *rank)
{
	size_t page = page_size();
	int fd = receive_descriptor(socket);
	struct dma_buf_sync sync = { DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW };
	uint8_t *map;

	munmap(rank->window, rank->query.out_window_size);
	close(rank->fd);
	if (fd < 0)
		return 1;
	map = map_dmabuf(fd, 2 * page);
	ASSERT_EQ(0, ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync));
	expect_marks(map, 3 * page, 2 * page);
	map[page] = 0x77;
	sync.flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW;
	ASSERT_EQ(0, ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync));
	close(fd);
	return test_failed();
}

TEST(another_process)
{
	size_t page = page_size();
	int ends[2], status, fd;
	struct rank rank;
	pid_t pid;

	rank_open_exporting(&rank);
	mark_pages(&rank, 8);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	pid = fork();
	if (pid == 0)
		_exit(look_and_store(ends[1], &rank));
	fd = export_range(rank.fd, 3 * page, 2 * page);
	ASSERT_LE(0, fd);
	send_descriptor(ends[0], fd);
	close(fd);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0x77, rank.window[4 * page]);
	/* when that process is gone nothing holds it any more */
	EXPECT_EQ(0, try_reset(&rank));
}

TEST(sync)
{
	static const uint64_t ways[] = { DMA_BUF_SYNC_READ, DMA_BUF_SYNC_WRITE,
					 DMA_BUF_SYNC_RW };
	struct rank rank;
	int fd;

	rank_open_exporting(&rank);
	fd = export_pages(&rank, 2);
	for (unsigned int i = 0; i < 3; i++) {
		struct dma_buf_sync sync = { DMA_BUF_SYNC_START | ways[i] };

		EXPECT_EQ(0, ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync));
		sync.flags = DMA_BUF_SYNC_END | ways[i];
		EXPECT_EQ(0, ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync));
	}
}

/* System calls copy from it; nobody else takes hold of its pages. */
TEST(read_by_the_kernel)
{
	size_t page = page_size();
	uint8_t *seen = malloc(2 * page);
	struct iovec to = { seen, 2 * page }, from;
	struct rank rank;
	int fd, ends[2];

	rank_open_exporting(&rank);
	mark_pages(&rank, 4);
	fd = export_range(rank.fd, page, 2 * page);
	ASSERT_LE(0, fd);
	from = (struct iovec){ map_dmabuf(fd, 2 * page), 2 * page };
	ASSERT_EQ(0, pipe(ends));
	ASSERT_EQ((ssize_t)(2 * page), writev(ends[1], &from, 1));
	ASSERT_EQ((ssize_t)(2 * page), readv(ends[0], &to, 1));
	expect_marks(seen, page, 2 * page);
	EXPECT_ERRNO(EFAULT, process_vm_readv(getpid(), &to, 1, &from, 1, 0));
	free(seen);
}

/* It is no file of shmem, though its pages are: it has no seals to look at. */
TEST(no_seals)
{
	struct rank rank;
	int fd;

	rank_open_exporting(&rank);
	fd = export_pages(&rank, 1);
	EXPECT_ERRNO(EINVAL, fcntl(fd, F_GET_SEALS));
	EXPECT_ERRNO(EINVAL, fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	EXPECT_ERRNO(EINVAL, fcntl(fd, F_ADD_SEALS, 0));
}

TEST(fdinfo)
{
	char path[64], line[128];
	bool named = false;
	struct rank rank;
	FILE *file;
	int fd;

	rank_open_exporting(&rank);
	fd = export_pages(&rank, 3);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	ASSERT_TRUE(file != NULL);
	while (fgets(line, sizeof(line), file))
		named |= !strcmp(line, "exp_name:\tpimdimm\n");
	EXPECT_TRUE(named);
	fclose(file);
}

/*
 * The owner may punch holes into the rank: the dma-buf keeps the pages it has,
 * mapped before or after, and the rank gets new ones.
 */
TEST(punched_holes)
{
	size_t page = page_size();
	uint8_t *map, *later;
	struct rank rank;
	int fd;

	rank_open_exporting(&rank);
	mark_pages(&rank, 4);
	fd = export_pages(&rank, 4);
	map = map_dmabuf(fd, 4 * page);
	expect_marks(map, 0, 2 * page);
	ASSERT_EQ(0, madvise(rank.window, 4 * page, MADV_REMOVE));
	EXPECT_EQ(0, rank.window[4]);
	later = map_dmabuf(fd, 4 * page);
	expect_marks(map, 0, 4 * page);
	expect_marks(later, 0, 4 * page);
	later[4] = 0x44;
	EXPECT_EQ(0x44, map[4]);
	EXPECT_EQ(0, rank.window[4]);
	/* the dma-buf itself cannot be punched */
	EXPECT_ERRNO(ENODEV, madvise(map, page, MADV_REMOVE));
	munmap(map, 4 * page);
	munmap(later, 4 * page);
	close(fd);
	EXPECT_EQ(0, try_reset(&rank));
}

struct race {
	struct rank rank;
	atomic_bool stop;
	atomic_uint exported, refused, reset;
};

/* for a second, and until each has won once */
static bool race_goes_on(const struct race *race, double start)
{
	double since = seconds_now() - start;

	return since < 1 || ((!race->exported || !race->reset) &&
			     since < test_patience(20));
}

static void *export_again_and_again(void *argument)
{
	struct race *race = argument;

	while (!race->stop) {
		int fd = export_range(race->rank.fd, 0, 8 * page_size());
		uint8_t *map;

		if (fd < 0) {
			EXPECT_EQ(EBUSY, errno);
			race->refused++;
			continue;
		}
		map = map_dmabuf(fd, 8 * page_size());
		close(fd);
		map[0] = 1;
		/* were it reset meanwhile, the rank would have another page */
		EXPECT_EQ(1, map[0]);
		map[64] = 2;
		EXPECT_EQ(2, *(volatile uint8_t *)(race->rank.window + 64));
		munmap(map, 8 * page_size());
		race->exported++;
	}
	return NULL;
}

TEST(race_with_reset)
{
	struct race race = { .stop = false };
	pthread_t thread;

	rank_open_exporting(&race.rank);
	ASSERT_EQ(0, pthread_create(&thread, NULL, export_again_and_again,
				    &race));
	for (double start = seconds_now(); race_goes_on(&race, start);) {
		if (!try_reset(&race.rank))
			race.reset++;
		else
			EXPECT_EQ(EBUSY, errno);
	}
	race.stop = true;
	ASSERT_EQ(0, pthread_join(thread, NULL));
	test_note("%u exports, %u refused, %u resets", race.exported,
		  race.refused, race.reset);
	EXPECT_LT(0u, race.exported);
	EXPECT_LT(0u, race.reset);
	EXPECT_EQ(0, try_reset(&race.rank));
	EXPECT_EQ(0, rank_count_nonzero(&race.rank));
}

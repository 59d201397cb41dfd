// SPDX-License-Identifier: MIT
/*
 * XFER and the pages of host buffers, of which the module holds some while words
 * go straight to and from them, and copies the others: whatever a buffer is made
 * of, the same words arrive, it stops at the same place, nobody else's copy of a
 * page changes, and no page stays held.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/machine.h"
#include "tests/kernel/rank.h"

/* Of each PE: some slices and a part of one. */
#define PAGES	19u
#define PE_SIZE	(PAGES * page_size())

/* One group: its other lanes are plain memory in every test. */
#define GROUP_MASK 0xffull
#define ODD_PE	   5u

struct buffers {
	struct rank rank;
	uint8_t *plain;			/* PE_SIZE of each PE of the group */
	uint64_t addrs[PIMDIMM_RANK_PES];
};

static uint8_t *map_pages(size_t count, int protection)
{
	uint8_t *pages = mmap(NULL, count * page_size(), protection,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_TRUE(pages != MAP_FAILED);
	return pages;
}

static void buffers_open(struct buffers *b)
{
	rank_open_map(&b->rank);
	ASSERT_LE(PE_SIZE, b->rank.query.out_mram_size);
	b->plain = map_pages(PAGES * PIMDIMM_CHIPS, PROT_READ | PROT_WRITE);
	memset(b->addrs, 0, sizeof(b->addrs));
	for (unsigned int pe = 0; pe < PIMDIMM_CHIPS; pe++)
		b->addrs[pe] = (uintptr_t)b->plain + pe * PE_SIZE;
}

static int run_pages(struct buffers *b, uint32_t flags, uint64_t *done)
{
	return xfer_array(b->rank.fd, flags, GROUP_MASK, 0, PE_SIZE, b->addrs,
			  done);
}

static uint8_t mark(unsigned int pe, uint64_t at)
{
	return (uint8_t)(pe * 37 + at * 11 + at / 4096 * 5 + 1);
}

static void mark_buffer(uint8_t *buffer, unsigned int pe, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		buffer[i] = mark(pe, i);
}

static void mark_buffers(struct buffers *b)
{
	for (unsigned int pe = 0; pe < PIMDIMM_CHIPS; pe++)
		mark_buffer((uint8_t *)(uintptr_t)b->addrs[pe], pe, PE_SIZE);
}

static void mark_mram(struct buffers *b)
{
	uint8_t *bytes = map_pages(PAGES, PROT_READ | PROT_WRITE);

	for (unsigned int pe = 0; pe < PIMDIMM_CHIPS; pe++) {
		mark_buffer(bytes, pe, PE_SIZE);
		rank_put(&b->rank, pe, 0, bytes, PE_SIZE);
	}
	munmap(bytes, PE_SIZE);
}

static void expect_marks(const uint8_t *buffer, unsigned int pe, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		ASSERT_EQ(mark(pe, i), buffer[i]);
}

static void expect_buffers(const struct buffers *b)
{
	for (unsigned int pe = 0; pe < PIMDIMM_CHIPS; pe++)
		expect_marks((uint8_t *)(uintptr_t)b->addrs[pe], pe, PE_SIZE);
}

static void expect_mram(const struct buffers *b, size_t bytes)
{
	uint8_t *seen = map_pages(PAGES, PROT_READ | PROT_WRITE);

	for (unsigned int pe = 0; pe < PIMDIMM_CHIPS; pe++) {
		rank_get(&b->rank, pe, 0, seen, bytes);
		expect_marks(seen, pe, bytes);
	}
	munmap(seen, PE_SIZE);
}

/* --- buffers of all kinds of memory --- */

static int new_file(void)
{
	int fd = memfd_create("buffer", MFD_CLOEXEC);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, (off_t)PE_SIZE));
	return fd;
}

/* A place in the window that no byte of the group lies in. */
static uint64_t elsewhere(const struct rank *rank, size_t page)
{
	return pimdimm_layout_offset(rank->query.out_layout,
				     rank->query.out_mram_size, 2, 0) +
	       page * page_size();
}

/* Page for page: plain, of a file, of a private file, of the rank's window. */
static void mix_pages(struct buffers *b)
{
	uint8_t *buffer = map_pages(PAGES, PROT_READ | PROT_WRITE);
	const int access = PROT_READ | PROT_WRITE;
	const size_t size = page_size();
	int file = new_file();

	for (size_t page = 0; page < PAGES; page++) {
		uint8_t *at = buffer + page * size;
		void *map = at;

		if (page % 4 == 1)
			map = mmap(at, size, access, MAP_SHARED | MAP_FIXED,
				   file, (off_t)(page * size));
		else if (page % 4 == 2)
			map = mmap(at, size, access, MAP_PRIVATE | MAP_FIXED,
				   file, (off_t)(page * size));
		else if (page % 4 == 3)
			map = mmap(at, size, access, MAP_SHARED | MAP_FIXED,
				   b->rank.fd,
				   (off_t)elsewhere(&b->rank, page));
		ASSERT_TRUE(map == at);
	}
	close(file);
	b->addrs[ODD_PE] = (uintptr_t)buffer;
}

TEST(to_mram_from_pages_of_every_kind)
{
	struct buffers b;
	uint64_t done;

	buffers_open(&b);
	mix_pages(&b);
	mark_buffers(&b);
	ASSERT_EQ(0, run_pages(&b, 0, &done));
	EXPECT_EQ(PE_SIZE, done);
	expect_mram(&b, PE_SIZE);
}

TEST(from_mram_into_pages_of_every_kind)
{
	struct buffers b;
	uint64_t done;

	buffers_open(&b);
	mix_pages(&b);
	mark_mram(&b);
	ASSERT_EQ(0, run_pages(&b, PIMDIMM_XFER_FROM_MRAM, &done));
	EXPECT_EQ(PE_SIZE, done);
	expect_buffers(&b);
}

/* Whatever a file's own cache of its pages is told, the bytes are in the file. */
TEST(into_a_file)
{
	uint8_t *seen = map_pages(PAGES, PROT_READ | PROT_WRITE);
	struct buffers b;
	uint8_t *map;
	int file;

	buffers_open(&b);
	file = new_file();
	map = mmap(NULL, PE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	ASSERT_TRUE(map != MAP_FAILED);
	b.addrs[ODD_PE] = (uintptr_t)map;
	mark_mram(&b);
	ASSERT_EQ(0, run_pages(&b, PIMDIMM_XFER_FROM_MRAM, NULL));
	ASSERT_EQ(0, msync(map, PE_SIZE, MS_SYNC));
	ASSERT_EQ(0, munmap(map, PE_SIZE));
	ASSERT_EQ((ssize_t)PE_SIZE, pread(file, seen, PE_SIZE, 0));
	expect_marks(seen, ODD_PE, PE_SIZE);
	close(file);
}

/* Words begin anywhere in a page, in each buffer elsewhere. */
static void shifted(unsigned int unit)
{
	const size_t pitch = PE_SIZE + page_size();
	struct buffers b;

	buffers_open(&b);
	b.plain = map_pages((PAGES + 1) * PIMDIMM_CHIPS, PROT_READ | PROT_WRITE);
	for (unsigned int pe = 0; pe < PIMDIMM_CHIPS; pe++)
		b.addrs[pe] = (uintptr_t)b.plain + pe * pitch +
			      (pe * 61 + 3) * unit;
	mark_buffers(&b);
	ASSERT_EQ(0, run_pages(&b, 0, NULL));
	expect_mram(&b, PE_SIZE);
	memset(b.plain, 0, pitch * PIMDIMM_CHIPS);
	ASSERT_EQ(0, run_pages(&b, PIMDIMM_XFER_FROM_MRAM, NULL));
	expect_buffers(&b);
	for (unsigned int pe = 0; pe < PIMDIMM_CHIPS; pe++) {
		const uint8_t *end = (uint8_t *)(uintptr_t)b.addrs[pe] + PE_SIZE;

		EXPECT_EQ(0, *end);
		EXPECT_EQ(0, ((uint8_t *)(uintptr_t)b.addrs[pe])[-1]);
	}
}

TEST(words_at_different_places_of_pages)
{
	shifted(8);
}

TEST(words_that_straddle_pages)
{
	shifted(7);
}

/* Both ways, to and from what @b has by now. */
static void there_and_back(struct buffers *b)
{
	mark_buffers(b);
	ASSERT_EQ(0, run_pages(b, 0, NULL));
	expect_mram(b, PE_SIZE);
	for (unsigned int pe = 0; pe < PIMDIMM_CHIPS; pe++)
		memset((void *)(uintptr_t)b->addrs[pe], 0, PE_SIZE);
	ASSERT_EQ(0, run_pages(b, PIMDIMM_XFER_FROM_MRAM, NULL));
	expect_buffers(b);
}

TEST(buffers_of_huge_pages)
{
	const size_t pitch = PE_SIZE + page_size(), huge = 2u << 20;
	struct buffers b;
	uint8_t *pages;

	ASSERT_LE(PIMDIMM_CHIPS * (pitch + 8), huge);
	buffers_open(&b);
	pages = mmap(NULL, huge, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (pages == MAP_FAILED)
		SKIP("no huge page is free: %s", strerror(errno));
	for (unsigned int pe = 0; pe < PIMDIMM_CHIPS; pe++)
		b.addrs[pe] = (uintptr_t)pages + pe * (pitch + 8);
	there_and_back(&b);
}

/* --- MRAM of all kinds of pages --- */

TEST(mram_of_huge_pages)
{
	struct buffers b;

	buffers_open(&b);
	madvise(b.rank.window, b.rank.query.out_window_size, MADV_HUGEPAGE);
	for (unsigned int pe = 0; pe < PIMDIMM_CHIPS; pe++)
		*rank_byte(&b.rank, pe, 0) = 1;
	if (meminfo("ShmemHugePages:") <= 0)
		SKIP("the window has no huge pages here");
	there_and_back(&b);
}

/* Of each page of a PE this part alone is not a hole. */
static size_t filled_part(size_t page)
{
	return page * page_size() + page % 8 * (page_size() / 8);
}

TEST(holes_among_pages)
{
	const size_t part = page_size() / 8;
	uint8_t *want = map_pages(PAGES, PROT_READ | PROT_WRITE);
	struct buffers b;
	long allocated;

	buffers_open(&b);
	mark_buffers(&b);
	for (size_t page = 0; page < PAGES; page++) {
		mark_buffer(want + filled_part(page), ODD_PE, part);
		for (unsigned int pe = 0; pe < PIMDIMM_CHIPS; pe++)
			rank_put(&b.rank, pe, filled_part(page),
				 want + filled_part(page), part);
	}
	allocated = sysfs_number(&b.rank, "allocated");
	ASSERT_EQ(0, run_pages(&b, PIMDIMM_XFER_FROM_MRAM, NULL));
	EXPECT_EQ(allocated, sysfs_number(&b.rank, "allocated"));
	for (unsigned int pe = 0; pe < PIMDIMM_CHIPS; pe++)
		EXPECT_EQ(0, memcmp(want, b.plain + pe * PE_SIZE, PE_SIZE));
}

/* How many pages of the window some words of a PE lie in. */
static long pages_of(const struct rank *rank, unsigned int bank, uint64_t word,
		     uint64_t count)
{
	uint64_t last = UINT64_MAX;
	long pages = 0;

	while (count--) {
		uint64_t at = pimdimm_layout_offset(rank->query.out_layout,
						    rank->query.out_mram_size,
						    bank, word++);

		pages += at / page_size() != last;
		last = at / page_size();
	}
	return pages;
}

/* Of the last bank, in the middle of pages and to the end of the MRAM. */
TEST(allocates_pages_of_words_and_no_more)
{
	const uint64_t count = 1100;
	uint64_t words, done;
	struct buffers b;

	buffers_open(&b);
	mark_buffers(&b);
	words = rank_words(&b.rank);
	for (unsigned int chip = 0; chip < PIMDIMM_CHIPS; chip++)
		b.addrs[7 * PIMDIMM_CHIPS + chip] = b.addrs[chip];
	for (unsigned int before = 0; before < 2; before++) {
		uint64_t first = words - count - before * 3;

		rank_reset(&b.rank);
		ASSERT_EQ(0, xfer_array(b.rank.fd, 0, GROUP_MASK << 56,
					first * 8, count * 8, b.addrs, &done));
		EXPECT_EQ(count * 8, done);
		EXPECT_EQ(pages_of(&b.rank, 7, first, count) *
				  (long)page_size(),
			  sysfs_number(&b.rank, "allocated"));
	}
}

/* --- where it stops --- */

/* How far a transfer comes whose odd buffer has a page that is no good. */
static void stops_at(size_t page, uint32_t flags, int protection)
{
	const size_t good = page * page_size();
	struct buffers b;
	uint64_t done = 0;
	uint8_t *buffer;

	buffers_open(&b);
	buffer = map_pages(PAGES, PROT_READ | PROT_WRITE);
	b.addrs[ODD_PE] = (uintptr_t)buffer;
	/* else the odd one would have no pages yet */
	mark_buffers(&b);
	if (flags) {
		mark_mram(&b);
		memset(buffer, 0, PE_SIZE);
	}
	if (protection < 0)
		ASSERT_EQ(0, munmap(buffer + good, page_size()));
	else
		ASSERT_EQ(0, mprotect(buffer + good, page_size(), protection));
	if (!good) {
		EXPECT_ERRNO(EFAULT, run_pages(&b, flags, &done));
		return;
	}
	ASSERT_EQ(0, run_pages(&b, flags, &done));
	EXPECT_EQ(good, done);
	if (flags)
		expect_marks(buffer, ODD_PE, good);
	else
		expect_mram(&b, good);
}

TEST(stops_at_a_second_page_that_is_missing)
{
	stops_at(1, 0, -1);
}

TEST(stops_at_a_later_page_that_is_missing)
{
	stops_at(6, 0, -1);
}

TEST(stops_at_a_missing_page_of_a_destination)
{
	stops_at(6, PIMDIMM_XFER_FROM_MRAM, -1);
}

TEST(stops_at_a_page_that_cannot_be_written)
{
	stops_at(7, PIMDIMM_XFER_FROM_MRAM, PROT_READ);
}

TEST(stops_at_a_first_page_that_cannot_be_written)
{
	stops_at(0, PIMDIMM_XFER_FROM_MRAM, PROT_READ);
}

/* --- others who have the same pages --- */

static int transfer_in_child(void *argument)
{
	struct buffers *b = argument;

	if (run_pages(b, PIMDIMM_XFER_FROM_MRAM, NULL))
		return 1;
	for (unsigned int pe = 0; pe < PIMDIMM_CHIPS; pe++)
		for (size_t i = 0; i < PE_SIZE; i++)
			if (b->plain[pe * PE_SIZE + i] != mark(pe, i))
				return 2;
	return 0;
}

TEST(what_a_child_receives_its_parent_does_not_see)
{
	struct buffers b;

	buffers_open(&b);
	memset(b.plain, 0xee, PIMDIMM_CHIPS * PE_SIZE);
	mark_mram(&b);
	ASSERT_EQ(0, in_child(transfer_in_child, &b));
	for (size_t i = 0; i < PIMDIMM_CHIPS * PE_SIZE; i++)
		ASSERT_EQ(0xee, b.plain[i]);
}

/* The child looks when the pipe ends, which is after the transfer. */
static int see_old_bytes(int ready, const uint8_t *bytes, size_t count)
{
	char byte;

	if (read(ready, &byte, 1))
		return 1;
	for (size_t i = 0; i < count; i++)
		if (bytes[i] != 0xee)
			return 2;
	return 0;
}

TEST(what_a_parent_receives_its_child_does_not_see)
{
	struct buffers b;
	int pipe_fds[2], status;
	pid_t child;

	buffers_open(&b);
	memset(b.plain, 0xee, PIMDIMM_CHIPS * PE_SIZE);
	mark_mram(&b);
	ASSERT_EQ(0, pipe(pipe_fds));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		close(pipe_fds[1]);
		_exit(see_old_bytes(pipe_fds[0], b.plain,
				    PIMDIMM_CHIPS * PE_SIZE));
	}
	ASSERT_EQ(0, run_pages(&b, PIMDIMM_XFER_FROM_MRAM, NULL));
	expect_buffers(&b);
	close(pipe_fds[1]);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

/* --- buffers that go away meanwhile --- */

struct changer {
	pthread_t thread;
	uint8_t *buffer;
	bool stop;
};

static void *change(void *argument)
{
	struct changer *c = argument;
	const size_t half = PE_SIZE / 2 / page_size() * page_size();

	while (!__atomic_load_n(&c->stop, __ATOMIC_RELAXED)) {
		madvise(c->buffer, PE_SIZE, MADV_DONTNEED);
		mprotect(c->buffer + half, page_size(), PROT_NONE);
		munmap(c->buffer, half);
		mmap(c->buffer, PE_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
	return NULL;
}

TEST(while_a_thread_unmaps_the_buffer)
{
	struct changer c = { .stop = false };
	struct buffers b;
	uint64_t done;

	buffers_open(&b);
	mark_buffers(&b);
	c.buffer = map_pages(PAGES, PROT_READ | PROT_WRITE);
	b.addrs[ODD_PE] = (uintptr_t)c.buffer;
	ASSERT_EQ(0, pthread_create(&c.thread, NULL, change, &c));
	for (unsigned int i = 0; i < 200; i++) {
		uint32_t flags = i % 2 ? PIMDIMM_XFER_FROM_MRAM : 0;

		if (run_pages(&b, flags, &done)) {
			ASSERT_EQ(EFAULT, errno);
		} else {
			ASSERT_LT(0, done);
			ASSERT_LE(done, PE_SIZE);
		}
	}
	__atomic_store_n(&c.stop, true, __ATOMIC_RELAXED);
	pthread_join(c.thread, NULL);
	b.addrs[ODD_PE] = (uintptr_t)b.plain + ODD_PE * PE_SIZE;
	mark_buffers(&b);
	ASSERT_EQ(0, run_pages(&b, 0, &done));
	expect_mram(&b, PE_SIZE);
}

/* --- nothing stays held --- */

static long pins(void)
{
	return number_after("/proc/vmstat", "nr_foll_pin_acquired") -
	       number_after("/proc/vmstat", "nr_foll_pin_released");
}

/* Held or lost, so many buffers would show, and so much MRAM. */
TEST(no_page_stays_held)
{
	const size_t rounds = 40;
	bool exact = refresh_counters();
	long before = pins(), free_before = meminfo("MemFree:");
	struct buffers b;

	buffers_open(&b);
	for (size_t i = 0; i < rounds; i++) {
		mark_buffers(&b);
		/* every other time the last buffer has all of them copied */
		b.addrs[7] -= i % 2;
		ASSERT_EQ(0, run_pages(&b, 0, NULL));
		ASSERT_EQ(0, run_pages(&b, PIMDIMM_XFER_FROM_MRAM, NULL));
		b.addrs[7] = (uintptr_t)b.plain + 7 * PE_SIZE;
		ASSERT_EQ(0, madvise(b.plain, PIMDIMM_CHIPS * PE_SIZE,
				     MADV_DONTNEED));
		rank_reset(&b.rank);
	}
	if (exact && refresh_counters())
		EXPECT_EQ(before, pins());
	/* kilobytes; lost would be all that was freed above */
	EXPECT_LT(free_before - meminfo("MemFree:"),
		  (long)(rounds * PIMDIMM_CHIPS * PE_SIZE / 1024 / 2));
}

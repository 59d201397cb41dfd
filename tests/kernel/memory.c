// SPDX-License-Identifier: MIT
/*
 * MRAM is memory like any other: there when touched, swappable, accounted,
 * capable of huge pages. The tests that turn the machine's own knobs run only
 * where SELFTEST_KO says that it is theirs.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/machine.h"
#include "tests/kernel/views.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

#define MIB (1ul << 20)

static void skip_unless_own_machine(void)
{
	if (!getenv("SELFTEST_KO") || geteuid())
		SKIP("changes the machine's settings: not without SELFTEST_KO");
}

TEST(a_mapping_allocates_nothing)
{
	struct rank rank;

	rank_open_map(&rank);
	EXPECT_EQ(0, sysfs_number(&rank, "allocated"));
}

/* Nor may the group before them, in the module's buffer, show in them. */
TEST(reading_holes_allocates_nothing)
{
	static uint8_t host[PIMDIMM_RANK_PES][4096];
	struct rank rank;
	long allocated;

	rank_open(&rank);
	memset(host, 0xff, sizeof(host));
	ASSERT_EQ(0, xfer_strided(rank.fd, 0, 0xff, 0, 4096, host, 4096, NULL));
	allocated = sysfs_number(&rank, "allocated");
	ASSERT_EQ(0, xfer_all(&rank, PIMDIMM_XFER_FROM_MRAM, host, 4096));
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++)
		for (unsigned int i = 0; i < 4096; i++)
			ASSERT_EQ(pe < PIMDIMM_CHIPS ? 0xff : 0, host[pe][i]);
	EXPECT_EQ(allocated, sysfs_number(&rank, "allocated"));
}

/* A written byte costs about its page, unless huge pages are on. */
TEST(a_touch_allocates_a_page)
{
	uint64_t word = 1;
	struct rank rank;

	rank_open(&rank);
	ASSERT_EQ(0, xfer_strided(rank.fd, 0, 1, 0, 8, &word, 0, NULL));
	EXPECT_LT(0, sysfs_number(&rank, "allocated"));
	EXPECT_LE(sysfs_number(&rank, "allocated"), (long)(4 * MIB));
}

TEST(window_is_not_dumped)
{
	struct rank rank;
	char range[64], line[512], *found = NULL;
	FILE *file;

	rank_open_map(&rank);
	snprintf(range, sizeof(range), "%zx-", (size_t)rank.window);
	file = fopen("/proc/self/smaps", "re");
	ASSERT_TRUE(file != NULL);
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, range);
	ASSERT_TRUE(found != NULL);
	while (strncmp(line, "VmFlags:", 8) &&
	       fgets(line, sizeof(line), file))
		;
	EXPECT_TRUE(strstr(line, " dd") != NULL);
	fclose(file);
}

static size_t resident(const uint8_t *memory, size_t size)
{
	unsigned char pages[1024];
	size_t count = 0;

	ASSERT_LE(size / page_size(), sizeof(pages));
	ASSERT_EQ(0, mincore((void *)memory, size, pages));
	for (size_t i = 0; i < size / page_size(); i++)
		count += pages[i] & 1;
	return count;
}

/* Out to swap, and back by loads and by transfers. */
TEST(swaps)
{
	static uint64_t host[PIMDIMM_RANK_PES];
	size_t size = 2 * MIB;
	struct rank rank;

	if (meminfo("SwapTotal:") <= 0)
		SKIP("no swap");
	rank_open_map(&rank);
	for (size_t at = 0; at < size; at += 8)
		*(uint64_t *)(rank.window + at) = at * 31 + 1;
	madvise(rank.window, size, MADV_PAGEOUT);
	if (resident(rank.window, size) == size / page_size())
		SKIP("nothing could be paged out");
	/* swapped-out pages are no holes */
	EXPECT_LE((long)size, sysfs_number(&rank, "allocated"));
	ASSERT_EQ(0, xfer_all(&rank, PIMDIMM_XFER_FROM_MRAM, host, 8));
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++) {
		uint64_t seen;

		rank_get(&rank, pe, 0, &seen, 8);
		EXPECT_EQ(host[pe], seen);
	}
	for (size_t at = 0; at < size; at += 8)
		ASSERT_EQ(at * 31 + 1, *(uint64_t *)(rank.window + at));
	madvise(rank.window, size, MADV_PAGEOUT);
	rank_reset(&rank);
	EXPECT_EQ(0, sysfs_number(&rank, "allocated"));
	EXPECT_EQ(0, rank_count_nonzero(&rank));
}

#define TRANSFER_BYTES (16u << 10)

static void transfer_marks(const struct rank *rank, uint8_t mark)
{
	static uint8_t host[PIMDIMM_RANK_PES * TRANSFER_BYTES];

	memset(host, mark, sizeof(host));
	ASSERT_EQ(0, xfer_all(rank, 0, host, TRANSFER_BYTES));
}

/* Reading maps the pages clean: the transfer alone has made them dirty. */
static bool page_out(const struct rank *rank)
{
	size_t size = 2 * MIB;

	for (size_t at = 0; at < size; at += page_size())
		(void)*(volatile uint8_t *)(rank->window + at);
	madvise(rank->window, size, MADV_PAGEOUT);
	return resident(rank->window, size) < size / page_size();
}

static void expect_marks(const struct rank *rank, uint8_t mark)
{
	static uint8_t host[PIMDIMM_RANK_PES * TRANSFER_BYTES];

	ASSERT_EQ(0, xfer_all(rank, PIMDIMM_XFER_FROM_MRAM, host,
			      TRANSFER_BYTES));
	for (size_t i = 0; i < sizeof(host); i++)
		ASSERT_EQ(mark, host[i]);
}

/* What only transfers wrote goes out to swap as well, new or changed. */
TEST(transfers_survive_swapping)
{
	struct rank rank;

	if (meminfo("SwapTotal:") <= 0)
		SKIP("no swap");
	rank_open_map(&rank);
	for (uint8_t mark = 1; mark < 4; mark++) {
		transfer_marks(&rank, mark);
		if (!page_out(&rank))
			SKIP("nothing could be paged out");
		expect_marks(&rank, mark);
	}
}

#define SHMEM_HUGE "/sys/kernel/mm/transparent_hugepage/shmem_enabled"

/* The chosen one of the file's words, which stands in brackets. */
static void read_choice(const char *path, char choice[32])
{
	char text[256] = "", *begin;
	FILE *file = fopen(path, "re");

	if (!file || !fgets(text, sizeof(text), file))
		SKIP("%s: %s", path, strerror(errno));
	fclose(file);
	begin = strchr(text, '[');
	ASSERT_TRUE(begin != NULL);
	snprintf(choice, 32, "%.*s", (int)strcspn(begin + 1, "]"), begin + 1);
}

#define MODULE_HUGE "/sys/module/pimdimm/parameters/huge"

/* The module's parameter is "advise" unless whoever loaded it said otherwise. */
static void skip_unless_huge_if_advised(void)
{
	char choice[32], parameter[32] = "";
	FILE *file = fopen(MODULE_HUGE, "re");

	if (file) {
		if (!fgets(parameter, sizeof(parameter), file))
			parameter[0] = '\0';
		fclose(file);
	}
	if (strcmp(parameter, "advise\n"))
		SKIP("loaded with huge=%s", parameter);
	read_choice(SHMEM_HUGE, choice);
	if (!strcmp(choice, "deny"))
		SKIP("%s denies huge pages", SHMEM_HUGE);
}

/* Loads, transfers and reset on a window of huge pages. */
TEST(huge_pages)
{
	uint64_t words[64], seen;
	struct rank rank;
	long huge;

	skip_unless_huge_if_advised();
	rank_open_map(&rank);
	ASSERT_EQ(0, madvise(rank.window, 16 * MIB, MADV_HUGEPAGE));
	for (size_t at = 0; at < 16 * MIB; at += page_size())
		rank.window[at] = 1;
	huge = meminfo("ShmemPmdMapped:");
	EXPECT_LT(0, huge);
	EXPECT_EQ(0, (uintptr_t)rank.window % (2 * MIB));
	for (unsigned int i = 0; i < 64; i++)
		words[i] = i * 0x0101010101010101;
	for (uint64_t at = 0; at < 32768; at += 4096) {
		ASSERT_EQ(0, xfer_strided(rank.fd, 0, ALL_PES, at, 8, words, 8,
					  NULL));
		for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++) {
			rank_get(&rank, pe, at, &seen, 8);
			ASSERT_EQ(words[pe], seen);
		}
	}
	rank_reset(&rank);
	EXPECT_EQ(0, sysfs_number(&rank, "allocated"));
}

/* And where the window can be taken away, back and forth. */
TEST(huge_pages_in_a_view_that_can_be_taken_away)
{
	char before[32];
	struct rank rank;
	uint8_t *pe;

	skip_unless_own_machine();
	read_choice(SHMEM_HUGE, before);
	if (!write_text(SHMEM_HUGE, "advise"))
		SKIP("no huge pages for shmem in this kernel");
	views_open(&rank);
	to_host(&rank);
	rank_map(&rank);
	pe = views_map_pe(&rank);
	ASSERT_EQ(0, madvise(rank.window, 16 * MIB, MADV_HUGEPAGE));
	EXPECT_EQ(0, (uintptr_t)rank.window % (2 * MIB));
	EXPECT_EQ(0, (uintptr_t)pe % (2 * MIB));
	for (unsigned int round = 1; round < 4; round++) {
		for (size_t at = 0; at < 16 * MIB; at += page_size())
			rank.window[at] = (uint8_t)round;
		EXPECT_LT(0, meminfo("ShmemPmdMapped:"));
		to_pes(&rank);
		EXPECT_EQ(0, meminfo("ShmemPmdMapped:"));
		EXPECT_EQ(SIGBUS, touch(rank.window + MIB, true));
		EXPECT_EQ(round, pe[3 * MIB]);
		EXPECT_LT(0, meminfo("ShmemPmdMapped:"));
		to_host(&rank);
	}
	EXPECT_TRUE(write_text(SHMEM_HUGE, before));
}

#define GROUP "/sys/fs/cgroup/pimdimm-test"

static int transfer_in_group(void *argument)
{
	struct rank *rank = argument;
	uint8_t *host = malloc(512 << 10);
	char pid[16];
	uint64_t done = 0;

	snprintf(pid, sizeof(pid), "%d", getpid());
	if (!host || !write_text(GROUP "/cgroup.procs", pid))
		return 1;
	memset(host, 1, 512 << 10);
	if (xfer_strided(rank->fd, 0, ALL_PES, 0, 512 << 10, host, 0, &done))
		return errno == ENOMEM ? 0 : 2;
	test_note("%llu of %u bytes of each PE fit",
		  (unsigned long long)done, 512 << 10);
	return done < 512 << 10 ? 0 : 3;
}

/*
 * MRAM is charged to whoever touches it: a transfer beyond the limit of its
 * group comes short, and the process is not killed for it.
 */
TEST(accounted)
{
	struct rank rank;

	skip_unless_own_machine();
	rank_open(&rank);
	if (rank.query.out_mram_size < 512 << 10)
		SKIP("MRAM of %llu bytes is too small",
		     (unsigned long long)rank.query.out_mram_size);
	if (mkdir(GROUP, 0755) || !write_text(GROUP "/memory.max", "12M") ||
	    !write_text(GROUP "/memory.swap.max", "0"))
		SKIP("no memory cgroups: %s", strerror(errno));
	EXPECT_EQ(0, in_child(transfer_in_group, &rank));
	EXPECT_LT(0, sysfs_number(&rank, "allocated"));
	EXPECT_LT(sysfs_number(&rank, "allocated"), (long)(12 * MIB));
	rank_reset(&rank);
	EXPECT_EQ(0, rmdir(GROUP));
}

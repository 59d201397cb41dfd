// SPDX-License-Identifier: MIT
/*
 * What an export may take: RLIMIT_MEMLOCK of its user, memory that there is.
 * And what becomes of the pages: they stay in memory, and are given back.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/dmabuf.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/machine.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

#define USER		54321u	/* nobody else's, so that its count is ours */
#define LIMIT_PAGES	16u

static void skip_unless_root(void)
{
	if (geteuid())
		SKIP("only root can become another user");
}

/* A process of USER with room for LIMIT_PAGES. */
static void become_limited(unsigned int pages)
{
	struct rlimit limit = { pages * page_size(), pages * page_size() };

	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	ASSERT_EQ(0, setresuid(USER, USER, USER));
}

static int try_export(const struct rank *rank, unsigned int pages)
{
	return export_range(rank->fd, 0, pages * page_size());
}

static int export_to_the_limit(void *argument)
{
	const struct rank *rank = argument;
	int first, second;

	become_limited(LIMIT_PAGES);
	EXPECT_ERRNO(ENOMEM, try_export(rank, LIMIT_PAGES + 1));
	first = try_export(rank, LIMIT_PAGES - 4);
	ASSERT_LE(0, first);
	/* pages that are exported twice count twice */
	EXPECT_ERRNO(ENOMEM, try_export(rank, 5));
	second = try_export(rank, 4);
	ASSERT_LE(0, second);
	EXPECT_ERRNO(ENOMEM, try_export(rank, 1));
	close(second);
	second = try_export(rank, 4);
	ASSERT_LE(0, second);
	close(first);
	close(second);
	first = try_export(rank, LIMIT_PAGES);
	EXPECT_LE(0, first);
	return test_failed();
}

TEST(limit)
{
	struct rank rank;

	skip_unless_root();
	rank_open_exporting(&rank);
	for (unsigned int i = 0; i < 3; i++)
		EXPECT_EQ(0, in_child(export_to_the_limit, &rank));
	EXPECT_EQ(0, try_reset(&rank));
}

TEST(no_limit_for_root)
{
	struct rlimit none = { 0, 0 };
	struct rank rank;

	skip_unless_root();
	rank_open_exporting(&rank);
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &none));
	EXPECT_LE(0, export_pages(&rank, LIMIT_PAGES));
}

/* Refused exports leave no charge behind either. */
static int fail_again_and_again(void *argument)
{
	const struct rank *rank = argument;
	struct rlimit files = { (rlim_t)rank->fd + 1, (rlim_t)rank->fd + 1 };

	become_limited(LIMIT_PAGES);
	for (unsigned int i = 0; i < 50; i++) {
		EXPECT_ERRNO(ENOMEM, try_export(rank, LIMIT_PAGES + 1));
		EXPECT_ERRNO(EINVAL, try_export(rank, 0));
	}
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	for (unsigned int i = 0; i < 50; i++)
		EXPECT_ERRNO(EMFILE, try_export(rank, LIMIT_PAGES));
	return test_failed();
}

TEST(failures_are_not_charged)
{
	struct rank rank;

	skip_unless_root();
	rank_open_exporting(&rank);
	EXPECT_EQ(0, in_child(fail_again_and_again, &rank));
	EXPECT_EQ(0, in_child(export_to_the_limit, &rank));
}

struct sender {
	struct rank rank;
	int socket;
	unsigned int pages;
};

static int export_and_send(void *argument)
{
	const struct sender *sender = argument;
	int fd;

	become_limited(LIMIT_PAGES);
	fd = try_export(&sender->rank, sender->pages);
	if (fd < 0)
		return errno;
	send_descriptor(sender->socket, fd);
	return 0;
}

/* A process that has ended and left its dma-buf behind still counts. */
TEST(limit_is_the_users)
{
	struct sender sender = { .pages = LIMIT_PAGES - 1 };
	int ends[2], kept;

	skip_unless_root();
	rank_open_exporting(&sender.rank);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	sender.socket = ends[0];
	ASSERT_EQ(0, in_child(export_and_send, &sender));
	kept = receive_descriptor(ends[1]);
	ASSERT_LE(0, kept);
	sender.pages = 2;
	EXPECT_EQ(ENOMEM, in_child(export_and_send, &sender));
	sender.pages = 1;
	EXPECT_EQ(0, in_child(export_and_send, &sender));
	close(receive_descriptor(ends[1]));
	close(kept);
	sender.pages = LIMIT_PAGES;
	EXPECT_EQ(0, in_child(export_and_send, &sender));
}

static size_t resident(const uint8_t *memory, size_t pages)
{
	unsigned char map[1024];
	size_t count = 0;

	ASSERT_LE(pages, sizeof(map));
	ASSERT_EQ(0, mincore((void *)memory, pages * page_size(), map));
	for (size_t i = 0; i < pages; i++)
		count += map[i] & 1;
	return count;
}

static void page_out(const struct rank *rank, size_t pages)
{
	madvise(rank->window, pages * page_size(), MADV_PAGEOUT);
}

/* Pages do go out before the export and after it, so staying is its doing. */
static void expect_pages_stay(const struct rank *rank, size_t pages)
{
	int fd;

	memset(rank->window, 0x5a, pages * page_size());
	page_out(rank, pages);
	if (resident(rank->window, pages) == pages)
		SKIP("nothing could be paged out");
	fd = export_pages(rank, (unsigned int)pages);
	EXPECT_EQ(pages, resident(rank->window, pages));
	page_out(rank, pages);
	EXPECT_EQ(pages, resident(rank->window, pages));
	for (size_t at = 0; at < pages * page_size(); at++)
		ASSERT_EQ(0x5a, rank->window[at]);
	close(fd);
	page_out(rank, pages);
	EXPECT_LT(resident(rank->window, pages), pages);
	for (size_t at = 0; at < pages * page_size(); at++)
		ASSERT_EQ(0x5a, rank->window[at]);
}

static void skip_without_swap(void)
{
	if (meminfo("SwapTotal:") <= 0)
		SKIP("no swap");
}

TEST(pages_stay)
{
	struct rank rank;

	skip_without_swap();
	rank_open_exporting(&rank);
	expect_pages_stay(&rank, 64);
}

static int pages_stay_as_user(void *argument)
{
	struct rank *rank = argument;

	become_limited(64);
	expect_pages_stay(rank, 64);
	return test_failed();
}

TEST(pages_of_a_limited_user_stay)
{
	struct rank rank;

	skip_without_swap();
	skip_unless_root();
	rank_open_exporting(&rank);
	EXPECT_EQ(0, in_child(pages_stay_as_user, &rank));
}

/* Root's pages go where reclaim does not look for them, and come back. */
TEST(unevictable)
{
	size_t pages = 512;
	long before, during;
	struct rank rank;
	int fd;

	skip_without_swap();
	skip_unless_root();
	rank_open_exporting(&rank);
	memset(rank.window, 1, pages * page_size());
	fd = export_pages(&rank, (unsigned int)pages);
	before = meminfo("Unevictable:");
	page_out(&rank, pages);
	during = meminfo("Unevictable:");
	test_note("unevictable: %ld kB, then %ld", before, during);
	EXPECT_LE(before + 1024, during);
	close(fd);
	EXPECT_LT(meminfo("Unevictable:"), during - 1000);
}

/* One page of a limited user must not hold all of its rank in memory. */
static int export_one_page(void *argument)
{
	struct rank *rank = argument;
	int fd;

	become_limited(1);
	memset(rank->window, 1, 64 * page_size());
	fd = try_export(rank, 1);
	ASSERT_LE(0, fd);
	page_out(rank, 64);
	EXPECT_LT(resident(rank->window, 64), 64u);
	EXPECT_EQ(1, resident(rank->window, 1));
	return test_failed();
}

TEST(one_page_does_not_hold_the_rank)
{
	struct rank rank;

	skip_without_swap();
	skip_unless_root();
	rank_open_exporting(&rank);
	EXPECT_EQ(0, in_child(export_one_page, &rank));
}

#define GROUP "/sys/fs/cgroup/pimdimm-export"

static int export_in_group(void *argument)
{
	const struct rank *rank = argument;
	char pid[16];
	int fd;

	snprintf(pid, sizeof(pid), "%d", getpid());
	if (!write_text(GROUP "/cgroup.procs", pid))
		return 1;
	if (export_range(rank->fd, 0, 32 << 20) >= 0)
		return 2;
	if (errno != ENOMEM)
		return 3;
	/* what it has got of them is given back, but for a few */
	if (sysfs_number(rank, "allocated") > 1 << 20)
		return 5;
	/* what fits is still to be had */
	fd = export_range(rank->fd, 0, 1 << 20);
	return fd < 0 ? 4 : 0;
}

/* Beyond its group's limit an export is refused, and nobody killed for it. */
TEST(accounted)
{
	struct rank rank;

	if (!getenv("SELFTEST_KO") || geteuid())
		SKIP("changes the machine's settings: not without SELFTEST_KO");
	rank_open_exporting(&rank);
	if (mkdir(GROUP, 0755) || !write_text(GROUP "/memory.max", "12M") ||
	    !write_text(GROUP "/memory.swap.max", "0"))
		SKIP("no memory cgroups: %s", strerror(errno));
	EXPECT_EQ(0, in_child(export_in_group, &rank));
	rank_reset(&rank);
	EXPECT_EQ(0, rmdir(GROUP));
}

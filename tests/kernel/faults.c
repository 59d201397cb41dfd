// SPDX-License-Identifier: MIT
/*
 * Transfers whose host memory answers late: userfaultfd holds the module's
 * access to a page until this test lets it go. Nobody else may have to wait
 * for it meanwhile, and it can be killed there.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/userfaultfd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"
#include "tests/kernel/userfault.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

/* A page that is not there until slow_release(). */
struct slow {
	int fd;
	uint8_t *page;
};

static void slow_start(struct slow *slow)
{
	slow->fd = userfault_open_all();
	slow->page = mmap(NULL, page_size(), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(slow->page != MAP_FAILED);
	ASSERT_EQ(0, userfault_register(slow->fd, slow->page, page_size()));
}

static void slow_release(const struct slow *slow, uint8_t value)
{
	static uint8_t contents[65536];
	struct uffdio_copy copy = {
		.dst = (uintptr_t)slow->page,
		.src = (uintptr_t)contents,
		.len = page_size(),
	};

	memset(contents, value, sizeof(contents));
	ASSERT_EQ(0, ioctl(slow->fd, UFFDIO_COPY, &copy));
}

struct waiter {
	const struct rank *rank;
	const struct slow *slow;
	uint32_t flags;
	atomic_bool ended;
	int result;
	uint64_t done;
};

static void *transfer_slowly(void *argument)
{
	struct waiter *waiter = argument;

	waiter->result = xfer_strided(waiter->rank->fd, waiter->flags, 0xff, 0,
				      64, waiter->slow->page, 0, &waiter->done);
	waiter->ended = true;
	return NULL;
}

/* What else a user of the rank may do, in this very group. */
static void use_the_rank(const struct rank *rank)
{
	struct pimdimm_query query = { .size = sizeof(query) };
	uint64_t words[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint64_t seen[8] = { 0 };
	void *map;

	ASSERT_EQ(0, ioctl(rank->fd, PIMDIMM_IOC_QUERY, &query));
	ASSERT_EQ(0, xfer_strided(rank->fd, 0, 0xff, 0, 8, words, 8, NULL));
	ASSERT_EQ(0, xfer_strided(rank->fd, PIMDIMM_XFER_FROM_MRAM, 0xff, 0, 8,
				  seen, 8, NULL));
	ASSERT_EQ(0, memcmp(words, seen, sizeof(words)));
	map = mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED,
		   rank->fd, 0);
	ASSERT_TRUE(map != MAP_FAILED);
	*(volatile uint8_t *)map = 1;
	ASSERT_EQ(0, munmap(map, page_size()));
	ASSERT_LE(0, sysfs_number(rank, "allocated"));
	ASSERT_ERRNO(EBUSY, open(rank->path, O_RDONLY));
	rank_reset(rank);
}

static void nobody_waits(uint32_t flags)
{
	struct waiter waiter = { .flags = flags };
	struct rank rank;
	struct slow slow;
	pthread_t thread;

	rank_open_map(&rank);
	slow_start(&slow);
	waiter.rank = &rank;
	waiter.slow = &slow;
	ASSERT_EQ(0, pthread_create(&thread, NULL, transfer_slowly, &waiter));
	userfault_wait(slow.fd);
	use_the_rank(&rank);
	EXPECT_TRUE(!waiter.ended);
	slow_release(&slow, 0x3c);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, waiter.result);
	EXPECT_EQ(64, waiter.done);
	if (flags & PIMDIMM_XFER_FROM_MRAM)
		EXPECT_EQ(0x3c, slow.page[64]);
	else
		EXPECT_EQ(0x3c, *rank_byte(&rank, 7, 63));
}

TEST(nobody_waits_for_a_slow_source)
{
	nobody_waits(0);
}

TEST(nobody_waits_for_a_slow_destination)
{
	nobody_waits(PIMDIMM_XFER_FROM_MRAM);
}

struct beside {
	const struct rank *rank;
	uint64_t addrs[PIMDIMM_RANK_PES];
	int result;
};

static void *transfer_beside(void *argument)
{
	struct beside *beside = argument;

	beside->result = xfer_array(beside->rank->fd, PIMDIMM_XFER_FROM_MRAM, 3,
				    0, page_size(), beside->addrs, NULL);
	return NULL;
}

/* Whether a page is swapped out, by /proc/self/pagemap. */
static bool is_swapped(const void *page)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry;

	ASSERT_LE(0, fd);
	ASSERT_EQ(8, pread(fd, &entry, 8,
			   (off_t)((uintptr_t)page / page_size() * 8)));
	close(fd);
	return entry >> 62 & 1;
}

/* A new page is on its way to where reclaim finds it on the processor that made it. */
static void stay_on_this_processor(void)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET((size_t)sched_getcpu(), &here);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(here), &here));
}

/* A page that is pinned is not paged out. */
static bool pages_out(uint8_t *page)
{
	memset(page, 1, page_size());
	ASSERT_EQ(0, madvise(page, page_size(), MADV_PAGEOUT));
	return is_swapped(page);
}

/* The first PE's page must not stay pinned for as long as the second's takes. */
TEST(nothing_is_pinned_while_waiting)
{
	struct beside beside = { .result = -1 };
	struct rank rank;
	struct slow slow;
	pthread_t thread;
	uint8_t *page;

	rank_open(&rank);
	slow_start(&slow);
	page = pages_before_hole(page_size());
	stay_on_this_processor();
	if (!pages_out(page))
		SKIP("nothing could be paged out");
	memset(page, 1, page_size());
	beside.rank = &rank;
	beside.addrs[0] = (uintptr_t)page;
	beside.addrs[1] = (uintptr_t)slow.page;
	ASSERT_EQ(0, pthread_create(&thread, NULL, transfer_beside, &beside));
	userfault_wait(slow.fd);
	EXPECT_TRUE(pages_out(page));
	slow_release(&slow, 0x3c);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, beside.result);
	EXPECT_EQ(0, page[0]);
	EXPECT_EQ(0, slow.page[0]);
}

static void *read_slow_array(void *argument)
{
	struct waiter *waiter = argument;

	waiter->result = xfer_array(waiter->rank->fd, 0, 1, 0, 8,
				    (const uint64_t *)waiter->slow->page,
				    &waiter->done);
	if (waiter->result)
		waiter->result = -errno;
	return NULL;
}

TEST(nobody_waits_for_a_slow_array)
{
	struct waiter waiter = { 0 };
	struct rank rank;
	struct slow slow;
	pthread_t thread;

	rank_open(&rank);
	slow_start(&slow);
	waiter.rank = &rank;
	waiter.slow = &slow;
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_slow_array, &waiter));
	userfault_wait(slow.fd);
	use_the_rank(&rank);
	slow_release(&slow, 0xff);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(-EFAULT, waiter.result);
}

/* Stuck in the fault, a transfer still dies when killed. */
TEST(killed_while_waiting)
{
	struct rank rank;
	struct slow slow;
	double start;
	int status;
	pid_t pid;

	rank_open(&rank);
	slow_start(&slow);
	pid = fork();
	if (pid == 0) {
		/* userfaultfd is not inherited: the child makes its own */
		slow_start(&slow);
		xfer_strided(rank.fd, 0, 1, 0, 8, slow.page, 0, NULL);
		_exit(1);
	}
	usleep(200000);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	start = seconds_now();
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_LT(seconds_now() - start, test_patience(5.0));
	EXPECT_TRUE(WIFSIGNALED(status));
}

struct churn {
	uint8_t *memory;
	size_t size;
	atomic_bool stop;
};

static void *unmap_and_map(void *argument)
{
	struct churn *churn = argument;

	while (!churn->stop) {
		munmap(churn->memory, churn->size);
		if (mmap(churn->memory, churn->size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			 0) == MAP_FAILED)
			break;
	}
	return NULL;
}

/* Host memory that comes and goes under a transfer. */
TEST(memory_unmapped_under_a_transfer)
{
	struct churn churn = { .size = 1 << 16 };
	unsigned int whole = 0, parts = 0, none = 0;
	struct rank rank;
	pthread_t thread;

	rank_open(&rank);
	churn.memory = mmap(NULL, churn.size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(churn.memory != MAP_FAILED);
	ASSERT_EQ(0, pthread_create(&thread, NULL, unmap_and_map, &churn));
	for (double end = seconds_now() + 1; seconds_now() < end;) {
		uint64_t done = 0;
		uint32_t flags = whole % 2 ? PIMDIMM_XFER_FROM_MRAM : 0;

		if (xfer_strided(rank.fd, flags, 0x8001, 0, churn.size,
				 churn.memory, 0, &done)) {
			ASSERT_EQ(EFAULT, errno);
			none++;
		} else if (done == churn.size) {
			whole++;
		} else {
			ASSERT_LT(0, done);
			parts++;
		}
	}
	churn.stop = true;
	ASSERT_EQ(0, pthread_join(thread, NULL));
	test_note("%u whole, %u in part, %u not at all", whole, parts, none);
}

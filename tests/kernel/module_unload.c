// SPDX-License-Identifier: MIT
/* Unloading while something of the module is in use: what holds it, what does not. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernel/dmabuf.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/loading.h"
#include "tests/kernel/userfault.h"
#include "tests/kernel/views.h"

TEST(unload_while_open)
{
	struct rank rank;
	int copy;

	need_unloaded();
	ASSERT_EQ(0, load("ranks=2"));
	rank_open_map(&rank);
	EXPECT_ERRNO(EAGAIN, unload());
	copy = dup(rank.fd);
	close(rank.fd);
	EXPECT_ERRNO(EAGAIN, unload());
	rank.window[0] = 1;
	EXPECT_EQ(1, rank.window[0]);
	EXPECT_EQ(0, ioctl(copy, PIMDIMM_IOC_QUERY, &rank.query));
	close(copy);
	ASSERT_EQ(0, munmap(rank.window, rank.query.out_window_size));
	EXPECT_EQ(0, unload());
	expect_nothing_left();
}

TEST(unload_while_exported)
{
	struct rank rank;
	int fd;

	need_unloaded();
	ASSERT_EQ(0, load("ranks=1"));
	rank_open_exporting(&rank);
	fd = export_pages(&rank, 1);
	rank_close(&rank);
	EXPECT_ERRNO(EAGAIN, unload());
	close(fd);
	EXPECT_EQ(0, unload());
	expect_nothing_left();
}

/* A host view, which outlives its node as plain memory, keeps the module. */
static void unload_while_mapped(bool muxed)
{
	struct views views;
	uint8_t *host;

	need_unloaded();
	ASSERT_EQ(0, load("ranks=1"));
	views_start(&views, true);
	host = views.rank.window;
	host[0] = 1;
	if (muxed)
		to_pes(&views.rank);
	close(views.rank.fd);
	EXPECT_EQ(1, host[0]);
	EXPECT_ERRNO(EAGAIN, unload());
	host[views.size - 1] = 2; /* a new page */
	EXPECT_EQ(2, host[views.size - 1]);
	ASSERT_EQ(0, munmap(host + page_size(), views.size - page_size()));
	EXPECT_ERRNO(EAGAIN, unload());
	ASSERT_EQ(0, munmap(host, page_size()));
	ASSERT_EQ(0, unload());
	expect_nothing_left();
}

TEST(unload_while_mapped_by_the_host)
{
	unload_while_mapped(false);
}

TEST(unload_while_mapped_after_mux)
{
	unload_while_mapped(true);
}

/* A PE view outlives the module, too. */
TEST(unload_while_mapped_by_pes)
{
	struct rank rank, next;
	uint8_t *pe;
	size_t last;

	need_unloaded();
	ASSERT_EQ(0, load("ranks=1"));
	rank_open(&rank);
	pe = views_map_pe(&rank);
	last = rank.query.out_window_size - 1;
	pe[0] = 1;
	close(rank.fd);
	ASSERT_EQ(0, unload());
	expect_nothing_left();
	EXPECT_EQ(1, pe[0]);
	pe[last] = 2; /* a new page */
	EXPECT_EQ(2, pe[last]);
	EXPECT_EQ(0, mprotect(pe, page_size(), PROT_READ));
	ASSERT_EQ(0, load("ranks=1"));
	rank_open_map(&next);
	EXPECT_EQ(0, next.window[0]);
	EXPECT_EQ(1, pe[0]);
	rank_close(&next);
	ASSERT_EQ(0, munmap(pe, last + 1));
	ASSERT_EQ(0, unload());
}

struct waiter {
	uint8_t *at;
	int signal;
};

static void *touch_and_wait(void *argument)
{
	struct waiter *waiter = argument;

	waiter->signal = touch(waiter->at, true);
	return NULL;
}

/*
 * Somebody stands at a page of a view, held by userfaultfd, while view, node and
 * module go: what it returns through must be there.
 */
static void unload_below_a_fault(bool host)
{
	struct waiter waiter;
	struct views views;
	pthread_t thread;
	int fd;

	need_unloaded();
	ASSERT_EQ(0, load("ranks=1"));
	views_start(&views, true);
	waiter.at = host ? views.rank.window : views.pe;
	fd = userfault_open();
	if (userfault_register(fd, waiter.at, views.size)) {
		EXPECT_TRUE(host);
		rank_close(&views.rank);
		ASSERT_EQ(0, unload());
		return;
	}
	mux(views.rank.fd, PIMDIMM_MUX_PES);
	mux(views.rank.fd, PIMDIMM_MUX_HOST);
	ASSERT_EQ(0, pthread_create(&thread, NULL, touch_and_wait, &waiter));
	userfault_wait(fd);
	ASSERT_EQ(0, munmap(views.rank.window, views.size));
	ASSERT_EQ(0, munmap(views.pe, views.size));
	close(views.rank.fd);
	ASSERT_EQ(0, unload());
	expect_nothing_left();
	close(fd);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(SIGSEGV, waiter.signal);
}

TEST(unload_below_a_fault_in_the_host_view)
{
	unload_below_a_fault(true);
}

TEST(unload_below_a_fault_in_the_pe_view)
{
	unload_below_a_fault(false);
}

/* A held sysfs file neither keeps the module nor breaks when it goes. */
TEST(unload_while_sysfs_is_open)
{
	char text[32];
	int fd;

	need_unloaded();
	ASSERT_EQ(0, load("ranks=1"));
	fd = open("/sys/class/pimdimm/pimdimm0/mram_size",
		  O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_LT(0, read(fd, text, sizeof(text)));
	ASSERT_EQ(0, unload());
	EXPECT_ERRNO(ENODEV, pread(fd, text, sizeof(text), 0));
	close(fd);
}

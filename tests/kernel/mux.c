// SPDX-License-Identifier: MIT
/*
 * PIMDIMM_IOC_MUX: while the PEs own a rank, the host's view of it is none, and
 * the PEs' goes on.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/machine.h"
#include "tests/kernel/views.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

TEST(arguments)
{
	struct pimdimm_mux arg = { .size = sizeof(arg), .owner = 2 };
	struct rank rank;

	views_open(&rank);
	rank_map(&rank);
	EXPECT_ERRNO(EOPNOTSUPP, ioctl(rank.fd, PIMDIMM_IOC_MUX, &arg));
	arg.owner = UINT32_MAX;
	EXPECT_ERRNO(EOPNOTSUPP, ioctl(rank.fd, PIMDIMM_IOC_MUX, &arg));
	arg.owner = PIMDIMM_MUX_PES;
	arg.reserved = 1;
	EXPECT_ERRNO(EINVAL, ioctl(rank.fd, PIMDIMM_IOC_MUX, &arg));
	arg.flags = 1;
	EXPECT_ERRNO(EOPNOTSUPP, ioctl(rank.fd, PIMDIMM_IOC_MUX, &arg));
	/* none of them took the rank */
	EXPECT_EQ(0, touch(rank.window, true));
}

TEST(needs_a_descriptor_for_writing)
{
	struct rank rank;
	int reader;

	views_open(&rank);
	close(rank.fd);
	reader = open(rank.path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, reader);
	EXPECT_ERRNO(EBADF, mux(reader, PIMDIMM_MUX_PES));
	EXPECT_ERRNO(EBADF, mux(reader, PIMDIMM_MUX_HOST));
}

static void expect_mux(const struct rank *rank, const char *owner)
{
	char text[64];

	sysfs_text(rank, "mux", text);
	EXPECT_EQ(0, strcmp(text, owner));
}

TEST(owner_in_sysfs)
{
	struct rank rank;

	views_open(&rank);
	expect_mux(&rank, "host\n");
	to_pes(&rank);
	expect_mux(&rank, "pes\n");
	/* what is refused changes nothing */
	EXPECT_ERRNO(EOPNOTSUPP, mux(rank.fd, 2));
	expect_mux(&rank, "pes\n");
	to_host(&rank);
	expect_mux(&rank, "host\n");
	to_pes(&rank);
	close(rank.fd);
	expect_mux(&rank, "host\n");
}

static void expect_sigbus(const uint8_t *address, bool store)
{
	EXPECT_EQ(SIGBUS, touch((uint8_t *)address, store));
	EXPECT_EQ(BUS_ADRERR, touch_signal()->si_code);
	EXPECT_EQ((uintptr_t)address, (uintptr_t)touch_signal()->si_addr);
}

static void expect_hosts(const struct views *views)
{
	for (uint64_t at = 0; at < views->size; at += views->size / 16)
		EXPECT_EQ(0, touch(views->rank.window + at, true));
}

static void expect_taken(const struct views *views)
{
	uint64_t half = views->size / 2;

	for (unsigned int store = 0; store < 2; store++) {
		expect_sigbus(views->rank.window, store);
		expect_sigbus(views->rank.window + 1234, store);
		expect_sigbus(views->rank.window + half, store);
		expect_sigbus(views->rank.window + half + 4097, store);
		expect_sigbus(views->rank.window + views->size - 1, store);
	}
}

static void hand_over_and_back(bool mapped_first)
{
	struct views views;

	views_start(&views, mapped_first);
	views.rank.window[0] = 7;
	views.rank.window[1234] = 8;
	for (unsigned int round = 0; round < 3; round++) {
		to_pes(&views.rank);
		expect_taken(&views);
		EXPECT_EQ(7, views.pe[0]);
		EXPECT_EQ(8, views.pe[1234]);
		views.pe[views.size - 1] = (uint8_t)(20 + round);
		/* a page that nobody has touched before */
		views.pe[(round + 1) * page_size()] = 3;
		to_host(&views.rank);
		EXPECT_EQ(7, views.rank.window[0]);
		EXPECT_EQ(8, views.rank.window[1234]);
		EXPECT_EQ(20 + round, views.rank.window[views.size - 1]);
		EXPECT_EQ(3, views.rank.window[(round + 1) * page_size()]);
		expect_hosts(&views);
		views.rank.window[0] = 7;
	}
}

TEST(views_mapped_before_the_first_call)
{
	hand_over_and_back(true);
}

TEST(views_mapped_after_the_first_call)
{
	hand_over_and_back(false);
}

TEST(views_mapped_while_the_pes_own)
{
	struct views views;

	views_open(&views.rank);
	to_pes(&views.rank);
	rank_map(&views.rank);
	views.pe = views_map_pe(&views.rank);
	views.size = views.rank.query.out_window_size;
	expect_taken(&views);
	views.pe[99] = 99;
	to_host(&views.rank);
	EXPECT_EQ(99, views.rank.window[99]);
	expect_hosts(&views);
}

/* Of parts, too, and of many at a time. */
TEST(parts_of_the_views)
{
	size_t page = page_size();
	struct views views;
	uint8_t *host[8], *pe;

	views_start(&views, true);
	for (unsigned int i = 0; i < 8; i++) {
		host[i] = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			       MAP_SHARED, views.rank.fd, (off_t)(i * page));
		ASSERT_TRUE(host[i] != MAP_FAILED);
		host[i][0] = (uint8_t)(i + 1);
	}
	pe = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, views.rank.fd,
		  (off_t)(PIMDIMM_MMAP_PE + 3 * page));
	ASSERT_TRUE(pe != MAP_FAILED);
	to_pes(&views.rank);
	for (unsigned int i = 0; i < 8; i++)
		expect_sigbus(host[i] + page - 1, i % 2);
	EXPECT_EQ(4, pe[0]);
	to_host(&views.rank);
	for (unsigned int i = 0; i < 8; i++)
		EXPECT_EQ(i + 1, host[i][0]);
}

TEST(pe_view_has_the_window_s_bounds)
{
	size_t page = page_size();
	struct rank rank;
	uint64_t size;

	views_open(&rank);
	size = rank.query.out_window_size;
	EXPECT_ERRNO(EINVAL, (long)mmap(NULL, size + page, PROT_READ,
					MAP_SHARED, rank.fd,
					(off_t)PIMDIMM_MMAP_PE));
	EXPECT_ERRNO(EINVAL, (long)mmap(NULL, page, PROT_READ, MAP_SHARED,
					rank.fd,
					(off_t)(PIMDIMM_MMAP_PE + size)));
	EXPECT_ERRNO(EINVAL, (long)mmap(NULL, page, PROT_READ, MAP_PRIVATE,
					rank.fd, (off_t)PIMDIMM_MMAP_PE));
	EXPECT_NE(MAP_FAILED,
		  mmap(NULL, page, PROT_READ, MAP_SHARED, rank.fd,
		       (off_t)(PIMDIMM_MMAP_PE + size - page)));
}

/* Where no MUX is called both views are open, and of the same bytes. */
TEST(pe_view_without_mux)
{
	struct views views;

	views_start(&views, true);
	views.rank.window[5] = 5;
	views.pe[6] = 6;
	EXPECT_EQ(5, views.pe[5]);
	EXPECT_EQ(6, views.rank.window[6]);
}

TEST(to_whom_it_belongs)
{
	struct views views;

	views_start(&views, true);
	to_host(&views.rank);
	EXPECT_EQ(0, touch(views.rank.window, true));
	to_pes(&views.rank);
	to_pes(&views.rank);
	expect_taken(&views);
	to_host(&views.rank);
	to_host(&views.rank);
	expect_hosts(&views);
}

TEST(transfers)
{
	static uint8_t host[PIMDIMM_RANK_PES * 4096], seen[sizeof(host)];
	const uint32_t from = PIMDIMM_XFER_FROM_MRAM;
	struct views views;
	uint64_t done = 77;

	views_start(&views, true);
	memset(host, 0x5a, sizeof(host));
	ASSERT_EQ(0, xfer_all(&views.rank, 0, host, 4096));
	to_pes(&views.rank);
	EXPECT_ERRNO(EBUSY, xfer_strided(views.rank.fd, 0, ALL_PES, 0, 4096,
					 seen, 4096, NULL));
	EXPECT_ERRNO(EBUSY, xfer_strided(views.rank.fd, from, 1, 8, 8, seen, 0,
					 NULL));
	EXPECT_EQ(0, seen[0]);
	/* a wrong argument is one at any time, and what does nothing may */
	EXPECT_ERRNO(EINVAL, xfer_strided(views.rank.fd, from, 1, 4, 8, seen, 0,
					  NULL));
	EXPECT_EQ(0, xfer_strided(views.rank.fd, from, 0, 8, 8, seen, 0,
				  &done));
	EXPECT_EQ(8, done);
	to_host(&views.rank);
	ASSERT_EQ(0, xfer_all(&views.rank, from, seen, 4096));
	EXPECT_EQ(0, memcmp(host, seen, sizeof(host)));
}

TEST(reset_and_remove)
{
	struct pimdimm_reset reset = { .size = sizeof(reset) };
	struct views views;

	views_start(&views, true);
	views.rank.window[0] = 1;
	to_pes(&views.rank);
	EXPECT_ERRNO(EBUSY, ioctl(views.rank.fd, PIMDIMM_IOC_RESET, &reset));
	EXPECT_ERRNO(EBUSY, madvise(views.rank.window, page_size(),
				    MADV_REMOVE));
	EXPECT_EQ(1, views.pe[0]);
	to_host(&views.rank);
	EXPECT_EQ(1, views.rank.window[0]);
	EXPECT_EQ(0, madvise(views.rank.window, page_size(), MADV_REMOVE));
	EXPECT_EQ(0, views.rank.window[0]);
	views.rank.window[0] = 1;
	rank_reset(&views.rank);
	EXPECT_EQ(0, views.rank.window[0]);
	EXPECT_EQ(0, views.pe[0]);
}

/* Whoever touches it for the host, the kernel included, cannot. */
TEST(host_view_as_a_buffer)
{
	struct iovec local, remote;
	struct rank other;
	struct views views;
	uint8_t bytes[64] = { 0 };
	int ends[2];

	views_start(&views, true);
	views.rank.window[0] = 9;
	ASSERT_EQ(0, pipe(ends));
	ASSERT_EQ(64, write(ends[1], bytes, 64));
	to_pes(&views.rank);
	EXPECT_ERRNO(EFAULT, write(ends[1], views.rank.window, 64));
	EXPECT_ERRNO(EFAULT, read(ends[0], views.rank.window, 64));
	local = (struct iovec){ bytes, 64 };
	remote = (struct iovec){ views.rank.window, 64 };
	EXPECT_ERRNO(EFAULT,
		     process_vm_readv(getpid(), &local, 1, &remote, 1, 0));
	EXPECT_ERRNO(EFAULT, madvise(views.rank.window, page_size(),
				     22 /* MADV_POPULATE_READ */));
	/* the PE view may be one */
	EXPECT_EQ(64, write(ends[1], views.pe, 64));
	rank_open_other(&other, &views.rank);
	EXPECT_ERRNO(EFAULT, xfer_strided(other.fd, 0, 1, 0, 64,
					  views.rank.window, 0, NULL));
	EXPECT_EQ(0, xfer_strided(other.fd, 0, 1, 0, 64, views.pe, 0, NULL));
}

/* A view may be moved, cut and protected whoever owns the rank. */
TEST(moved_cut_and_protected)
{
	size_t page = page_size();
	uint8_t *part, *moved;
	struct views views;

	views_start(&views, true);
	views.rank.window[2 * page] = 2;
	part = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED,
		    views.rank.fd, 0);
	ASSERT_TRUE(part != MAP_FAILED);
	EXPECT_EQ(2, part[2 * page]);
	to_pes(&views.rank);
	ASSERT_EQ(0, munmap(part + page, page));
	EXPECT_EQ(SIGSEGV, touch(part + page, false));
	expect_sigbus(part, false);
	moved = mremap(part + 2 * page, 2 * page, 2 * page,
		       MREMAP_MAYMOVE | MREMAP_FIXED,
		       views.rank.window + 8 * page);
	ASSERT_TRUE(moved == views.rank.window + 8 * page);
	expect_sigbus(moved, false);
	ASSERT_EQ(0, mprotect(moved, page, PROT_READ));
	expect_sigbus(moved, false);
	EXPECT_EQ(SIGSEGV, touch(moved, true));
	to_host(&views.rank);
	EXPECT_EQ(2, moved[0]);
	EXPECT_EQ(SIGSEGV, touch(moved, true));
	EXPECT_EQ(0, touch(moved + page, true));
	EXPECT_EQ(1, views.pe[3 * page]);
	EXPECT_EQ(0, touch(part, true));
}

/* Nor does anything else than a touch bring pages back. */
TEST(no_other_way_in)
{
	size_t huge = 2u << 20;
	struct views views;
	uint8_t *at;

	views_start(&views, true);
	if (views.size < 2 * huge)
		SKIP("the window is too small");
	for (uint64_t i = 0; i < 2 * huge; i += page_size())
		views.rank.window[i] = 1;
	to_pes(&views.rank);
	at = (uint8_t *)(((uintptr_t)views.rank.window + huge - 1) &
			 ~(huge - 1));
	EXPECT_EQ(-1, madvise(at, huge, MADV_COLLAPSE));
	expect_sigbus(at, false);
	madvise(at, huge, MADV_WILLNEED);
	expect_sigbus(at, false);
	EXPECT_EQ(-1, (long)mremap(at, 0, huge, MREMAP_MAYMOVE));
	EXPECT_EQ(0, msync(at, huge, MS_SYNC));
	expect_sigbus(at, true);
}

/* mlock() has no effect on a view, and is charged to nobody. */
TEST(locked_views)
{
	const char *status = "/proc/self/status";
	size_t bytes = 1u << 20;
	struct views views;
	long before;

	views_start(&views, true);
	before = number_after(status, "VmLck:");
	if (mlock(views.rank.window, bytes))
		SKIP("mlock: %s", strerror(errno));
	views.rank.window[0] = 1;
	to_pes(&views.rank);
	EXPECT_EQ(before, number_after(status, "VmLck:"));
	expect_taken(&views);
	to_host(&views.rank);
	EXPECT_EQ(1, views.rank.window[0]);
	EXPECT_EQ(0, munlock(views.rank.window, bytes));
}

/* 0, or the number of what was wrong */
static int child_of_fork(void *argument)
{
	struct views *views = argument;

	if (touch(views->rank.window, true) != SIGBUS)
		return 1;
	if (touch_signal()->si_addr != views->rank.window)
		return 2;
	if (touch(views->pe + 1, true))
		return 3;
	if (mux(views->rank.fd, PIMDIMM_MUX_HOST))
		return 4;
	if (touch(views->rank.window, true))
		return 5;
	return 0;
}

TEST(fork_while_the_pes_own)
{
	struct views views;

	views_start(&views, true);
	to_pes(&views.rank);
	EXPECT_EQ(0, in_child(child_of_fork, &views));
	/* the child gave it back */
	EXPECT_EQ(1, views.rank.window[0]);
	EXPECT_EQ(1, views.rank.window[1]);
}

/* A child with views of its own, told by a byte to go on. */
struct other_process {
	pid_t pid;
	int order[2], answer[2];
};

static void tell(int fd)
{
	ASSERT_EQ(1, write(fd, "", 1));
}

static void hear(int fd)
{
	char byte;

	ASSERT_EQ(1, read(fd, &byte, 1));
}

/* Maps the host view, or has it from fork(); touches it when told, twice. */
static int in_other_process(const struct other_process *other,
			    struct rank *rank, bool map)
{
	int expected[] = { SIGBUS, 0 };

	if (map)
		rank_map(rank);
	if (touch(rank->window, true))
		return 1;
	tell(other->answer[1]);
	for (int i = 0; i < 2; i++) {
		hear(other->order[0]);
		if (touch(rank->window, i) != expected[i])
			return 2 + i;
		tell(other->answer[1]);
	}
	return 0;
}

static void start_other(struct other_process *other, struct rank *rank,
			bool map)
{
	ASSERT_EQ(0, pipe(other->order));
	ASSERT_EQ(0, pipe(other->answer));
	other->pid = fork();
	ASSERT_LE(0, other->pid);
	if (!other->pid)
		_exit(in_other_process(other, rank, map));
	hear(other->answer[0]);
}

static void ask_other(struct other_process *other)
{
	tell(other->order[1]);
	hear(other->answer[0]);
}

static void end_other(struct other_process *other)
{
	int status;

	ASSERT_EQ(other->pid, waitpid(other->pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* Mapped before the first call of MUX or after it, by fork() or anew. */
static void two_processes(bool mapped_first, bool inherited)
{
	struct other_process other;
	struct views views;

	views_start(&views, mapped_first);
	start_other(&other, &views.rank, !inherited);
	to_pes(&views.rank);
	ask_other(&other);
	expect_taken(&views);
	to_host(&views.rank);
	ask_other(&other);
	end_other(&other);
}

TEST(another_process_s_views)
{
	two_processes(false, false);
}

TEST(inherited_views)
{
	two_processes(false, true);
}

TEST(another_process_s_views_from_before)
{
	two_processes(true, false);
}

TEST(inherited_views_from_before)
{
	two_processes(true, true);
}

TEST(close_gives_back)
{
	struct views views, next;
	struct rank rank;

	views_start(&views, true);
	views.rank.window[0] = 42;
	to_pes(&views.rank);
	close(views.rank.fd);
	/* what is left of it is nobody else's */
	EXPECT_EQ(42, views.rank.window[0]);
	expect_hosts(&views);
	/* the next owner begins as the host */
	next = views;
	next.rank.fd = rank_reopen(&views.rank);
	ASSERT_LE(0, next.rank.fd);
	rank = next.rank;
	rank_map(&rank);
	EXPECT_EQ(0, rank.window[0]);
	EXPECT_EQ(0, touch(rank.window, true));
	to_pes(&rank);
	EXPECT_EQ(SIGBUS, touch(rank.window, true));
	EXPECT_EQ(0, touch(views.rank.window, true));
}

static int export(const struct rank *rank)
{
	struct pimdimm_export arg = {
		.size = sizeof(arg),
		.bytes = page_size(),
	};

	return ioctl(rank->fd, PIMDIMM_IOC_EXPORT, &arg) ? -1 : arg.out_fd;
}

/* A dma-buf is a way round the multiplexer: there is either it, or the PEs. */
TEST(dma_bufs)
{
	struct views views;
	int fd;

	views_start(&views, true);
	if (!(views.rank.query.out_features & PIMDIMM_FEATURE_EXPORT))
		SKIP("this module does not offer EXPORT");
	fd = export(&views.rank);
	ASSERT_LE(0, fd);
	EXPECT_ERRNO(EBUSY, mux(views.rank.fd, PIMDIMM_MUX_PES));
	expect_hosts(&views);
	close(fd);
	to_pes(&views.rank);
	EXPECT_ERRNO(EBUSY, export(&views.rank));
	to_host(&views.rank);
	fd = export(&views.rank);
	EXPECT_LE(0, fd);
	close(fd);
	/* nor does an owner who leaves it to the PEs forbid them to the next */
	to_pes(&views.rank);
	rank_close(&views.rank);
	views.rank.fd = rank_reopen(&views.rank);
	ASSERT_LE(0, views.rank.fd);
	fd = export(&views.rank);
	EXPECT_LE(0, fd);
	close(fd);
}

/* What does not touch MRAM works whoever owns the rank. */
TEST(other_calls)
{
	struct views views;

	views_start(&views, true);
	views.rank.window[0] = 1;
	to_pes(&views.rank);
	EXPECT_EQ(0, ioctl(views.rank.fd, PIMDIMM_IOC_QUERY,
			   &views.rank.query));
	EXPECT_EQ(getpid(), sysfs_number(&views.rank, "owner"));
	EXPECT_LT(0, sysfs_number(&views.rank, "allocated"));
}

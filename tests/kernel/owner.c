// SPDX-License-Identifier: MIT
/*
 * The life of an owner: a node has one at a time, and its MRAM ends with it.
 * Nothing of it reaches the next one, by any way.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/dmabuf.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"

static int try_open(const struct rank *rank, int flags)
{
	return open(rank->path, flags | O_CLOEXEC);
}

static int open_in_child(void *argument)
{
	const struct rank *rank = argument;

	return try_open(rank, O_RDONLY) < 0 ? errno : 0;
}

static void expect_busy(const struct rank *rank)
{
	EXPECT_ERRNO(EBUSY, try_open(rank, O_RDWR));
	EXPECT_ERRNO(EBUSY, try_open(rank, O_RDONLY));
	EXPECT_ERRNO(EBUSY, try_open(rank, O_WRONLY));
	EXPECT_ERRNO(EBUSY, try_open(rank, O_RDWR | O_NONBLOCK));
	EXPECT_EQ(EBUSY, in_child(open_in_child, (void *)rank));
}

static void expect_free(const struct rank *rank)
{
	int fd = rank_reopen(rank);

	EXPECT_LE(0, fd);
	close(fd);
}

TEST(second_open)
{
	struct rank rank;

	rank_open(&rank);
	expect_busy(&rank);
	close(rank.fd);
	expect_free(&rank);
}

TEST(second_open_besides_a_reader)
{
	struct rank rank;
	int fd;

	rank_open(&rank);
	close(rank.fd);
	fd = try_open(&rank, O_RDONLY);
	ASSERT_LE(0, fd);
	expect_busy(&rank);
}

/* A refused open is no open: it neither holds nor frees anything. */
TEST(refused_opens_do_no_harm)
{
	struct rank rank;

	rank_open_map(&rank);
	rank.window[5] = 5;
	for (unsigned int i = 0; i < 200; i++)
		EXPECT_ERRNO(EBUSY, try_open(&rank, O_RDWR));
	EXPECT_EQ(5, rank.window[5]);
	EXPECT_EQ(0, ioctl(rank.fd, PIMDIMM_IOC_QUERY, &rank.query));
	rank_close(&rank);
	expect_free(&rank);
}

/* O_PATH names the node without opening it. */
TEST(path_descriptor_is_no_open)
{
	struct rank rank;
	int fd;

	rank_open(&rank);
	fd = try_open(&rank, O_PATH);
	ASSERT_LE(0, fd);
	EXPECT_ERRNO(EBADF, ioctl(fd, PIMDIMM_IOC_QUERY, &rank.query));
	close(rank.fd);
	expect_free(&rank);
}

TEST(dup_keeps_it)
{
	struct rank rank;
	int copy;

	rank_open(&rank);
	copy = dup(rank.fd);
	ASSERT_LE(0, copy);
	close(rank.fd);
	expect_busy(&rank);
	EXPECT_EQ(0, ioctl(copy, PIMDIMM_IOC_QUERY, &rank.query));
	close(copy);
	expect_free(&rank);
}

TEST(fork_keeps_it)
{
	struct rank rank;
	int ends[2], status;
	pid_t pid;

	rank_open_map(&rank);
	rank.window[0] = 1;
	ASSERT_EQ(0, pipe(ends));
	pid = fork();
	if (pid == 0) {
		char byte;

		close(ends[1]);
		_exit(read(ends[0], &byte, 1) || rank.window[0] != 1 ||
		      ioctl(rank.fd, PIMDIMM_IOC_QUERY, &rank.query));
	}
	rank_close(&rank);
	expect_busy(&rank);
	close(ends[1]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	expect_free(&rank);
}

/* A mapping is no descriptor: the node is free, and the mapping still there. */
TEST(mapping_does_not_keep_it)
{
	struct rank rank;

	rank_open_map(&rank);
	rank.window[0] = 1;
	close(rank.fd);
	expect_free(&rank);
	EXPECT_EQ(1, rank.window[0]);
}

TEST(sent_descriptor_keeps_it)
{
	struct rank rank;
	int ends[2], fd;

	rank_open(&rank);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	send_descriptor(ends[0], rank.fd);
	close(rank.fd);
	/* it is nobody's now but the socket's */
	expect_busy(&rank);
	fd = receive_descriptor(ends[1]);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, ioctl(fd, PIMDIMM_IOC_QUERY, &rank.query));
	expect_busy(&rank);
	close(fd);
	expect_free(&rank);
	/* one that is never received goes with its socket */
	rank.fd = rank_reopen(&rank);
	ASSERT_LE(0, rank.fd);
	send_descriptor(ends[0], rank.fd);
	close(rank.fd);
	expect_busy(&rank);
	close(ends[0]);
	close(ends[1]);
	expect_free(&rank);
}

TEST(killed_owner_frees_it)
{
	struct rank rank;
	int status;
	pid_t pid;

	rank_open(&rank);
	pid = fork();
	if (pid == 0) {
		rank_map(&rank);
		memset(rank.window, 0xee, 1 << 16);
		pause();
	}
	close(rank.fd);
	usleep(20000);
	expect_busy(&rank);
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	expect_free(&rank);
}

/* Marks all PEs, by both ways, and what is no MRAM in the window. */
static void leave_traces(struct rank *rank)
{
	uint8_t traces[4096];
	uint64_t size = rank->query.out_window_size;

	memset(traces, 0xa5, sizeof(traces));
	for (uint64_t at = 0; at < 8 * 4096; at += 4096)
		ASSERT_EQ(0, xfer_strided(rank->fd, 0, ALL_PES, at, 4096,
					  traces, 0, NULL));
	for (uint64_t at = 0; at < size; at += size / 512)
		rank->window[at / 64 * 64] = 0xa5;
	rank->window[size - 1] = 0xa5;
}

static void expect_no_traces(struct rank *rank)
{
	static uint8_t seen[PIMDIMM_RANK_PES * 4096];
	uint64_t size = rank->query.out_window_size;

	for (uint64_t at = 0; at < 8 * 4096; at += 4096) {
		memset(seen, 0xff, sizeof(seen));
		ASSERT_EQ(0, xfer_strided(rank->fd, PIMDIMM_XFER_FROM_MRAM,
					  ALL_PES, at, 4096, seen, 4096, NULL));
		for (size_t i = 0; i < sizeof(seen); i++)
			ASSERT_EQ(0, seen[i]);
	}
	for (uint64_t at = 0; at < size; at += size / 512)
		EXPECT_EQ(0, rank->window[at / 64 * 64]);
	EXPECT_EQ(0, rank->window[size - 1]);
	EXPECT_EQ(0, rank_count_nonzero(rank));
}

TEST(contents_end_with_their_owner)
{
	struct rank rank, next;

	rank_open_map(&rank);
	leave_traces(&rank);
	rank_close(&rank);
	next = rank;
	next.fd = rank_reopen(&rank);
	ASSERT_LE(0, next.fd);
	rank_map(&next);
	expect_no_traces(&next);
}

TEST(old_mapping_keeps_old_pages)
{
	struct rank old, next;

	rank_open_map(&old);
	leave_traces(&old);
	close(old.fd);
	next = old;
	next.fd = rank_reopen(&old);
	ASSERT_LE(0, next.fd);
	rank_map(&next);
	expect_no_traces(&next);
	/* neither sees what the other does from now on */
	old.window[0] = 0x11;
	next.window[64] = 0x22;
	next.window[0] = 0x33;
	EXPECT_EQ(0x11, old.window[0]);
	EXPECT_EQ(0xa5, old.window[old.query.out_window_size - 1]);
	EXPECT_EQ(0x33, next.window[0]);
	rank_reset(&next);
	EXPECT_EQ(0x11, old.window[0]);
	EXPECT_EQ(0, next.window[0]);
	munmap(old.window, old.query.out_window_size);
	EXPECT_EQ(0, next.window[0]);
}

/*
 * Many owners after another, each with a mapping of its own time left over: of a
 * few pages, since a process of 32 bits has no room for so many windows.
 */
TEST(chain_of_owners)
{
	const size_t bytes = 4096 + page_size();
	uint8_t *windows[32];
	struct rank rank;

	rank_open(&rank);
	for (unsigned int i = 0; i < 32; i++) {
		windows[i] = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				  MAP_SHARED, rank.fd, 0);
		ASSERT_TRUE(windows[i] != MAP_FAILED);
		ASSERT_EQ(0, windows[i][4096]);
		windows[i][4096] = (uint8_t)(i + 1);
		close(rank.fd);
		rank.fd = rank_reopen(&rank);
		ASSERT_LE(0, rank.fd);
	}
	for (unsigned int i = 0; i < 32; i++) {
		EXPECT_EQ(i + 1, windows[i][4096]);
		EXPECT_EQ(0, munmap(windows[i], bytes));
	}
}

TEST(ranks_are_apart)
{
	struct rank one, other;

	rank_open_map(&one);
	rank_open_other(&other, &one);
	rank_map(&other);
	leave_traces(&one);
	expect_no_traces(&other);
	other.window[0] = 0x77;
	EXPECT_EQ(0xa5, one.window[0]);
	rank_reset(&other);
	EXPECT_EQ(0xa5, one.window[0]);
}

static int grab_and_leave(void *argument)
{
	const struct rank *rank = argument;
	unsigned int grabbed = 0;

	for (double end = seconds_now() + 1; seconds_now() < end;) {
		int fd = try_open(rank, O_RDWR);

		if (fd < 0 && errno != EBUSY)
			return 1;
		if (fd < 0)
			continue;
		grabbed++;
		close(fd);
	}
	return grabbed ? 0 : 2;
}

/* Opens race with last closes, in four processes: each has it to itself. */
TEST(race_of_opens)
{
	struct rank rank;
	pid_t pids[4];

	rank_open(&rank);
	close(rank.fd);
	for (unsigned int i = 0; i < 4; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(grab_and_leave(&rank));
	}
	for (unsigned int i = 0; i < 4; i++) {
		int status;

		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	expect_free(&rank);
}

// SPDX-License-Identifier: MIT
/*
 * Signals in the middle of a transfer: it stops, says how far it came, and can
 * be continued from there; a fatal one ends it at once.
 */
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"

/* What takes longer, one of many signals must hit. */
#define MIN_SECONDS 0.005

/* A transfer of the same bytes to or from all PEs, large enough to hit. */
struct bulk {
	struct rank rank;
	struct random random;
	uint64_t bytes;
	uint8_t *host;
	double seconds; /* that an undisturbed one takes */
};

static volatile sig_atomic_t caught;

static void on_signal(int signal)
{
	(void)signal;
	caught++;
}

static void catch(int signal, int flags)
{
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = flags };

	ASSERT_EQ(0, sigaction(signal, &action, NULL));
}

/* One signal after @seconds, or one every @seconds; 0 for none. */
static void set_alarm(double seconds, bool again)
{
	struct itimerval timer = { 0 };

	if (seconds > 0) {
		timer.it_value.tv_sec = (time_t)seconds;
		timer.it_value.tv_usec =
			(suseconds_t)((seconds - (time_t)seconds) * 1e6) + 1;
	}
	if (again)
		timer.it_interval = timer.it_value;
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &timer, NULL));
}

static int go(const struct bulk *bulk, uint32_t flags, uint64_t from,
	      uint64_t *done)
{
	return xfer_strided(bulk->rank.fd, flags, ALL_PES, from,
			    bulk->bytes - from, bulk->host + from, 0, done);
}

static void bulk_start(struct bulk *bulk)
{
	uint64_t done;
	double start;

	rank_open_map(&bulk->rank);
	random_start(&bulk->random);
	bulk->bytes = bulk->rank.query.out_mram_size;
	if (bulk->bytes > 1 << 17)
		bulk->bytes = 1 << 17;
	bulk->host = malloc(bulk->bytes);
	ASSERT_TRUE(bulk->host != NULL);
	random_fill(&bulk->random, bulk->host, bulk->bytes);
	start = seconds_now();
	ASSERT_EQ(0, go(bulk, 0, 0, &done));
	bulk->seconds = seconds_now() - start;
	ASSERT_EQ(bulk->bytes, done);
}

static double random_part(struct bulk *bulk)
{
	return bulk->seconds *
	       (double)random_below(&bulk->random, 1000) / 1000;
}

/* MRAM holds the host's bytes in [0, done) of some PEs. */
static void expect_prefix(const struct bulk *bulk, uint64_t done)
{
	static const unsigned int pes[] = { 0, 29, 63 };
	uint8_t *seen = malloc(done + 1);

	ASSERT_TRUE(seen != NULL);
	for (size_t i = 0; i < sizeof(pes) / sizeof(pes[0]); i++) {
		rank_get(&bulk->rank, pes[i], 0, seen, done);
		ASSERT_EQ(0, memcmp(seen, bulk->host, done));
	}
	free(seen);
}

/*
 * Interrupts transfers at random times until enough were hit. Each must say
 * truthfully how far it came, and end complete when continued from there.
 */
static void interrupt(uint32_t flags, int sa_flags,
		      void (*prepare)(struct bulk *),
		      void (*verify)(const struct bulk *, uint64_t))
{
	unsigned int hits = 0;
	struct bulk bulk;

	bulk_start(&bulk);
	catch(SIGALRM, sa_flags);
	for (unsigned int i = 0; i < 200 && hits < 4; i++) {
		uint64_t done = 0, rest = 0;

		prepare(&bulk);
		set_alarm(random_part(&bulk), false);
		if (go(&bulk, flags, 0, &done)) {
			ASSERT_EQ(EINTR, errno);
			done = 0;
		}
		set_alarm(0, false);
		ASSERT_EQ(0, done % 8);
		ASSERT_LE(done, bulk.bytes);
		if (done == bulk.bytes)
			continue;
		hits++;
		verify(&bulk, done);
		ASSERT_EQ(0, go(&bulk, flags, done, &rest));
		ASSERT_EQ(bulk.bytes, done + rest);
		verify(&bulk, bulk.bytes);
	}
	if (!hits && bulk.seconds < MIN_SECONDS)
		SKIP("a transfer takes %.0f us, too few to be hit",
		     bulk.seconds * 1e6);
	EXPECT_LT(0, hits);
}

static void other_bytes(struct bulk *bulk)
{
	random_fill(&bulk->random, bulk->host, 64);
	for (uint64_t i = 64; i < bulk->bytes; i++)
		bulk->host[i] = bulk->host[i - 64] + 1;
}

TEST(to_mram)
{
	interrupt(0, 0, other_bytes, expect_prefix);
}

/* XFER is not restarted behind the caller's back: it tells what it did. */
TEST(to_mram_with_restart)
{
	interrupt(0, SA_RESTART, other_bytes, expect_prefix);
}

static void clear_host(struct bulk *bulk)
{
	memset(bulk->host, 0, bulk->bytes);
}

static void expect_marks(const struct bulk *bulk, uint64_t done)
{
	for (uint64_t i = 0; i < done; i++)
		ASSERT_EQ(0x6b, bulk->host[i]);
}

static void fill_mram(struct bulk *bulk)
{
	uint64_t done;

	memset(bulk->host, 0x6b, bulk->bytes);
	ASSERT_EQ(0, go(bulk, 0, 0, &done));
	ASSERT_EQ(bulk->bytes, done);
	clear_host(bulk);
}

TEST(from_mram)
{
	interrupt(PIMDIMM_XFER_FROM_MRAM, 0, fill_mram, expect_marks);
}

/* However many signals come, continuing gets to the end. */
TEST(storm_of_signals)
{
	unsigned int calls = 0;
	struct bulk bulk;
	uint64_t at = 0;

	bulk_start(&bulk);
	catch(SIGALRM, 0);
	set_alarm(0.0003, true);
	while (at < bulk.bytes) {
		uint64_t done = 0;

		if (go(&bulk, 0, at, &done)) {
			ASSERT_EQ(EINTR, errno);
			done = 0;
		}
		at += done;
		calls++;
	}
	set_alarm(0, false);
	expect_prefix(&bulk, bulk.bytes);
	test_note("%u calls, %d signals", calls, (int)caught);
}

/* Blocked and ignored signals disturb nothing. */
TEST(blocked_signals)
{
	struct bulk bulk;
	uint64_t done;
	sigset_t set;

	bulk_start(&bulk);
	catch(SIGALRM, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	ASSERT_EQ(0, sigprocmask(SIG_BLOCK, &set, NULL));
	set_alarm(bulk.seconds / 8, true);
	for (unsigned int i = 0; i < 4; i++) {
		ASSERT_EQ(0, go(&bulk, 0, 0, &done));
		ASSERT_EQ(bulk.bytes, done);
	}
	signal(SIGALRM, SIG_IGN);
	ASSERT_EQ(0, sigprocmask(SIG_UNBLOCK, &set, NULL));
	for (unsigned int i = 0; i < 4; i++) {
		ASSERT_EQ(0, go(&bulk, 0, 0, &done));
		ASSERT_EQ(bulk.bytes, done);
	}
}

TEST(stopped_and_continued)
{
	struct bulk bulk;
	int status;
	pid_t pid;

	bulk_start(&bulk);
	pid = fork();
	if (pid == 0) {
		uint64_t at = 0, done;

		while (at < 16 * bulk.bytes) {
			ASSERT_EQ(0, go(&bulk, 0, at % bulk.bytes, &done));
			at += done;
		}
		_exit(0);
	}
	for (unsigned int i = 0; i < 10; i++) {
		kill(pid, SIGSTOP);
		usleep(3000);
		kill(pid, SIGCONT);
		usleep((useconds_t)(random_part(&bulk) * 1e6));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	expect_prefix(&bulk, bulk.bytes);
}

static void transfer_for_ever(const struct bulk *bulk)
{
	for (;;)
		if (go(bulk, 0, 0, NULL))
			_exit(1);
}

/* A killed owner is gone within moments, the rank free and empty. */
TEST(killed_in_the_middle)
{
	struct bulk bulk;

	bulk_start(&bulk);
	rank_close(&bulk.rank);
	for (unsigned int i = 0; i < 10; i++) {
		pid_t pid = fork();
		double start;
		int status;

		if (pid == 0) {
			bulk.rank.fd = rank_reopen(&bulk.rank);
			transfer_for_ever(&bulk);
		}
		usleep(1000 + (useconds_t)(random_part(&bulk) * 1e6));
		start = seconds_now();
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_LT(seconds_now() - start, test_patience(5.0));
		ASSERT_TRUE(WIFSIGNALED(status));
		bulk.rank.fd = rank_reopen(&bulk.rank);
		ASSERT_LE(0, bulk.rank.fd);
		rank_map(&bulk.rank);
		for (uint64_t at = 0; at < bulk.bytes; at += 997)
			ASSERT_EQ(0, *rank_byte(&bulk.rank, 0, at));
		rank_close(&bulk.rank);
	}
}

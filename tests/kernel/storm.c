// SPDX-License-Identifier: MIT
/*
 * A storm: several threads at once make any call with any argument on a few
 * ranks, while they fork, signal each other, unmap, and close what others are
 * using. Nothing is expected but documented errors, a kernel that does not
 * complain, and ranks that work afterwards.
 *
 * PIMDIMM_FUZZ_CALLS calls, else for some seconds; PIMDIMM_TEST_SEED seeds what
 * each thread does, though not how they meet.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/storm.h"

#define SECONDS 3.0
#define THREADS 4
#define TELL	100000

struct storm storm;

static pthread_t threads[THREADS];
/* Before the first act and after the last one: all threads can be signalled. */
static pthread_barrier_t together;
static unsigned long wanted; /* calls, or 0 */
static double end;
/* All that a thread may do. */
static struct act acts[STORM_KINDS];
static unsigned int kinds;
static unsigned int total_weight;

uint64_t any_of(struct thread *t, uint64_t n)
{
	return random_below(&t->random, n);
}

uint64_t any_number(struct thread *t)
{
	static const uint64_t numbers[] = {
		0,
		1,
		7,
		8,
		63,
		64,
		4095,
		4096,
		8192,
		65536,
		1 << 20,
		1 << 26,
		1ULL << 31,
		1ULL << 32,
		PIMDIMM_MMAP_PE,
		PIMDIMM_MMAP_STATUS,
		INT64_MAX,
		1ULL << 63,
		UINT64_MAX - 4095,
		UINT64_MAX - 7,
		UINT64_MAX,
	};

	if (any_of(t, 3) == 0)
		return random_next(&t->random) >> any_of(t, 64);
	return numbers[any_of(t, sizeof(numbers) / sizeof(numbers[0]))];
}

uint64_t any_wild(struct thread *t, uint64_t least)
{
	uint64_t number = any_number(t);

	return number < least ? number : number | 1ULL << 47;
}

uint64_t any_address(struct thread *t)
{
	switch (any_of(t, 8)) {
	case 0:
		return any_wild(t, 1 << 22);
	case 1:
	case 2:
		return (uintptr_t)storm.arena + any_of(t, STORM_ARENA);
	default:
		return (uintptr_t)storm.host + any_of(t, STORM_HOST);
	}
}

int any_node(struct thread *t)
{
	return STORM_NODES + (int)any_of(t, STORM_KEPT);
}

int any_buffer(struct thread *t)
{
	return STORM_BUFFERS + (int)any_of(t, STORM_KEPT);
}

/* What any call may say; that descriptors are closed is the storm's doing. */
static bool is_documented(int error)
{
	static const int errors[] = {
		EINVAL, EFAULT, E2BIG,	EOPNOTSUPP, EINTR, ENOMEM, EBUSY,
		EBADF,	ENOTTY, EACCES, ENODEV,	    EIO,   EAGAIN,
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i] == error)
			return true;
	return false;
}

void tally(const struct thread *t, int result)
{
	int error = result < 0 ? errno : 0;

	atomic_fetch_add(&storm.tally->calls, 1);
	atomic_fetch_add(&storm.tally->ends[t->kind][error % STORM_ERRORS], 1);
}

void count(const struct thread *t, int result)
{
	int error = errno;

	tally(t, result);
	if (result < 0 && !is_documented(error))
		test_fail(__FILE__, __LINE__, "%s: %s", acts[t->kind].name,
			  strerrorname_np(error));
}

/* --- threads and processes --- */

static void on_poke(int number)
{
	(void)number;
}

static void do_signal(struct thread *t)
{
	if (!t->is_child)
		pthread_kill(threads[any_of(t, THREADS)], SIGUSR1);
}

static void do_fork(struct thread *t);

static const struct act storm_threads[] = {
	{ 20, do_signal, "signal" },
	{ 1, do_fork, "fork" },
	{ 0 },
};

static void add_acts(const struct act *act)
{
	for (; act->weight; act++) {
		ASSERT_LT(kinds, STORM_KINDS);
		acts[kinds++] = *act;
		total_weight += act->weight;
	}
}

static void act(struct thread *t)
{
	unsigned int chosen = (unsigned int)any_of(t, total_weight);

	for (t->kind = 0; chosen >= acts[t->kind].weight; t->kind++)
		chosen -= acts[t->kind].weight;
	acts[t->kind].act(t);
}

/* A child goes on with what it inherited, and is killed at times. */
static void do_fork(struct thread *t)
{
	struct thread child = { .is_child = true };
	pid_t pid;

	child.random.state = random_next(&t->random);
	if (t->is_child)
		return;
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 50; i++)
			act(&child);
		_exit(0);
	}
	if (pid > 0 && any_of(t, 2))
		kill(pid, SIGKILL);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	count(t, pid < 0 ? -1 : 0);
}

/* A long storm says how far it is: not all of them come to their end. */
static void tell(unsigned long calls)
{
	static atomic_ulong told;
	unsigned long before = told;

	if (calls >= before + TELL &&
	    atomic_compare_exchange_strong(&told, &before, before + TELL))
		test_note("%lu calls", before + TELL);
}

static void *rage(void *argument)
{
	struct thread *t = argument;

	pthread_barrier_wait(&together);
	while (wanted ? storm.tally->calls < wanted : seconds_now() < end) {
		for (int i = 0; i < 100; i++)
			act(t);
		tell(storm.tally->calls);
	}
	pthread_barrier_wait(&together);
	return NULL;
}

/* How often the calls of a kind ended how; how many of them were good. */
static unsigned long report_kind(unsigned int kind)
{
	const atomic_ulong *ends = storm.tally->ends[kind];
	char text[512];
	int at = 0;

	for (int error = 1; error < STORM_ERRORS; error++)
		if (ends[error] && at < (int)sizeof(text) - 32)
			at += snprintf(text + at, sizeof(text) - (size_t)at,
				       ", %lu %s", ends[error],
				       strerrorname_np(error));
	if (ends[0] || at)
		test_note("%-11s %7lu good%.*s", acts[kind].name, ends[0], at,
			  text);
	return ends[0];
}

static void report(void)
{
	unsigned long good = 0;

	for (unsigned int kind = 0; kind < kinds; kind++)
		good += report_kind(kind);
	test_note("%lu calls, %lu of them good", storm.tally->calls, good);
	EXPECT_LT(0, good);
	EXPECT_LT(good, storm.tally->calls);
}

static void start(struct random *random)
{
	const char *calls = getenv("PIMDIMM_FUZZ_CALLS");
	struct sigaction poke = { .sa_handler = on_poke };
	struct rank rank;

	/* skips where there is no rank */
	rank_open(&rank);
	rank_close(&rank);
	wanted = calls ? strtoul(calls, NULL, 0) : 0;
	end = seconds_now() + SECONDS;
	ASSERT_EQ(0, sigaction(SIGUSR1, &poke, NULL));
	ASSERT_EQ(0, pthread_barrier_init(&together, NULL, THREADS));
	add_acts(storm_calls);
	add_acts(storm_files);
	add_acts(storm_memory);
	add_acts(storm_threads);
	storm_files_start();
	storm_memory_start();
	random_start(random);
	test_note("PIMDIMM_TEST_SEED=%llu", (unsigned long long)random->state);
}

/* Each rank is new when it is opened again, and does its work. */
static void expect_ranks_working(void)
{
	uint64_t words[PIMDIMM_RANK_PES], seen[PIMDIMM_RANK_PES];
	struct rank rank;

	for (int i = 0; i < STORM_RANKS; i++) {
		rank_open_map(&rank);
		EXPECT_EQ(0, sysfs_number(&rank, "allocated"));
		EXPECT_EQ(0, rank_count_nonzero(&rank));
		for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++)
			words[pe] = pe * 0x0102030405060708;
		ASSERT_EQ(0, xfer_all(&rank, 0, words, 8));
		ASSERT_EQ(0, xfer_all(&rank, PIMDIMM_XFER_FROM_MRAM, seen, 8));
		EXPECT_EQ(0, memcmp(words, seen, sizeof(words)));
		rank_close(&rank);
	}
}

TEST_LIMIT(storm, 4 * 3600)
{
	struct thread stormers[THREADS] = { 0 };
	struct random random;

	start(&random);
	for (int i = 0; i < THREADS; i++) {
		stormers[i].random.state = random_next(&random);
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, rage,
					    &stormers[i]));
	}
	for (int i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
	storm_memory_end();
	storm_files_end();
	report();
	expect_ranks_working();
}

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
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/dma-buf.h>

#include "harness.h"
#include "rank.h"

#define SECONDS 3.0
#define THREADS 4
#define ARENA	(64ul << 20)
#define HOST	(1ul << 16)
#define ROOM	(16ul << 30)

/*
 * Descriptors have numbers that nothing else gets, so that a thread may close
 * one under another one without hitting what is not ours: nodes from NODES on,
 * dma-bufs from BUFFERS on.
 */
#define NODES	200
#define BUFFERS 210
#define KEPT	6

static struct {
	/* all mappings lie in it: whoever unmaps hits nothing else */
	uint8_t *arena;
	uint8_t *host;
	atomic_ulong calls, good, faults;
	unsigned long wanted;
	double end;
	pthread_t threads[THREADS];
} storm;

static __thread sigjmp_buf landing;
static __thread volatile sig_atomic_t flying;

struct thread {
	struct random random;
	bool is_child; /* single: forks no more, signals nobody */
};

static uint64_t any_of(struct thread *t, uint64_t n)
{
	return random_below(&t->random, n);
}

static uint64_t any_number(struct thread *t)
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

/*
 * A number that is no address of ours: transfers write to what we name, and
 * our own stacks and variables shall not be hit. Links of this program keep
 * small numbers free of it, and ROOM all that lies near good addresses.
 */
static uint64_t any_wild(struct thread *t, uint64_t least)
{
	uint64_t number = any_number(t);

	return number < least ? number : number | 1ULL << 47;
}

/* Usually good host memory, at times MRAM itself, a hole, or anywhere. */
static uint64_t any_address(struct thread *t)
{
	switch (any_of(t, 8)) {
	case 0:
		return any_wild(t, 1 << 22);
	case 1:
	case 2:
		return (uintptr_t)storm.arena + any_of(t, ARENA);
	default:
		return (uintptr_t)storm.host + any_of(t, HOST);
	}
}

static int any_node(struct thread *t)
{
	return NODES + (int)any_of(t, KEPT);
}

static int any_buffer(struct thread *t)
{
	return BUFFERS + (int)any_of(t, KEPT);
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

static void count(int result, const char *what)
{
	int error = errno;

	atomic_fetch_add(&storm.calls, 1);
	if (result >= 0)
		atomic_fetch_add(&storm.good, 1);
	else if (!is_documented(error))
		test_fail(__FILE__, __LINE__, "%s: %s", what,
			  strerrorname_np(error));
}

/* --- the ioctls --- */

/* A structure of @bytes, at times with a bit flipped or its size told wrongly.
 */
static int call(struct thread *t, int fd, unsigned long number, void *arg,
		size_t bytes)
{
	uint8_t *spot = storm.host + any_of(t, HOST / 2);
	void *at = spot;

	if (any_of(t, 16) == 0)
		((uint8_t *)arg)[any_of(t, bytes)] ^= 1 << any_of(t, 8);
	if (any_of(t, 32) == 0)
		*(uint32_t *)arg = (uint32_t)any_number(t);
	/* in memory that other threads are writing to */
	memcpy(spot, arg, bytes);
	if (any_of(t, 64) == 0)
		at = (void *)(uintptr_t)any_address(t);
	return ioctl(fd, number, at) < 0 ? -1 : (memcpy(arg, spot, bytes), 0);
}

static void do_query(struct thread *t)
{
	struct pimdimm_query query = { .size = sizeof(query) };
	int result =
		call(t, any_node(t), PIMDIMM_IOC_QUERY, &query, sizeof(query));

	count(result, "QUERY");
}

static void do_xfer(struct thread *t)
{
	struct pimdimm_xfer arg = {
		.size = sizeof(arg),
		.flags = (uint32_t)any_of(t, 4),
		.pe_mask = random_next(&t->random) & any_number(t),
		.offset = any_of(t, 8) ? any_of(t, 8192) * 8 : any_number(t),
		/* mostly few, so that many calls are made */
		.bytes = any_of(t, 32) ? any_of(t, 128) * 8 : any_number(t),
		.addrs = any_address(t),
	};

	if (arg.flags & PIMDIMM_XFER_STRIDED)
		arg.stride = any_of(t, 4) ? any_of(t, 1024)
					  : any_wild(t, ROOM / 128);
	count(call(t, any_node(t), PIMDIMM_IOC_XFER, &arg, sizeof(arg)),
	      "XFER");
}

static void do_reset(struct thread *t)
{
	struct pimdimm_reset reset = { .size = sizeof(reset) };

	count(call(t, any_node(t), PIMDIMM_IOC_RESET, &reset, sizeof(reset)),
	      "RESET");
}

static void do_mux(struct thread *t)
{
	struct pimdimm_mux mux = {
		.size = sizeof(mux),
		.owner = any_of(t, 3) ? PIMDIMM_MUX_HOST : PIMDIMM_MUX_PES,
	};

	count(call(t, any_node(t), PIMDIMM_IOC_MUX, &mux, sizeof(mux)), "MUX");
}

/* The structure lies where nobody writes: out_fd must be what we were given. */
static void do_export(struct thread *t)
{
	struct pimdimm_export export = {
		.size = sizeof(export),
		.offset = any_of(t, 4) ? any_of(t, 64) * page_size()
				       : any_number(t),
		.bytes = any_of(t, 4) ? any_of(t, 64) * page_size()
				      : any_number(t),
		.out_fd = -1,
	};
	int result = ioctl(any_node(t), PIMDIMM_IOC_EXPORT, &export);

	count(result, "EXPORT");
	if (result == 0 && export.out_fd >= 0) {
		dup3(export.out_fd, any_buffer(t), O_CLOEXEC);
		close(export.out_fd);
	}
}

static void do_unknown(struct thread *t)
{
	uint8_t bytes[512];
	unsigned long number = (uint32_t)random_next(&t->random);

	random_fill(&t->random, bytes, sizeof(bytes));
	if (any_of(t, 2))
		number = _IO(PIMDIMM_IOC_MAGIC, 5 + any_of(t, 250));
	count(call(t, any_node(t), number, bytes, sizeof(bytes)), "unknown");
}

/* --- descriptors --- */

static void do_open(struct thread *t)
{
	static const int modes[] = { O_RDWR, O_RDWR, O_RDONLY, O_WRONLY };
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/pimdimm%u", (int)any_of(t, 3));
	fd = open(path, modes[any_of(t, 4)] | O_CLOEXEC);
	if (fd >= 0 || errno != ENOENT)
		count(fd, "open");
	if (fd >= 0) {
		dup3(fd, any_node(t), O_CLOEXEC);
		close(fd);
	}
}

/* Nodes stay open for a while, or there would be nothing to do. */
static void do_close(struct thread *t)
{
	if (any_of(t, 16) == 0)
		count(close(any_node(t)), "close");
	else
		count(close(any_buffer(t)), "close");
}

static void do_dup(struct thread *t)
{
	int from = any_node(t), to = any_node(t);

	if (from != to)
		count(dup3(from, to, O_CLOEXEC), "dup3");
}

static void do_sync(struct thread *t)
{
	struct dma_buf_sync sync = { .flags = any_of(t, 8) };

	count(ioctl(any_buffer(t), DMA_BUF_IOCTL_SYNC, &sync), "SYNC");
}

static void do_attribute(struct thread *t)
{
	static const char *const names[] = { "allocated", "owner",
					     "bytes_to_mram", "uevent" };
	char path[96], text[4096];
	int fd;

	snprintf(path, sizeof(path), "/sys/class/pimdimm/pimdimm%u/%s",
		 (int)any_of(t, 3), names[any_of(t, 4)]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	count((int)read(fd, text, sizeof(text)), "read");
	close(fd);
}

/* --- mappings --- */

static uint8_t *any_page(struct thread *t)
{
	return storm.arena + any_of(t, ARENA / page_size()) * page_size();
}

static size_t room_behind(const uint8_t *page)
{
	return (size_t)(storm.arena + ARENA - page);
}

static void do_map(struct thread *t)
{
	static const uint64_t views[] = { 0, 0, PIMDIMM_MMAP_PE };
	uint8_t *page = any_page(t);
	size_t size = (1 + any_of(t, 256)) * page_size();
	uint64_t offset = any_of(t, 512) * page_size() + views[any_of(t, 3)];
	int flags = any_of(t, 16) ? MAP_SHARED : MAP_PRIVATE;
	int fd = any_of(t, 3) ? any_node(t) : any_buffer(t);
	void *map;

	if (size > room_behind(page))
		size = room_behind(page);
	if (any_of(t, 16) == 0)
		offset = any_number(t) & -page_size();
	if (any_of(t, 64) == 0)
		flags |= MAP_POPULATE;
	map = mmap(page, size, (int)any_of(t, 4), flags | MAP_FIXED, fd,
		   (off_t)offset);
	/* EPERM, EOVERFLOW, ENXIO: mmap itself, of wild offsets */
	if (map != MAP_FAILED ||
	    (errno != EOVERFLOW && errno != EPERM && errno != ENXIO))
		count(map == MAP_FAILED ? -1 : 0, "mmap");
}

static void do_unmap(struct thread *t)
{
	uint8_t *page = any_page(t);
	size_t size = (1 + any_of(t, 64)) * page_size();

	if (size > room_behind(page))
		size = room_behind(page);
	count(mmap(page, size, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		   0) == MAP_FAILED
		      ? -1
		      : 0,
	      "munmap");
}

static void do_advise(struct thread *t)
{
	static const int advices[] = { MADV_DONTNEED, MADV_REMOVE,
				       MADV_WILLNEED, MADV_DONTFORK,
				       MADV_DOFORK };
	uint8_t *page = any_page(t);

	if (any_of(t, 2))
		madvise(page, page_size(), advices[any_of(t, 5)]);
	else
		mprotect(page, page_size(), (int)any_of(t, 4));
	count(0, "madvise");
}

static void do_touch(struct thread *t)
{
	volatile uint8_t *byte = any_page(t) + any_of(t, page_size());

	if (sigsetjmp(landing, 1)) {
		flying = 0;
		atomic_fetch_add(&storm.faults, 1);
		return;
	}
	flying = 1;
	if (any_of(t, 2))
		*byte = (uint8_t)any_of(t, 256);
	else
		(void)*byte;
	flying = 0;
	count(0, "touch");
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (flying)
		siglongjmp(landing, 1);
	test_fail(__FILE__, __LINE__, "signal %d at %p", number, info->si_addr);
	test_stop();
}

/* --- threads and processes --- */

static void on_poke(int number)
{
	(void)number;
}

static void do_signal(struct thread *t)
{
	if (!t->is_child)
		pthread_kill(storm.threads[any_of(t, THREADS)], SIGUSR1);
}

static void do_fork(struct thread *t);

static const struct {
	unsigned int weight;
	void (*act)(struct thread *t);
} acts[] = {
	{ 200, do_xfer },  { 30, do_query },	 { 10, do_reset },
	{ 20, do_mux },	   { 30, do_export },	 { 20, do_unknown },
	{ 30, do_open },   { 30, do_close },	 { 10, do_dup },
	{ 20, do_sync },   { 10, do_attribute }, { 60, do_map },
	{ 30, do_unmap },  { 20, do_advise },	 { 60, do_touch },
	{ 20, do_signal }, { 1, do_fork },
};

static void act(struct thread *t)
{
	unsigned int total = 0, chosen, i = 0;

	for (size_t a = 0; a < sizeof(acts) / sizeof(acts[0]); a++)
		total += acts[a].weight;
	chosen = (unsigned int)any_of(t, total);
	while (chosen >= acts[i].weight)
		chosen -= acts[i++].weight;
	acts[i].act(t);
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
	count(pid < 0 ? -1 : 0, "fork");
}

static void *rage(void *argument)
{
	struct thread *t = argument;

	while (storm.wanted ? storm.calls < storm.wanted
			    : seconds_now() < storm.end)
		for (int i = 0; i < 100; i++)
			act(t);
	return NULL;
}

static void catch_signals(void)
{
	struct sigaction fault = { .sa_sigaction = on_fault,
				   .sa_flags = SA_SIGINFO | SA_NODEFER };
	struct sigaction poke = { .sa_handler = on_poke };

	ASSERT_EQ(0, sigaction(SIGSEGV, &fault, NULL));
	ASSERT_EQ(0, sigaction(SIGBUS, &fault, NULL));
	ASSERT_EQ(0, sigaction(SIGUSR1, &poke, NULL));
}

static void prepare(void)
{
	const char *calls = getenv("PIMDIMM_FUZZ_CALLS");
	uint8_t *room;

	storm.wanted = calls ? strtoul(calls, NULL, 0) : 0;
	storm.end = seconds_now() + SECONDS;
	room = mmap(NULL, 2 * ROOM, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ASSERT_TRUE(room != MAP_FAILED);
	/* in the middle of the room, which no flip of a low bit leaves */
	room += ROOM - (uintptr_t)room % ROOM;
	storm.arena = room + ROOM / 4;
	/* shared with children */
	storm.host = mmap(room + ROOM / 2, HOST, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	ASSERT_TRUE(storm.host == room + ROOM / 2);
	catch_signals();
}

static void calm_down(void)
{
	for (int i = 0; i < KEPT; i++) {
		close(NODES + i);
		close(BUFFERS + i);
	}
	ASSERT_TRUE(
		mmap(storm.arena, ARENA, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
		     -1, 0) == storm.arena);
}

/* Each rank is new when it is opened again, and does its work. */
static void expect_ranks_working(void)
{
	uint64_t words[PIMDIMM_RANK_PES], seen[PIMDIMM_RANK_PES];
	struct rank rank;

	for (int i = 0; i < 3; i++) {
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
	struct thread threads[THREADS] = { 0 };
	struct random random;
	struct rank rank;

	/* skips where there is no rank */
	rank_open(&rank);
	rank_close(&rank);
	prepare();
	random_start(&random);
	for (int i = 0; i < THREADS; i++) {
		threads[i].random.state = random_next(&random);
		ASSERT_EQ(0, pthread_create(&storm.threads[i], NULL, rage,
					    &threads[i]));
	}
	for (int i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_join(storm.threads[i], NULL));
	calm_down();
	test_note("%lu calls, %lu of them good, %lu faults", storm.calls,
		  storm.good, storm.faults);
	EXPECT_LT(0, storm.good);
	EXPECT_LT(storm.good, storm.calls);
	expect_ranks_working();
}

// SPDX-License-Identifier: MIT
/* Loading: what is taken, refused, kept; and what rounds of it leave behind. */
#include <fcntl.h>
#include <glob.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/kernel/dmabuf.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/loading.h"
#include "tests/kernel/machine.h"
#include "tests/kernel/views.h"

#define ROUNDS	200u
#define WARM_UP 20u
/* of a batch, however slow the machine: so that a leak is not lost in noise */
#define LEAST_ROUNDS 10u

/* What the kernel's log says after the last mark. */
static void mark_log(const char *mark)
{
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);

	ASSERT_LE(0, fd);
	ASSERT_EQ((ssize_t)strlen(mark), write(fd, mark, strlen(mark)));
	close(fd);
}

static bool log_after_names(const char *mark, const char *word)
{
	static char log[1 << 20];
	int length = klogctl(3 /* SYSLOG_ACTION_READ_ALL */, log,
			     sizeof(log) - 1);
	char *found;

	ASSERT_LT(0, length);
	log[length] = '\0';
	found = strstr(log, mark);
	return found && strstr(found + strlen(mark), word);
}

/* Refused, with a line that has the parameter and what was given for it. */
static void refuse(const char *parameters, const char *name, const char *value)
{
	static unsigned int number;
	char mark[64];

	snprintf(mark, sizeof(mark), "pimdimm-test %d/%u", getpid(), ++number);
	mark_log(mark);
	errno = 0;
	if (load(parameters) == 0) {
		unload();
		test_fail(__FILE__, __LINE__, "'%s' was taken", parameters);
		return;
	}
	if (errno != EINVAL && errno != ERANGE)
		test_fail(__FILE__, __LINE__, "'%s': %s", parameters,
			  strerrorname_np(errno));
	if (!log_after_names(mark, name) || !log_after_names(mark, value))
		test_fail(__FILE__, __LINE__, "'%s': the log has no %s or %s",
			  parameters, name, value);
	expect_nothing_left();
}

TEST(bad_channels)
{
	need_unloaded();
	refuse("channels=0", "channels", "0");
	refuse("channels=-1", "channels", "-1");
	refuse("channels=two", "channels", "two");
	refuse("channels=4294967296", "channels", "4294967296");
	refuse("channels=4294967295", "channels", "4294967295");
	refuse("channels=1000000", "channels", "1000000");
	refuse("channels=", "channels", "");
}

TEST(bad_ranks)
{
	need_unloaded();
	refuse("ranks=0", "ranks", "0");
	refuse("ranks=-4", "ranks", "-4");
	refuse("ranks=4x", "ranks", "4x");
	refuse("ranks=1000000", "ranks", "1000000");
	refuse("ranks=99999999999999999999", "ranks", "99999999999999999999");
	/* each of them would do, their product is too large, or wraps */
	refuse("channels=255 ranks=255", "ranks", "255");
	refuse("channels=65536 ranks=65536", "channels", "65536");
	refuse("channels=2147483648 ranks=2", "channels", "2147483648");
}

TEST(bad_mram_size)
{
	need_unloaded();
	refuse("mram_size=0", "mram_size", "0");
	refuse("mram_size=4096", "mram_size", "4096");
	refuse("mram_size=61440", "mram_size", "61440");
	refuse("mram_size=65535", "mram_size", "65535");
	refuse("mram_size=65544", "mram_size", "65544");
	refuse("mram_size=67112960", "mram_size", "67112960");
	refuse("mram_size=134217728", "mram_size", "134217728");
	refuse("mram_size=18446744073709547520", "mram_size",
	       "18446744073709547520");
	refuse("mram_size=-65536", "mram_size", "-65536");
	refuse("mram_size=1M", "mram_size", "1M");
}

TEST(bad_layout)
{
	need_unloaded();
	refuse("layout=xeon", "layout", "xeon");
	refuse("layout=LINEAR", "layout", "LINEAR");
	refuse("layout=0", "layout", "0");
	refuse("layout=linear,xeon_sp", "layout", "linear,xeon_sp");
	refuse("layout=", "layout", "");
	refuse("layout=xeon_spx", "layout", "xeon_spx");
}

/* The last word of the last PE, by transfer and in the window. */
static void try_last_word(struct rank *rank)
{
	const uint64_t at = rank->query.out_mram_size - 8;
	uint64_t word = 0x1122334455667788, seen = 0;

	ASSERT_EQ(0, xfer_strided(rank->fd, 0, 1ULL << 63, at, 8, &word, 0,
				  NULL));
	if (rank->query.out_window_size > PTRDIFF_MAX) {
		test_note("a process of 32 bits has no room for this window");
		ASSERT_EQ(0, xfer_strided(rank->fd, PIMDIMM_XFER_FROM_MRAM,
					  1ULL << 63, at, 8, &seen, 0, NULL));
	} else {
		rank_map(rank);
		rank_get(rank, 63, at, &seen, 8);
	}
	EXPECT_EQ(word, seen);
}

static void try_geometry(unsigned int channels, unsigned int ranks,
			 unsigned long mram, uint32_t layout)
{
	static const char *const names[] = { "linear", "xeon_sp" };
	char parameters[128];
	struct rank rank;

	snprintf(parameters, sizeof(parameters),
		 "channels=%u ranks=%u mram_size=%lu layout=%s", channels,
		 ranks, mram, names[layout]);
	test_note("%s", parameters);
	ASSERT_EQ(0, load(parameters));
	EXPECT_EQ((int)(channels * ranks), count_nodes());
	rank_open(&rank);
	EXPECT_EQ(channels, rank.query.out_channels);
	EXPECT_EQ(ranks, rank.query.out_ranks);
	EXPECT_EQ(mram, rank.query.out_mram_size);
	EXPECT_EQ(layout, rank.query.out_layout);
	EXPECT_EQ(pimdimm_layout_span(layout, mram),
		  rank.query.out_window_size);
	try_last_word(&rank);
	rank_close(&rank);
	ASSERT_EQ(0, unload());
	expect_nothing_left();
}

TEST(geometries)
{
	static const unsigned long sizes[] = {
		65536, 69632, 1048576, 3 * 1048576 + 4096, 67104768, 67108864,
	};

	need_unloaded();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		try_geometry(1, 1, sizes[i], PIMDIMM_LAYOUT_LINEAR);
		try_geometry(1, 1, sizes[i], PIMDIMM_LAYOUT_XEON_SP);
	}
	try_geometry(2, 3, 65536, PIMDIMM_LAYOUT_LINEAR);
	try_geometry(3, 1, 65536, PIMDIMM_LAYOUT_XEON_SP);
}

TEST(defaults)
{
	struct rank rank;

	need_unloaded();
	ASSERT_EQ(0, load(""));
	EXPECT_EQ(4, count_nodes());
	rank_open(&rank);
	EXPECT_EQ(1, rank.query.out_channels);
	EXPECT_EQ(4, rank.query.out_ranks);
	EXPECT_EQ(1048576, rank.query.out_mram_size);
	EXPECT_EQ(PIMDIMM_LAYOUT_LINEAR, rank.query.out_layout);
	close(rank.fd);
	ASSERT_EQ(0, unload());
}

TEST(bad_huge)
{
	need_unloaded();
	refuse("huge=sometimes", "huge", "sometimes");
	refuse("huge=ALWAYS", "huge", "ALWAYS");
	refuse("huge=always,size=1", "huge", "always,size=1");
	refuse("huge=deny", "huge", "deny");
	refuse("huge=", "huge", "");
}

/* What one touched byte costs. */
static long cost_of_a_byte(const char *parameters, bool advised)
{
	struct rank rank;
	long bytes;

	ASSERT_EQ(0, load(parameters));
	rank_open_map(&rank);
	if (advised)
		madvise(rank.window, rank.query.out_window_size,
			MADV_HUGEPAGE);
	rank.window[0] = 1;
	bytes = sysfs_number(&rank, "allocated");
	rank_reset(&rank);
	EXPECT_EQ(0, rank.window[0]);
	rank_close(&rank);
	ASSERT_EQ(0, unload());
	return bytes;
}

/* What ranks take together is bounded: calls say so, and RESET gives it back. */
TEST(bounded_memory)
{
	static uint8_t host[65536];
	struct rank rank;

	need_unloaded();
	refuse("memory=much", "memory", "much");
	ASSERT_EQ(0, load("ranks=1 memory=1048576"));
	rank_open(&rank);
	EXPECT_ERRNO(ENOMEM, xfer_strided(rank.fd, 0, ALL_PES, 0, sizeof(host),
					  host, 0, NULL));
	EXPECT_LE(sysfs_number(&rank, "allocated"), 1048576);
	rank_reset(&rank);
	EXPECT_EQ(0, xfer_strided(rank.fd, 0, 0xff, 0, sizeof(host), host, 0,
				  NULL));
	rank_close(&rank);
	ASSERT_EQ(0, unload());
}

TEST(huge_pages)
{
	const long small = (long)page_size(), large = 2 << 20;

	need_unloaded();
	EXPECT_EQ(small, cost_of_a_byte("huge=never", true));
	EXPECT_EQ(small, cost_of_a_byte("huge=advise", false));
	if (access("/sys/kernel/mm/transparent_hugepage", F_OK)) {
		EXPECT_EQ(small, cost_of_a_byte("huge=advise", true));
		refuse("huge=within_size", "huge", "within_size");
		refuse("huge=always", "huge", "always");
		return;
	}
	EXPECT_EQ(large, cost_of_a_byte("huge=advise", true));
	EXPECT_EQ(large, cost_of_a_byte("", true));
	EXPECT_EQ(large, cost_of_a_byte("huge=within_size", false));
	EXPECT_EQ(large, cost_of_a_byte("huge=always", false));
	EXPECT_EQ(large, cost_of_a_byte("huge=always layout=xeon_sp", false));
}

/* A PE view keeps the file, and the file its mount, when the module is gone. */
TEST(huge_pages_outlive_the_module)
{
	struct rank rank;
	uint8_t *pe;

	need_unloaded();
	if (load("ranks=1 huge=always"))
		SKIP("no huge pages for shmem in this kernel");
	rank_open(&rank);
	pe = views_map_pe(&rank);
	pe[0] = 1;
	close(rank.fd);
	ASSERT_EQ(0, unload());
	expect_nothing_left();
	pe[4 << 20] = 2;
	EXPECT_EQ(1, pe[0]);
	EXPECT_EQ(2, pe[4 << 20]);
	ASSERT_EQ(0, load("ranks=1 huge=always"));
	ASSERT_EQ(0, munmap(pe, rank.query.out_window_size));
	ASSERT_EQ(0, unload());
}

TEST(bad_simd)
{
	need_unloaded();
	refuse("simd=maybe", "simd", "maybe");
	refuse("simd=2", "simd", "2");
}

#define SIMD_BYTES 3000u

/* The window's first pages, and what comes back, of transfers to all PEs. */
static void transfer_with(const char *parameters, uint8_t *window,
			  uint8_t *back)
{
	static uint8_t host[PIMDIMM_RANK_PES * SIMD_BYTES];
	struct random random;
	struct rank rank;

	ASSERT_EQ(0, load(parameters));
	rank_open_map(&rank);
	random_start(&random);
	random_fill(&random, host, sizeof(host));
	/* from 3 words on: neither pages nor vectors are filled evenly */
	ASSERT_EQ(0, xfer_strided(rank.fd, 0, ALL_PES, 24, SIMD_BYTES, host,
				  SIMD_BYTES, NULL));
	ASSERT_EQ(0, xfer_strided(rank.fd, PIMDIMM_XFER_FROM_MRAM, ALL_PES, 24,
				  SIMD_BYTES, back, SIMD_BYTES, NULL));
	EXPECT_EQ(0, memcmp(host, back, sizeof(host)));
	memcpy(window, rank.window, 16 * SIMD_BYTES);
	rank_close(&rank);
	ASSERT_EQ(0, unload());
}

/* With vectors, where this CPU has them, and without. */
TEST(simd_changes_no_byte)
{
	static uint8_t window[2][16 * SIMD_BYTES];
	static uint8_t back[2][PIMDIMM_RANK_PES * SIMD_BYTES];

	need_unloaded();
	for (int layout = 0; layout < 2; layout++) {
		transfer_with(layout ? "layout=xeon_sp" : "", window[0],
			      back[0]);
		transfer_with(layout ? "layout=xeon_sp simd=N" : "simd=N",
			      window[1], back[1]);
		EXPECT_EQ(0, memcmp(window[0], window[1], sizeof(window[0])));
		EXPECT_EQ(0, memcmp(back[0], back[1], sizeof(back[0])));
	}
}

/* Only root and the group, whose name is udev's business. */
TEST(mode_of_nodes)
{
	struct stat status;

	need_unloaded();
	ASSERT_EQ(0, load("ranks=1"));
	ASSERT_EQ(0, stat("/dev/pimdimm0", &status));
	EXPECT_EQ(0660 | S_IFCHR, status.st_mode);
	EXPECT_EQ(0, status.st_uid);
	ASSERT_EQ(0, unload());
}

/* Every device by its number, in the order channel, rank. */
TEST(positions)
{
	need_unloaded();
	ASSERT_EQ(0, load("channels=2 ranks=3 mram_size=65536"));
	for (unsigned int i = 0; i < 6; i++) {
		struct pimdimm_query query = { .size = sizeof(query) };
		char path[32];
		int fd;

		snprintf(path, sizeof(path), "/dev/pimdimm%u", i);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, ioctl(fd, PIMDIMM_IOC_QUERY, &query));
		EXPECT_EQ(i / 3, query.out_channel);
		EXPECT_EQ(i % 3, query.out_rank);
		close(fd);
	}
	ASSERT_EQ(0, unload());
}

TEST(loading_twice)
{
	need_unloaded();
	ASSERT_EQ(0, load("ranks=1"));
	EXPECT_ERRNO(EEXIST, load("ranks=2"));
	EXPECT_EQ(1, count_nodes());
	ASSERT_EQ(0, unload());
}

/* Objects in use by slab cache, and other memory that a leak would show in. */
struct usage {
	unsigned int caches;
	struct {
		char name[40];
		unsigned long objects;
	} cache[512];
	long percpu, vmalloc, available;
};

static void read_slabinfo(struct usage *usage)
{
	FILE *file = fopen("/proc/slabinfo", "re");
	char line[512];

	if (!file)
		SKIP("no /proc/slabinfo");
	usage->caches = 0;
	while (fgets(line, sizeof(line), file) && usage->caches < 512)
		if (sscanf(line, "%39s %lu",
			   usage->cache[usage->caches].name,
			   &usage->cache[usage->caches].objects) == 2)
			usage->caches++;
	fclose(file);
}

static void shrink_slabs(void)
{
	glob_t files;
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		EXPECT_EQ(1, write(fd, "3", 1));
		close(fd);
	}
	if (glob("/sys/kernel/slab/*/shrink", 0, NULL, &files))
		return;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		fd = open(files.gl_pathv[i], O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		EXPECT_EQ(1, write(fd, "1", 1));
		close(fd);
	}
	globfree(&files);
}

/* Anonymous memory, touched; huge pages make haste. */
static void take_memory(size_t bytes)
{
	uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_TRUE(memory != MAP_FAILED);
	madvise(memory, bytes, MADV_HUGEPAGE);
	for (size_t at = 0; at < bytes; at += page_size())
		memory[at] = 1;
}

/*
 * An export of more than there is memory is refused, and is nobody's death: no
 * process is killed for it, nor after it by the first fault that finds none.
 */
TEST_LIMIT(export_beyond_memory, 240)
{
	static const char mark[] = "pimdimm-test export_beyond_memory";
	long available;
	struct rank rank;

	need_unloaded();
	/* 2 GiB: a 32-bit kernel could not tell the length of twice that */
	if (meminfo("MemTotal:") > 2l << 20)
		SKIP("a rank is not larger than this machine's memory");
	ASSERT_EQ(0, load("ranks=1 mram_size=33554432"));
	rank_open(&rank);
	if (!(rank.query.out_features & PIMDIMM_FEATURE_EXPORT))
		SKIP("this module does not export");
	mark_log(mark);
	/* the less there is, the sooner it is over */
	available = meminfo("MemAvailable:");
	if (available > 256 << 10)
		take_memory((size_t)(available - (256 << 10)) << 10);
	EXPECT_ERRNO(ENOMEM, export_range(rank.fd, 0,
					  rank.query.out_window_size));
	EXPECT_LT(sysfs_number(&rank, "allocated"), 4l << 20);
	take_memory(64 << 20);
	EXPECT_TRUE(!log_after_names(mark, "Out of memory"));
	EXPECT_TRUE(!log_after_names(mark, "oom-kill"));
	rank_close(&rank);
	EXPECT_EQ(0, unload());
}

static void measure(struct usage *usage)
{
	long kept;

	/* what RCU and work queues are to free yet */
	usleep(300000);
	shrink_slabs();
	usleep(100000);
	read_slabinfo(usage);
	usage->percpu = meminfo("Percpu:");
	usage->vmalloc = meminfo("VmallocUsed:");
	EXPECT_TRUE(refresh_counters());
	kept = kept_by_processors();
	ASSERT_LE(0, kept);
	usage->available = meminfo("MemAvailable:") + kept;
}

#define BATCHES	4
/* what was freed late has been by then, what leaked has not */
#define SETTLING	10

/*
 * Counts are in whole slabs, which come and go, so a leak is what grows by
 * an object in two rounds at least in each batch of rounds.
 */
static bool grows(const long at[BATCHES + 1], long step)
{
	for (unsigned int i = 0; i < BATCHES; i++) {
		if (at[i + 1] - at[i] < step)
			return false;
	}
	return true;
}

/* what grows, and its figures; NULL: nothing */
static const char *growing(const struct usage usage[BATCHES + 1],
			   unsigned int rounds, long at[BATCHES + 1])
{
	for (unsigned int i = 0; i < usage[0].caches; i++) {
		for (unsigned int batch = 0; batch <= BATCHES; batch++)
			at[batch] = (long)usage[batch].cache[i].objects;
		if (grows(at, rounds / 2))
			return usage[0].cache[i].name;
	}
	/* in KiB: a page a round, or a percpu counter of eight bytes */
	for (unsigned int batch = 0; batch <= BATCHES; batch++)
		at[batch] = usage[batch].vmalloc;
	if (grows(at, 2 * rounds))
		return "vmalloc";
	for (unsigned int batch = 0; batch <= BATCHES; batch++)
		at[batch] = usage[batch].percpu;
	if (grows(at, 1))
		return "percpu";
	for (unsigned int batch = 0; batch <= BATCHES; batch++)
		at[batch] = -usage[batch].available;
	test_note("memory taken: %ld, %ld, %ld, %ld, %ld", at[0], at[1], at[2],
		  at[3], at[4]);
	/*
	 * What a kernel that checks itself keeps for its own use has not
	 * settled in few rounds.
	 */
	return test_slowness() == 1 && grows(at, 2 * rounds) ? "memory taken" :
							       NULL;
}

static void expect_no_growth(struct usage usage[BATCHES + 1],
			     unsigned int rounds)
{
	const char *name;
	long at[BATCHES + 1];

	for (unsigned int i = 0; (name = growing(usage, rounds, at)); i++) {
		if (i == SETTLING)
			break;
		sleep(1);
		measure(&usage[BATCHES]);
		ASSERT_EQ(usage[0].caches, usage[BATCHES].caches);
	}
	if (name)
		test_fail(__FILE__, __LINE__,
			  "%s: grows in every batch: %ld, %ld, %ld, %ld, %ld",
			  name, at[0], at[1], at[2], at[3], at[4]);
}

static void expect_no_leak(void (*round)(unsigned int), unsigned int all)
{
	static struct usage usage[BATCHES + 1];
	unsigned int rounds = all / BATCHES / test_slowness();

	if (rounds < LEAST_ROUNDS)
		rounds = LEAST_ROUNDS;
	for (unsigned int i = 0; i < WARM_UP; i++)
		round(i);
	for (unsigned int batch = 0; batch <= BATCHES; batch++) {
		for (unsigned int i = 0; batch && i < rounds; i++)
			round(i);
		measure(&usage[batch]);
		ASSERT_EQ(usage[0].caches, usage[batch].caches);
	}
	expect_no_growth(usage, rounds);
}

/* A part and the whole, one of them mapped beyond its descriptor. */
static void export_and_leave(const struct rank *rank)
{
	int part = export_pages(rank, 3);
	uint8_t *map = map_dmabuf(part, 3 * page_size());
	int all = export_range(rank->fd, 0, 1 << 16);

	ASSERT_LE(0, all);
	close(part);
	map[0] = 2;
	munmap(map, 3 * page_size());
	close(all);
}

static void round_of_use(unsigned int number)
{
	static uint8_t host[PIMDIMM_RANK_PES * 1024];
	struct rank rank;

	ASSERT_EQ(0, load(number % 2 ? "ranks=2 mram_size=65536" :
				       "ranks=2 layout=xeon_sp mram_size=65536"));
	rank_open_map(&rank);
	rank.window[0] = 1;
	ASSERT_EQ(0, xfer_all(&rank, 0, host, 1024));
	ASSERT_EQ(0, xfer_all(&rank, PIMDIMM_XFER_FROM_MRAM, host, 1024));
	if (number % 3 == 0)
		rank_reset(&rank);
	if (number % 5 < 2) {
		to_pes(&rank);
		to_host(&rank);
		rank.window[0] = 1;
	}
	if (rank.query.out_features & PIMDIMM_FEATURE_EXPORT)
		export_and_leave(&rank);
	rank_close(&rank);
	ASSERT_EQ(0, unload());
}

TEST_LIMIT(rounds_without_a_leak, 300)
{
	need_unloaded();
	expect_no_leak(round_of_use, ROUNDS);
	expect_nothing_left();
}

static void refused_round(unsigned int number)
{
	(void)number;
	ASSERT_ERRNO(EINVAL, load("layout=none"));
}

TEST_LIMIT(refused_loads_without_a_leak, 60)
{
	need_unloaded();
	expect_no_leak(refused_round, ROUNDS / 2);
}

// SPDX-License-Identifier: MIT
/*
 * Pages of MRAM that the kernel replaces while they are in use: it makes huge
 * pages of small ones, and moves them from node to node. Whatever a transfer or
 * an injected flip has written must be there afterwards, and what EXPORT made
 * must show the rank's own pages.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tests/kernel/dmabuf.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/machine.h"
#include "tests/kernel/views.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#define MOVE_PAGES_MOVE 2 /* MPOL_MF_MOVE */

#define HUGE (2ul << 20)
/* lanes of the first group, whose words lie in one block */
#define LANES 8u
/* a busy machine loses one in five of the races that can be lost */
#define COLLAPSE_ROUNDS 40u
#define MOVE_ROUNDS 8u
/* to one node and back */
#define MOVES 8u
#define KHUGEPAGED_SECONDS 5.0
#define TRIES 100u
#define MAX_NODES 8u

#define THP "/sys/kernel/mm/transparent_hugepage/"

/*
 * The first 2 MiB of a rank's window, by a mapping that a huge page fits into,
 * and the words of the first group of PEs that lie there. The mapping is a PE
 * view: that one is shared memory and nothing else.
 */
struct scene {
	struct rank rank;
	struct random random;
	uint8_t *view;
	uint32_t *words;	/* numbers of words in a PE's MRAM */
	unsigned int count;
	uint64_t *written;	/* by the last transfer that returned 0 */
	unsigned int flips;	/* bits that each transfer loses afterwards */
	uint64_t transfers;
	atomic_bool stop;
};

static uint64_t block(const struct scene *scene, uint64_t word)
{
	return pimdimm_layout_offset(scene->rank.query.out_layout,
				     scene->rank.query.out_mram_size, 0, word);
}

static void find_words(struct scene *scene)
{
	uint64_t all = rank_words(&scene->rank);

	scene->words = calloc(all, sizeof(*scene->words));
	scene->written = calloc(all, sizeof(*scene->written));
	ASSERT_TRUE(scene->words && scene->written);
	for (uint64_t word = 0; word < all; word++)
		if (block(scene, word) < HUGE)
			scene->words[scene->count++] = (uint32_t)word;
}

static uint8_t *map_aligned(const struct rank *rank)
{
	uint8_t *room = mmap(NULL, 2 * HUGE, PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *at;

	ASSERT_TRUE(room != MAP_FAILED);
	at = room + (-(uintptr_t)room & (HUGE - 1));
	ASSERT_TRUE(mmap(at, HUGE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, rank->fd,
			 (off_t)PIMDIMM_MMAP_PE) == at);
	return at;
}

static void scene_open(struct scene *scene)
{
	memset(scene, 0, sizeof(*scene));
	random_start(&scene->random);
	views_open(&scene->rank);
	if (scene->rank.query.out_window_size < HUGE)
		SKIP("the window is too small");
	find_words(scene);
	scene->view = map_aligned(&scene->rank);
}

static void touch_pages(const struct scene *scene)
{
	for (size_t at = 0; at < HUGE; at += page_size())
		(void)*(volatile uint8_t *)(scene->view + at);
}

/* New pages, all of them small and of zeros. */
static void scene_renew(struct scene *scene)
{
	rank_reset(&scene->rank);
	memset(scene->written, 0, scene->count * sizeof(*scene->written));
	touch_pages(scene);
}

static bool collapse(const struct scene *scene)
{
	for (unsigned int i = 0; i < TRIES; i++) {
		if (!madvise(scene->view, HUGE, MADV_COLLAPSE))
			return true;
		/* somebody is at work in it */
		if (errno != EAGAIN && errno != EBUSY)
			break;
	}
	return false;
}

static void skip_unless_it_collapses(struct scene *scene)
{
	scene_renew(scene);
	if (!collapse(scene))
		SKIP("MADV_COLLAPSE: %s", strerror(errno));
}

/* One word of one PE at a time, which is over sooner than a page is copied. */
static void *transfer(void *argument)
{
	struct scene *scene = argument;

	while (!scene->stop) {
		uint64_t i = random_below(&scene->random, scene->count);
		uint64_t value = ++scene->transfers << 16 | 0x5a5a;

		ASSERT_EQ(0, xfer_strided(scene->rank.fd, 0, 1, 8ul * scene->words[i],
					  8, &value, 0, NULL));
		scene->written[i] = value;
	}
	return NULL;
}

/* A word of the first PE, as the window shows it. */
static uint64_t seen(const struct scene *scene, unsigned int i)
{
	const uint8_t *at = scene->view + block(scene, scene->words[i]);
	uint64_t value = 0;

	for (unsigned int byte = 0; byte < 8; byte++)
		value |= (uint64_t)at[byte * LANES] << 8 * byte;
	return value;
}

static unsigned int count_lost(const struct scene *scene)
{
	unsigned int lost = 0;

	for (unsigned int i = 0; i < scene->count; i++) {
		unsigned int wanted = scene->written[i] ? scene->flips : 0;

		lost += __builtin_popcountll(seen(scene, i) ^
					     scene->written[i]) != (int)wanted;
	}
	return lost;
}

struct sum {
	unsigned int rounds, lost, moved;
};

static void turn_flips(const struct scene *scene, const char *ppm)
{
	if (scene->flips && sysfs_write(&scene->rank, "inject/flip_ppm", ppm))
		SKIP("inject/flip_ppm: %s", strerror(errno));
}

/*
 * One round: what @disturb does while a thread transfers. It says how often it
 * succeeded.
 */
static void race_once(struct scene *scene, struct sum *sum,
		      unsigned int (*disturb)(struct scene *))
{
	pthread_t thread;
	unsigned int lost;

	scene->stop = false;
	turn_flips(scene, "1000000");
	ASSERT_EQ(0, pthread_create(&thread, NULL, transfer, scene));
	sum->moved += disturb(scene);
	scene->stop = true;
	ASSERT_EQ(0, pthread_join(thread, NULL));
	turn_flips(scene, "0");
	lost = count_lost(scene);
	sum->lost += lost;
	sum->rounds += lost > 0;
}

static void report(const struct scene *scene, const struct sum *sum,
		   const char *what)
{
	test_note("%llu transfers, %s %u times, %u words lost in %u rounds",
		  (unsigned long long)scene->transfers, what, sum->moved,
		  sum->lost, sum->rounds);
	EXPECT_EQ(0, sum->lost);
	if (!sum->moved)
		SKIP("nothing was %s", what);
}

static unsigned int by_collapse(struct scene *scene)
{
	return collapse(scene);
}

static void race_collapse(struct scene *scene)
{
	struct sum sum = { 0 };

	skip_unless_it_collapses(scene);
	for (unsigned int i = 0; i < COLLAPSE_ROUNDS; i++) {
		scene_renew(scene);
		race_once(scene, &sum, by_collapse);
	}
	report(scene, &sum, "collapsed");
}

TEST(transfers_beside_collapse)
{
	struct scene scene;

	scene_open(&scene);
	race_collapse(&scene);
}

/* Whose settings these are is asked first: they are the machine's. */
static void hurry_khugepaged(void)
{
	if (!getenv("SELFTEST_KO") || geteuid())
		SKIP("changes the machine's settings: not without SELFTEST_KO");
	if (!write_text(THP "khugepaged/scan_sleep_millisecs", "0") ||
	    !write_text(THP "khugepaged/pages_to_scan", "4096") ||
	    !write_text(THP "enabled", "always"))
		SKIP("no khugepaged in this kernel");
}

/* It looks at processes that have huge pages of their own, or might. */
static void have_huge_page(void)
{
	uint8_t *room = mmap(NULL, 2 * HUGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_TRUE(room != MAP_FAILED);
	ASSERT_EQ(0, madvise(room, 2 * HUGE, MADV_HUGEPAGE));
	memset(room, 1, 2 * HUGE);
}

static unsigned int by_khugepaged(struct scene *scene)
{
	double late = seconds_now() + test_patience(KHUGEPAGED_SECONDS);

	(void)scene;
	while (meminfo("ShmemHugePages:") <= 0) {
		if (seconds_now() > late)
			return 0;
		usleep(1000);
	}
	return 1;
}

TEST(transfers_beside_khugepaged)
{
	struct sum sum = { 0 };
	struct scene scene;

	hurry_khugepaged();
	have_huge_page();
	scene_open(&scene);
	for (unsigned int i = 0; i < COLLAPSE_ROUNDS && sum.moved >= i / 2; i++) {
		ASSERT_EQ(0, madvise(scene.view, HUGE, MADV_NOHUGEPAGE));
		scene_renew(&scene);
		ASSERT_EQ(0, madvise(scene.view, HUGE, MADV_HUGEPAGE));
		race_once(&scene, &sum, by_khugepaged);
	}
	report(&scene, &sum, "collapsed by khugepaged");
}

/* Moves the view's first page, small or huge: whether it came to that node. */
static bool move_to(const struct scene *scene, int node)
{
	void *page = scene->view;
	int status = -1;

	/* a page that is not mapped is not found */
	(void)*(volatile uint8_t *)page;
	return !syscall(SYS_move_pages, 0, 1ul, &page, &node, &status,
			MOVE_PAGES_MOVE) &&
	       status == node;
}

static void skip_unless_it_moves(struct scene *scene)
{
	scene_renew(scene);
	if (!move_to(scene, 1) || !move_to(scene, 0))
		SKIP("no page could be moved to another node and back");
}

static unsigned int by_moves_of_a_huge_page(struct scene *scene)
{
	unsigned int moved = 0;

	for (unsigned int i = 0; i < MOVES; i++)
		moved += move_to(scene, (int)(i % 2));
	return moved;
}

static void race_moves_of_a_huge_page(struct scene *scene)
{
	struct sum sum = { 0 };

	skip_unless_it_moves(scene);
	skip_unless_it_collapses(scene);
	for (unsigned int i = 0; i < MOVE_ROUNDS; i++)
		race_once(scene, &sum, by_moves_of_a_huge_page);
	report(scene, &sum, "moved");
}

TEST(transfers_beside_moves_of_a_huge_page)
{
	struct scene scene;

	scene_open(&scene);
	race_moves_of_a_huge_page(&scene);
}

/* Pages of a dma-buf that are not the rank's: what is written there is not seen. */
static unsigned int count_strange(const struct scene *scene, int fd)
{
	uint8_t *map = map_dmabuf(fd, HUGE);
	unsigned int strange = 0;

	for (size_t at = 0; at < HUGE; at += page_size()) {
		uint8_t mark = (uint8_t)(scene->view[at] + 1);

		map[at] = mark;
		strange += scene->view[at] != mark;
	}
	munmap(map, HUGE);
	return strange;
}

struct exporter {
	struct scene *scene;
	double delay;
	atomic_bool go;
	int fd, error;
};

static void *export_later(void *argument)
{
	struct exporter *exporter = argument;
	double start;

	while (!exporter->go)
		;
	start = seconds_now();
	while (seconds_now() < start + exporter->delay)
		;
	exporter->fd = export_range(exporter->scene->rank.fd, 0, HUGE);
	exporter->error = errno;
	return NULL;
}

/* From 6.11 on a module can have pages moved out of memory that is movable. */
static bool kernel_moves_out(void)
{
	unsigned int version, patchlevel;
	struct utsname name;

	uname(&name);
	ASSERT_EQ(2, sscanf(name.release, "%u.%u", &version, &patchlevel));
	return version > 6 || (version == 6 && patchlevel >= 11);
}

/* Returns how often @disturb has succeeded. */
static unsigned int export_once(struct scene *scene, double delay,
				unsigned int (*disturb)(struct scene *),
				struct sum *sum)
{
	struct exporter exporter = { .scene = scene, .delay = delay };
	unsigned int done, strange;
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, export_later, &exporter));
	exporter.go = true;
	done = disturb(scene);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	if (exporter.fd < 0) {
		/* what moves all the time cannot be held */
		ASSERT_EQ(kernel_moves_out() ? EAGAIN : ENOMEM, exporter.error);
		return done;
	}
	strange = count_strange(scene, exporter.fd);
	close(exporter.fd);
	sum->lost += strange;
	sum->rounds += strange > 0;
	sum->moved++;
	return done;
}

static unsigned int by_one_collapse(struct scene *scene)
{
	return !madvise(scene->view, HUGE, MADV_COLLAPSE);
}

/* At any moment of what @disturb does, alone in @seconds, and a little later. */
static void race_exports(struct scene *scene, double seconds,
			 unsigned int rounds,
			 unsigned int (*disturb)(struct scene *))
{
	bool renew = disturb == by_one_collapse;
	unsigned int disturbed = 0;
	struct sum sum = { 0 };

	for (unsigned int i = 0; i < rounds; i++) {
		double delay = seconds * 1.25 *
			       (double)random_below(&scene->random, 1000) / 1000;

		if (renew)
			scene_renew(scene);
		disturbed += export_once(scene, delay, disturb, &sum);
	}
	test_note("%u exports, pages replaced %u times, %u strange pages in %u rounds",
		  sum.moved, disturbed, sum.lost, sum.rounds);
	EXPECT_EQ(0, sum.lost);
	EXPECT_LT(0, disturbed);
	if (!kernel_moves_out() && !sum.moved)
		SKIP("this kernel moves nothing out of movable memory");
	EXPECT_LT(0, sum.moved);
}

static void scene_open_exporting(struct scene *scene)
{
	scene_open(scene);
	if (!(scene->rank.query.out_features & PIMDIMM_FEATURE_EXPORT))
		SKIP("this module does not export");
}

TEST(exports_beside_collapse)
{
	struct scene scene;
	double start;

	scene_open_exporting(&scene);
	scene_renew(&scene);
	start = seconds_now();
	if (!by_one_collapse(&scene))
		SKIP("MADV_COLLAPSE: %s", strerror(errno));
	race_exports(&scene, seconds_now() - start, COLLAPSE_ROUNDS,
		     by_one_collapse);
}

TEST(exports_beside_moves_of_a_huge_page)
{
	struct scene scene;
	double start;

	scene_open_exporting(&scene);
	skip_unless_it_moves(&scene);
	skip_unless_it_collapses(&scene);
	start = seconds_now();
	by_moves_of_a_huge_page(&scene);
	race_exports(&scene, seconds_now() - start, MOVE_ROUNDS,
		     by_moves_of_a_huge_page);
}

struct frames {
	uint64_t begin, end;
};

/* Memory of the nodes that is to stay movable; returns of how many. */
static unsigned int find_movable(struct frames movable[MAX_NODES])
{
	FILE *file = fopen("/proc/zoneinfo", "re");
	unsigned long long number, spanned = 0;
	char line[256], zone[32] = "";
	unsigned int count = 0;

	ASSERT_TRUE(file != NULL);
	while (count < MAX_NODES && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Node %*d, zone %31s", zone) == 1)
			spanned = 0;
		else if (sscanf(line, " spanned %llu", &number) == 1)
			spanned = number;
		else if (sscanf(line, " start_pfn: %llu", &number) == 1 &&
			 !strcmp(zone, "Movable"))
			movable[count++] =
				(struct frames){ number, number + spanned };
	}
	fclose(file);
	return count;
}

/* How many of the view's pages lie there. */
static unsigned int count_movable(const struct scene *scene)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	struct frames movable[MAX_NODES];
	unsigned int nodes = find_movable(movable), count = 0;

	ASSERT_LE(0, fd);
	touch_pages(scene);
	for (size_t at = 0; at < HUGE; at += page_size()) {
		uintptr_t page = (uintptr_t)(scene->view + at) / page_size();
		uint64_t entry;

		ASSERT_EQ(8, pread(fd, &entry, 8, (off_t)(page * 8)));
		entry &= (1ull << 55) - 1;
		for (unsigned int i = 0; i < nodes; i++)
			count += movable[i].begin <= entry &&
				 entry < movable[i].end;
	}
	close(fd);
	return count;
}

/* A device would hold what must be movable: for memory to be taken away. */
TEST(exports_of_movable_memory)
{
	struct scene scene;
	int fd;

	if (geteuid())
		SKIP("root alone is told where pages lie");
	scene_open_exporting(&scene);
	skip_unless_it_collapses(&scene);
	for (int i = 0; i < 4 && !count_movable(&scene); i++)
		move_to(&scene, i % 2);
	if (!count_movable(&scene))
		SKIP("no memory is movable");
	scene.view[0] = 0x5a;
	fd = export_range(scene.rank.fd, 0, HUGE);
	if (!kernel_moves_out()) {
		EXPECT_EQ(-1, fd);
		EXPECT_EQ(ENOMEM, errno);
		EXPECT_EQ(0, sysfs_number(&scene.rank, "pinned"));
		return;
	}
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, count_movable(&scene));
	EXPECT_EQ(0x5a, scene.view[0]);
	EXPECT_EQ(0, count_strange(&scene, fd));
	close(fd);
}

/* Each transfer into MRAM loses a bit, which is a write of its own. */
static void scene_open_flipping(struct scene *scene)
{
	scene_open(scene);
	scene->flips = 1;
	turn_flips(scene, "1000000");
	turn_flips(scene, "0");
}

TEST(flips_beside_collapse)
{
	struct scene scene;

	scene_open_flipping(&scene);
	race_collapse(&scene);
}

TEST(flips_beside_moves_of_a_huge_page)
{
	struct scene scene;

	scene_open_flipping(&scene);
	race_moves_of_a_huge_page(&scene);
}

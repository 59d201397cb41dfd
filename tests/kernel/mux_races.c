// SPDX-License-Identifier: MIT
/*
 * MUX against threads that never stop touching. When the call has returned,
 * nothing of the host's comes late: what it writes by any way is looked at
 * through the PE view, and stands still.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/views.h"

#define RACE_SECONDS	2.0
/* on a machine that has no time for all its threads */
#define PATIENCE_SECONDS 40.0
/* how long an owner keeps the rank, at least */
#define TERM_MICROSECONDS 1000u
#define MAX_TERM	  1000000u
#define MAX_TOUCHERS	6u
/* each thread has a part of the window */
#define PART_PAGES	16u

struct toucher {
	struct views *views;
	uint8_t *part;
	atomic_bool *stop;
	_Atomic uint64_t done, refused;
	pthread_t thread;
};

static void note(struct toucher *toucher, int signal)
{
	if (signal == SIGBUS)
		toucher->refused++;
	else
		toucher->done++;
	ASSERT_TRUE(!signal || signal == SIGBUS);
}

/* Page tables stay filled: what MUX must take away. */
static void *by_stores(void *argument)
{
	struct toucher *toucher = argument;
	size_t page = page_size();

	for (unsigned int i = 0; !*toucher->stop; i++)
		note(toucher,
		     touch(toucher->part + i % PART_PAGES * page, true));
	return NULL;
}

/* Each touch is a fault: what MUX must not be overtaken by. */
static void *by_faults(void *argument)
{
	struct toucher *toucher = argument;
	size_t page = page_size();

	for (unsigned int i = 0; !*toucher->stop; i++) {
		uint8_t *at = toucher->part + i % PART_PAGES * page;

		madvise(at, page, MADV_DONTNEED);
		note(toucher, touch(at, true));
	}
	return NULL;
}

/* Each touch is a fault for a page that is not there yet. */
static void *by_new_pages(void *argument)
{
	struct toucher *toucher = argument;
	size_t page = page_size();

	for (unsigned int i = 0; !*toucher->stop; i++) {
		uint8_t *at = toucher->part + i % PART_PAGES * page;

		madvise(at, page, MADV_REMOVE);
		note(toucher, touch(at, true));
	}
	return NULL;
}

/*
 * Far from where the kernel puts what others map: what is unmapped there for a
 * moment stays free. User-mode Linux has addresses below 512 GiB only.
 */
static uint8_t *place(unsigned int number)
{
	return (uint8_t *)0x2000000000 + number * PART_PAGES * page_size();
}

static void map_part(const struct toucher *toucher, uint8_t *at)
{
	ASSERT_TRUE(mmap(at, PART_PAGES * page_size(), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, toucher->views->rank.fd,
			 toucher->part - toucher->views->rank.window) == at);
}

static void *by_mappings(void *argument)
{
	struct toucher *toucher = argument;
	size_t page = page_size();
	uint8_t *at = place(0);

	for (unsigned int i = 0; !*toucher->stop; i++) {
		map_part(toucher, at);
		note(toucher, touch(at + i % PART_PAGES * page, true));
		ASSERT_EQ(0, munmap(at, PART_PAGES * page));
	}
	return NULL;
}

static void *by_moves(void *argument)
{
	struct toucher *toucher = argument;
	size_t bytes = PART_PAGES * page_size();

	map_part(toucher, place(1));
	for (unsigned int i = 0; !*toucher->stop; i++) {
		uint8_t *from = place(1 + i % 2), *to = place(2 - i % 2);

		note(toucher, touch(from, true));
		ASSERT_TRUE(mremap(from, bytes, bytes,
				   MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
		note(toucher, touch(to, true));
	}
	return NULL;
}

static void *by_transfers(void *argument)
{
	struct toucher *toucher = argument;
	static const uint64_t ones[512] = { 1 };

	while (!*toucher->stop) {
		uint64_t done = 0;
		int result = xfer_strided(toucher->views->rank.fd, 0, ALL_PES, 0,
					  sizeof(ones), ones, 0, &done);

		if (result)
			ASSERT_EQ(EBUSY, errno);
		note(toucher, result ? SIGBUS : 0);
	}
	return NULL;
}

static void *by_resets(void *argument)
{
	struct toucher *toucher = argument;
	struct pimdimm_reset reset = { .size = sizeof(reset) };

	while (!*toucher->stop) {
		int result = ioctl(toucher->views->rank.fd, PIMDIMM_IOC_RESET,
				   &reset);

		if (result)
			ASSERT_EQ(EBUSY, errno);
		note(toucher, result ? SIGBUS : 0);
	}
	return NULL;
}

/* The first bytes of pages, which are what threads write. */
static void fill(struct views *views, unsigned int pages, uint8_t value)
{
	for (unsigned int i = 0; i < pages; i++)
		views->pe[i * page_size()] = value;
}

static unsigned int count_others(const struct views *views, unsigned int pages,
				 uint8_t value)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < pages; i++)
		count += views->pe[i * page_size()] != value;
	return count;
}

/* One term in the PEs' hands: what they write stays as they wrote it. */
static void own_for_a_while(struct views *views, unsigned int pages,
			    unsigned int term)
{
	to_pes(&views->rank);
	fill(views, pages, 0);
	usleep(term / 2);
	ASSERT_EQ(0, count_others(views, pages, 0));
	fill(views, pages, 0x77);
	usleep(term / 2);
	ASSERT_EQ(0, count_others(views, pages, 0x77));
	to_host(&views->rank);
	usleep(term);
}

/* Whether each has been let in and kept out. */
static bool all_have_raced(const struct toucher *touchers, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (!touchers[i].done || !touchers[i].refused)
			return false;
	return true;
}

/*
 * A transfer whose first slice takes longer than the host's term is always
 * refused: terms grow until each has got somewhere.
 */
static unsigned int take_turns(struct views *views,
			       const struct toucher *touchers,
			       unsigned int count)
{
	const double start = seconds_now();
	const double late = start + test_patience(PATIENCE_SECONDS);
	unsigned int term = TERM_MICROSECONDS, rounds = 0;
	bool raced = false;

	while (seconds_now() < start + RACE_SECONDS ||
	       (!raced && seconds_now() < late)) {
		own_for_a_while(views, count * PART_PAGES, term);
		rounds++;
		raced = all_have_raced(touchers, count);
		if (raced)
			term = TERM_MICROSECONDS;
		else if (term < MAX_TERM)
			term *= 2;
	}
	return rounds;
}

static void race(void *(*const bodies[])(void *), unsigned int count)
{
	struct toucher touchers[MAX_TOUCHERS] = { 0 };
	atomic_bool stop = false;
	unsigned int rounds;
	struct views views;

	views_start(&views, true);
	for (unsigned int i = 0; i < count; i++) {
		touchers[i].views = &views;
		touchers[i].part = views.rank.window +
				   i * PART_PAGES * page_size();
		touchers[i].stop = &stop;
		ASSERT_EQ(0, pthread_create(&touchers[i].thread, NULL,
					    bodies[i], &touchers[i]));
	}
	rounds = take_turns(&views, touchers, count);
	stop = true;
	for (unsigned int i = 0; i < count; i++) {
		ASSERT_EQ(0, pthread_join(touchers[i].thread, NULL));
		EXPECT_LT(0, touchers[i].done);
		EXPECT_LT(0, touchers[i].refused);
		test_note("%u: %llu done, %llu refused, %u rounds", i,
			  (unsigned long long)touchers[i].done,
			  (unsigned long long)touchers[i].refused, rounds);
	}
}

TEST(stores)
{
	race((void *(*const[])(void *)){ by_stores, by_stores }, 2);
}

TEST(faults)
{
	race((void *(*const[])(void *)){ by_faults, by_faults }, 2);
}

TEST(new_pages)
{
	race((void *(*const[])(void *)){ by_new_pages, by_new_pages }, 2);
}

TEST(mappings)
{
	race((void *(*const[])(void *)){ by_mappings, by_moves }, 2);
}

TEST(transfers_and_resets)
{
	race((void *(*const[])(void *)){ by_transfers, by_resets }, 2);
}

TEST(all_of_them)
{
	race((void *(*const[])(void *)){ by_stores, by_faults, by_new_pages,
					 by_mappings, by_moves, by_transfers },
	     6);
}

static void *switch_owner(void *argument)
{
	struct toucher *toucher = argument;

	for (unsigned int i = 0; !*toucher->stop; i++) {
		ASSERT_EQ(0, mux(toucher->views->rank.fd,
				 i % 2 ? PIMDIMM_MUX_HOST : PIMDIMM_MUX_PES));
		toucher->done++;
	}
	return NULL;
}

/* Calls of several threads: each of them takes effect, none is lost in another. */
TEST(several_calls_at_once)
{
	struct toucher touchers[3] = { 0 };
	atomic_bool stop = false;
	struct views views;

	views_start(&views, true);
	for (unsigned int i = 0; i < 3; i++) {
		touchers[i].views = &views;
		touchers[i].part = views.rank.window;
		touchers[i].stop = &stop;
		ASSERT_EQ(0, pthread_create(&touchers[i].thread, NULL,
					    i ? switch_owner : by_faults,
					    &touchers[i]));
	}
	usleep(1000000);
	stop = true;
	for (unsigned int i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_join(touchers[i].thread, NULL));
	to_pes(&views.rank);
	EXPECT_EQ(SIGBUS, touch(views.rank.window, false));
	to_host(&views.rank);
	EXPECT_EQ(0, touch(views.rank.window, true));
}

static void *map_and_unmap(void *argument)
{
	struct toucher *toucher = argument;
	size_t page = page_size();

	while (!*toucher->stop) {
		uint8_t *at = mmap(NULL, page, PROT_READ | PROT_WRITE,
				   MAP_SHARED, toucher->views->rank.fd, 0);

		ASSERT_TRUE(at != MAP_FAILED);
		note(toucher, touch(at, true));
		ASSERT_EQ(0, munmap(at, page));
	}
	return NULL;
}

/* The first call of each owner, which finds mappings on their way. */
TEST(first_calls_against_mappings)
{
	double end = seconds_now() + RACE_SECONDS;

	while (seconds_now() < end) {
		atomic_bool stop = false;
		struct views views;
		struct toucher toucher = { .views = &views, .stop = &stop };
		int fd;

		views_start(&views, true);
		ASSERT_EQ(0, pthread_create(&toucher.thread, NULL,
					    map_and_unmap, &toucher));
		while (!toucher.done)
			;
		own_for_a_while(&views, 1, TERM_MICROSECONDS);
		stop = true;
		ASSERT_EQ(0, pthread_join(toucher.thread, NULL));
		munmap(views.pe, views.size);
		rank_close(&views.rank);
		fd = rank_reopen(&views.rank);
		ASSERT_LE(0, fd);
		close(fd);
	}
}

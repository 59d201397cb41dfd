// SPDX-License-Identifier: MIT
/* Which items of a run each of several hosts takes, one after the other in one process. */
#include "collectives/call/crew.h"
#include "runtime/ranks/system.h"
#include "tests/unit/unit.h"

#define HOSTS	4u
#define ITEMS	1000u

static struct pimdimm *sys;
static unsigned int done_by[HOSTS][ITEMS];

static uint64_t take_items(void *ctx, uint64_t first, uint64_t count, enum pd_stores stores)
{
	unsigned int *done = ctx;

	(void)stores;
	for (uint64_t i = first; i < first + count; i++)
		done[i]++;
	return count;
}

static int nothing_runs(struct pc_crew *crew, uint32_t run)
{
	(void)crew;
	(void)run;
	return 0;
}

/* A host's whole run of so many tickets, when those before it have ended theirs. */
static void run_host(struct pc_crew_line lines[], uint32_t host, uint64_t items, uint64_t grain,
		     bool at_once)
{
	struct pc_crew crew = {
		.host = host, .hosts = HOSTS, .at_once = at_once, .lines = lines, .tag = 7,
		.meet = nothing_runs,
	};
	const struct pc_crew_items of = {
		.workers = sys->workers, .share = PC_SHARE_ANY, .items = items, .grain = grain,
		.fn = take_items, .ctx = done_by[host],
	};

	pc_crew_run(&crew, &of);
}

static unsigned int taken_by(uint32_t host, uint64_t first, uint64_t end)
{
	unsigned int taken = 0;

	while (first < end)
		taken += done_by[host][first++];
	return taken;
}

/*
 * Host 1 comes first, and takes its part and what it may of the others', `others` of each, of as
 * many; they do the rest, and every item is done once.
 */
static void first_takes(uint64_t items, uint64_t grain, bool at_once, unsigned int others)
{
	struct pc_crew_line lines[HOSTS] = { 0 };
	const uint64_t part = items / HOSTS;

	memset(done_by, 0, sizeof(done_by));
	run_host(lines, 1, items, grain, at_once);
	for (uint32_t host = 0; host < HOSTS; host++)
		assert_int_equal(taken_by(1, host * part, (host + 1) * part),
				 host == 1 ? part : others);
	for (uint32_t host = 0; host < HOSTS; host++) {
		if (host != 1)
			run_host(lines, host, items, grain, at_once);
	}
	for (uint64_t i = 0; i < items; i++) {
		unsigned int times = 0;

		for (uint32_t host = 0; host < HOSTS; host++)
			times += done_by[host][i];
		assert_int_equal(times, 1);
	}
}

/* An eighth of the others' parts stays with them, in whole tickets. */
static void the_last_are_left(void **state)
{
	(void)state;
	first_takes(64, 1, true, 14);
	first_takes(96, 1, true, 21);
	first_takes(960, 10, true, 210);
}

static void all_are_taken(void **state)
{
	(void)state;
	/* who does not run now may not run for long */
	first_takes(64, 1, false, 16);
	first_takes(960, 10, false, 240);
	/* fewer than eight tickets have no eighth */
	first_takes(28, 1, true, 7);
	first_takes(4, 1, true, 1);
}

static int open_system(void **state)
{
	(void)state;
	setenv("PIMDIMM_THREADS", "1", 1);
	return pimdimm_open("mem:ranks=1,mram=64K", &sys);
}

static int close_system(void **state)
{
	(void)state;
	pimdimm_close(sys);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_last_are_left),
	cmocka_unit_test(all_are_taken),
};

int main(void)
{
	unit_start();
	return cmocka_run_group_tests(tests, open_system, close_system);
}

// SPDX-License-Identifier: MIT
/* Tasklets: switched where they wait, preempted where they do not. */
#include <sys/mman.h>

#include <pthread.h>

#include "tests/unit/pe/pe_unit.h"

#define TASKLETS 24

enum act { NOTHING, PHASES, QUEUE, SPIN, ROUNDING, DEADLOCK, HANG, EXIT,
	   TICK, COUNT, TIMED, ALONE };

static void start(struct pe_unit *u, uint32_t nr_pes, enum act act,
		  uint32_t tasklets)
{
	pe_unit_open(u, "mem:ranks=1,mram=64K", "tasklets", nr_pes);
	for (uint32_t pe = 0; pe < nr_pes; pe++) {
		pe_set32(u, pe, "act", act);
		pe_set32(u, pe, "tasklets", tasklets);
	}
}

static void test_barrier(void **state)
{
	static const uint32_t counts[] = { 1, 2, 8, 11, 16, 24 };
	struct pe_unit u;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		start(&u, 9, PHASES, counts[i]);
		assert_ok(pe_unit_run(&u));
		for (uint32_t pe = 0; pe < 9; pe++) {
			uint32_t phase[TASKLETS];

			assert_int_equal(pe_get32(&u, pe, "torn"), 0);
			pe_get(&u, pe, "phase", phase, sizeof(phase));
			assert_int_equal(phase[counts[i] - 1], 50);
		}
		pe_unit_close(&u);
	}
}

static void test_wakes_in_order(void **state)
{
	uint32_t order[TASKLETS];
	struct pe_unit u;

	(void)state;
	start(&u, 1, QUEUE, TASKLETS);
	assert_ok(pe_unit_run(&u));
	pe_get(&u, 0, "order", order, sizeof(order));
	for (uint32_t t = 1; t < TASKLETS; t++)
		assert_int_equal(order[t - 1], t);
	pe_unit_close(&u);
}

static void test_spinning(void **state)
{
	struct pe_unit u;

	(void)state;
	start(&u, 2, SPIN, 6);
	assert_ok(pe_unit_run(&u));
	assert_int_equal(pe_get32(&u, 0, "flag"), 6);
	assert_int_equal(pe_get32(&u, 1, "flag"), 6);
	pe_unit_close(&u);
}

static void test_rounding(void **state)
{
	uint32_t mxcsr[TASKLETS];
	struct pe_unit u;

	(void)state;
	start(&u, 1, ROUNDING, 8);
	assert_ok(pe_unit_run(&u));
	pe_get(&u, 0, "mxcsr", mxcsr, sizeof(mxcsr));
	for (uint32_t t = 0; t < 8; t++)
		assert_int_equal(mxcsr[t] >> 13 & 3, t % 4);
	pe_unit_close(&u);
}

static void test_deadlock(void **state)
{
	struct pe_unit u;

	(void)state;
	start(&u, 3, NOTHING, TASKLETS);
	pe_set32(&u, 1, "act", DEADLOCK);
	assert_refused(pe_unit_run(&u), EFAULT, "deadlock");
	assert_int_equal(u.run.nr_faulted, 1);
	assert_int_equal(u.run.first.pe, 1);
	assert_int_equal(u.run.first.kind, PE_FAULT_DEADLOCK);
	assert_true(!u.faulted[0] && u.faulted[1] && !u.faulted[2]);
	assert_non_null(strstr(u.run.first.text,
			       "tasklet 1 waits at a barrier (WRAM 0x"));
	assert_non_null(strstr(u.run.first.text, "tasklet 2 waits for a mutex"));
	assert_non_null(strstr(u.run.first.text, ", arrived)"));
	assert_non_null(strstr(u.run.first.text, ", flag)"));
	assert_non_null(strstr(u.run.first.text, "tasklet 3 has ended"));
	pe_unit_close(&u);
}

static void test_watchdog(void **state)
{
	struct pe_unit u;

	(void)state;
	start(&u, 8, NOTHING, TASKLETS);
	pe_set32(&u, 5, "act", HANG);
	u.run.timeout_ms = 2000;
	assert_refused(pe_unit_run(&u), EFAULT, "did not end in 2000 ms");
	/* those behind it in its group did not begin */
	assert_int_equal(u.run.nr_faulted, 3);
	for (uint32_t pe = 0; pe < 8; pe++)
		assert_int_equal(u.faulted[pe], pe >= 5);
	assert_int_equal(u.run.first.pe, 5);
	assert_int_equal(u.run.first.tasklet, 3);
	assert_int_equal(u.run.first.kind, PE_FAULT_TIMEOUT);
	assert_non_null(strstr(u.run.first.text,
			       "tasklet 1 waits for a handshake"));
	assert_non_null(strstr(u.run.first.text, "tasklet 3 runs"));
	if (!strstr(u.run.first.text, "(hang)"))
		fail_msg("no (hang) in: %s", u.run.first.text);
	assert_non_null(strstr(u.run.first.text, "timeout_ms"));
	assert_non_null(strstr(u.run.first.text, "; 2 other PEs were stopped"));
	/* the PE runs again */
	pe_set32(&u, 5, "act", PHASES);
	assert_ok(pe_unit_run(&u));
	pe_unit_close(&u);
}

/* what a launch prints on standard error */
static int run_captured(struct pe_unit *u, char *text, size_t bytes)
{
	int saved = dup(STDERR_FILENO), fd = memfd_create("stderr", 0), ret;
	ssize_t got;

	assert_int_not_equal(dup2(fd, STDERR_FILENO), -1);
	ret = pe_unit_run(u);
	dup2(saved, STDERR_FILENO);
	close(saved);
	got = pread(fd, text, bytes - 1, 0);
	text[got > 0 ? got : 0] = '\0';
	close(fd);
	return ret;
}

/*
 * What loops does so in many PEs: the first that is told ends the launch, so that
 * no more begin than there are threads. Meanwhile one is named.
 */
static void test_watchdog_of_all(void **state)
{
	uint32_t begun = 0;
	struct pe_unit u;
	char text[4096];

	(void)state;
	setenv("PIMDIMM_WATCHDOG", "2000", 1);
	setenv("PIMDIMM_THREADS", "2", 1);
	setenv("PIMDIMM_LOG", "trace", 1);
	start(&u, 64, HANG, TASKLETS);
	u.run.timeout_ms = 0;
	assert_int_equal(run_captured(&u, text, sizeof(text)), -EFAULT);
	unsetenv("PIMDIMM_WATCHDOG");
	unsetenv("PIMDIMM_THREADS");
	unsetenv("PIMDIMM_LOG");
	assert_non_null(strstr(u.run.first.text,
			       "did not end in 2000 ms, PIMDIMM_WATCHDOG gives"));
	assert_int_equal(u.run.nr_faulted, 64);
	for (uint32_t pe = 0; pe < 64; pe++) {
		assert_true(u.faulted[pe]);
		begun += pe_get32(&u, pe, "next");
	}
	assert_in_range(begun, 1, 2);
	if (!strstr(text, " has run for ") || !strstr(text, "(hang)"))
		fail_msg("nobody is named in: %s", text);
	pe_unit_close(&u);
}

static void *run_launch(void *ctx)
{
	pe_unit_run(ctx);
	return NULL;
}

/* Of what is one launch to its caller one part ends them all. */
static void test_watchdog_of_parts(void **state)
{
	uint32_t over = 0, begun = 0;
	struct pe_unit u, other;
	const struct pe_unit *stopped;
	pthread_t thread;
	int ret;

	(void)state;
	start(&u, 64, HANG, TASKLETS);
	other = u;
	for (uint32_t i = 0; i < 32; i++)
		other.pes[i] = 32 + i;
	u.nr_pes = other.nr_pes = 32;
	u.run.faulted = u.faulted;
	other.run.faulted = other.faulted;
	u.run.over = other.run.over = &over;
	u.run.timeout_ms = 3000;
	other.run.timeout_ms = 500;
	assert_int_equal(pthread_create(&thread, NULL, run_launch, &u), 0);
	ret = pe_unit_run(&other);
	pthread_join(thread, NULL);
	assert_int_equal(ret, -EFAULT);
	assert_int_equal(over, 1);
	assert_ptr_equal(u.run.over, &over);
	assert_int_equal(other.run.nr_faulted, 32);
	assert_int_equal(u.run.nr_faulted, 32);
	/* whichever has the threads first: nobody in the other has had all its time */
	stopped = u.run.first.kind ? &other : &u;
	assert_int_equal(stopped->run.first.kind, 0);
	assert_non_null(strstr(stopped->run.first.text, "32 PEs were stopped"));
	assert_non_null(strstr((stopped == &u ? &other : &u)->run.first.text,
			       "did not end in "));
	/* the next part does not begin */
	for (uint32_t pe = 0; pe < 32; pe++)
		begun += pe_get32(&u, pe, "next");
	u.run.timeout_ms = 500;
	assert_refused(pe_unit_run(&u), EFAULT, "32 PEs were stopped");
	for (uint32_t pe = 0; pe < 32; pe++)
		begun -= pe_get32(&u, pe, "next");
	assert_int_equal(begun, 0);
	pe_unit_close(&u);
}

static void test_exit(void **state)
{
	struct pe_unit u;

	(void)state;
	start(&u, 1, EXIT, 7);
	assert_ok(pe_unit_run(&u));
	assert_int_equal(pe_get32(&u, 0, "next"), 7);
	pe_unit_close(&u);
}

/* The first tick of a run may be anybody's: it takes the processor from nobody. */
static void test_first_tick(void **state)
{
	struct pe_unit u;

	(void)state;
	start(&u, 16, TICK, 2);
	assert_ok(pe_unit_run(&u));
	for (uint32_t pe = 0; pe < 16; pe++)
		assert_in_range(pe_get32(&u, pe, "next"), 2, 20000);
	pe_unit_close(&u);
}

struct counts {
	uint32_t lost, atomic, critical, over_dma;
	uint32_t order[TASKLETS];
};

/* Count in all tasklets of PE 0 and 9, in an order; what PE 0 has got. */
static struct counts count(struct pe_unit *u, const char *schedule)
{
	struct counts c;

	setenv("PIMDIMM_SCHEDULE", schedule, 1);
	start(u, 10, NOTHING, TASKLETS);
	pe_set32(u, 0, "act", COUNT);
	pe_set32(u, 9, "act", COUNT);
	assert_ok(pe_unit_run(u));
	c.lost = 200 * TASKLETS - pe_get32(u, 0, "next");
	c.atomic = pe_get32(u, 0, "flag");
	c.critical = pe_get32(u, 0, "arrived");
	c.over_dma = 50 * TASKLETS - pe_get32(u, 0, "torn");
	pe_get(u, 0, "order", c.order, sizeof(c.order));
	assert_int_equal(c.atomic, 200 * TASKLETS);
	assert_int_equal(c.critical, 50 * TASKLETS);
	unsetenv("PIMDIMM_SCHEDULE");
	return c;
}

/* In turns no update is lost but over a DMA, where tasklets are switched. */
static void test_turns(void **state)
{
	struct pe_unit u;
	struct counts c;

	(void)state;
	c = count(&u, "turns");
	assert_int_equal(c.lost, 0);
	assert_int_equal(c.over_dma, 50 * (TASKLETS - 1));
	pe_unit_close(&u);
}

/*
 * At random they are lost in one instruction, too, where a processor can be told to stop after
 * each: PE 9 has numbers of its own, and so has each launch.
 */
static void check_lost(const struct pe_unit *u, const struct counts *c)
{
#ifdef __x86_64__
	assert_int_not_equal(pe_get32(u, 9, "next"), 200 * TASKLETS - c->lost);
	assert_in_range(c->lost, 1, 200 * TASKLETS - 1);
#else
	assert_int_equal(pe_get32(u, 9, "next"), 200 * TASKLETS);
	assert_int_equal(c->lost, 0);
#endif
}

/* The same with the same seed. */
static void test_random(void **state)
{
	static const char *const seeds[] = { "random:1", "random:77" };
	struct counts first, again;
	struct pe_unit u;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(seeds); i++) {
		first = count(&u, seeds[i]);
		check_lost(&u, &first);
		pe_unit_close(&u);
		assert_in_range(first.over_dma, 1, 50 * TASKLETS - 1);
		again = count(&u, seeds[i]);
		pe_unit_close(&u);
		assert_memory_equal(&first, &again, sizeof(first));
		again = count(&u, i ? "random:1" : "random:3");
		pe_unit_close(&u);
		assert_memory_not_equal(&first, &again, sizeof(first));
	}
}

/* What is not to be preempted takes no steps, which are there for what comes behind it. */
static void test_random_alone(void **state)
{
	struct pe_unit u;
	uint32_t counted;

	(void)state;
	setenv("PIMDIMM_SCHEDULE", "random:2", 1);
	start(&u, 1, ALONE, TASKLETS);
	assert_ok(pe_unit_run(&u));
	counted = pe_get32(&u, 0, "next");
#ifdef __x86_64__
	assert_in_range(counted, 200, 200 * TASKLETS - 1);
#else
	assert_int_equal(counted, 200 * TASKLETS);
#endif
	pe_unit_close(&u);
	unsetenv("PIMDIMM_SCHEDULE");
}

/* What does not depend on the order does not; who spins for another gets on. */
static void test_random_waits(void **state)
{
	static const enum act acts[] = { SPIN, ROUNDING, EXIT };
	struct pe_unit u;

	(void)state;
	setenv("PIMDIMM_SCHEDULE", "random:5", 1);
	for (size_t i = 0; i < ARRAY_SIZE(acts); i++) {
		start(&u, 3, acts[i], 8);
		assert_ok(pe_unit_run(&u));
		if (acts[i] == SPIN)
			assert_int_equal(pe_get32(&u, 1, "flag"), 8);
		pe_unit_close(&u);
	}
	unsetenv("PIMDIMM_SCHEDULE");
}

static void test_refused(void **state)
{
	static const char *const wrong[] = {
		"random", "random:", "random:x", "random:-1", "random:1,2",
		"Random:1", "turn", "random:18446744073709551616",
	};
	struct pimdimm *sys;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		setenv("PIMDIMM_SCHEDULE", wrong[i], 1);
		assert_refused(pimdimm_open("mem:ranks=1,mram=64K", &sys),
			       EINVAL, "PIMDIMM_SCHEDULE");
	}
	unsetenv("PIMDIMM_SCHEDULE");
}

/* The clock is the same in every run, on any number of threads, whatever else runs. */
static void test_same_times(void **state)
{
	static const char *const threads[] = { "1", "2", "8" };
	struct pimdimm_times total = { 0 };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(threads); i++) {
		struct pe_unit u;

		setenv("PIMDIMM_THREADS", threads[i / 2], 1);
		pe_unit_open(&u, "mem:ranks=1,mram=64K", "tasklets", 32);
		for (uint32_t pe = 0; pe < 32; pe++)
			pe_set32(&u, pe, "act", TIMED);
		assert_ok(pe_unit_run(&u));
		assert_int_equal(u.run.clock, PIMDIMM_CLOCK_EXACT);
		assert_int_equal(u.run.total.cycles, 32 * u.run.cycles);
		assert_true(u.run.cycles > 50 * 24 * 5 && u.run.total.spin_wait &&
			    u.run.total.stop_wait && u.run.total.dma_wait);
		if (i)
			assert_memory_equal(&total, &u.run.total, sizeof(total));
		total = u.run.total;
		pe_unit_close(&u);
	}
	unsetenv("PIMDIMM_THREADS");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_same_times),
	cmocka_unit_test(test_barrier),
	cmocka_unit_test(test_wakes_in_order),
	cmocka_unit_test(test_spinning),
	cmocka_unit_test(test_rounding),
	cmocka_unit_test(test_deadlock),
	cmocka_unit_test(test_watchdog),
	cmocka_unit_test(test_watchdog_of_all),
	cmocka_unit_test(test_watchdog_of_parts),
	cmocka_unit_test(test_exit),
	cmocka_unit_test(test_first_tick),
	cmocka_unit_test(test_turns),
	cmocka_unit_test(test_random),
	cmocka_unit_test(test_random_alone),
	cmocka_unit_test(test_random_waits),
	cmocka_unit_test(test_refused),
};

UNIT_MAIN(tests)

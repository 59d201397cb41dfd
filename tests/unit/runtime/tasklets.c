// SPDX-License-Identifier: MIT
/*
 * Tasklets of PE kernels share threads: what each has of its own nonetheless, what
 * they may wait for, and what comes at the thread from outside.
 */
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unwind.h>

#include "tests/unit/expect.h"
#include "tests/unit/unit.h"

#define NR_PES	128u

static void threads_kernel(struct pimdimm_pe *pe, void *arg)
{
	atomic_int *ids = arg;
	int id = (int)syscall(SYS_gettid);

	pimdimm_barrier(pe);
	expect_that(id == (int)syscall(SYS_gettid));
	for (unsigned i = 0; i < 64; i++) {
		int none = 0;

		if (atomic_compare_exchange_strong(&ids[i], &none, id) ||
		    none == id)
			return;
	}
}

/* As many threads as the system has, and the caller's is one of them. */
static void test_threads(void **state)
{
	static atomic_int ids[64];
	struct pimdimm *sys;

	(void)state;
	setenv("PIMDIMM_THREADS", "3", 1);
	sys = expect_open();
	unsetenv("PIMDIMM_THREADS");
	for (unsigned i = 0; i < 20; i++)
		assert_ok(pimdimm_launch(sys, 0, NR_PES, 16, threads_kernel,
					 ids));
	assert_int_not_equal(ids[0], 0);
	assert_int_equal(ids[3], 0);
	expect_close(sys);
}

/* with more rounds than modes, so that each meets the others' */
static void state_kernel(struct pimdimm_pe *pe, void *arg)
{
	static const int modes[] = {
		FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO,
	};
	unsigned t = pimdimm_tasklet_id(pe);

	(void)arg;
	expect_that(fegetround() == FE_TONEAREST);
	expect_that(!fetestexcept(FE_DIVBYZERO));
	expect_that(errno == 0);
	fesetround(modes[t % 4]);
	if (t % 3 == 1)
		feraiseexcept(FE_DIVBYZERO);
	errno = (int)t;
	for (unsigned round = 0; round < 5; round++) {
		volatile double one = 1, tiny = 0x1p-60;
		double up = t % 4 == 1 ? 1 + 0x1p-52 : 1;

		pimdimm_barrier(pe);
		expect_that(fegetround() == modes[t % 4]);
		expect_that(one + tiny == up);
		expect_that(!fetestexcept(FE_DIVBYZERO) == (t % 3 != 1));
		expect_that(errno == (int)t);
	}
}

static void test_state(void **state)
{
	struct pimdimm *sys = expect_open();

	(void)state;
	feclearexcept(FE_ALL_EXCEPT);
	for (unsigned tasklets = 2; tasklets <= 24; tasklets += 11)
		assert_ok(pimdimm_launch(sys, 0, NR_PES, tasklets, state_kernel,
					 NULL));
	assert_int_equal(fegetround(), FE_TONEAREST);
	expect_close(sys);
}

/* 6 MiB of the stack's 8, by frames of 4 KiB, and across a barrier */
__attribute__((noinline))
static unsigned deep(struct pimdimm_pe *pe, unsigned depth)
{
	volatile uint8_t frame[4096];
	unsigned sum;

	memset((void *)frame, (int)(depth + pimdimm_tasklet_id(pe)), 4096);
	if (depth)
		sum = deep(pe, depth - 1);
	else
		pimdimm_barrier(pe), sum = 0;
	expect_that(frame[17] == (uint8_t)(depth + pimdimm_tasklet_id(pe)));
	return sum + frame[4095];
}

static void deep_kernel(struct pimdimm_pe *pe, void *arg)
{
	(void)arg;
	deep(pe, pimdimm_tasklet_id(pe) % 2 ? 1500 : 3);
}

static long resident_kib(void)
{
	char line[256];
	FILE *file = fopen("/proc/self/status", "re");
	long kib = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		sscanf(line, "VmRSS: %ld", &kib);
	fclose(file);
	return kib;
}

/* What few PE kernels need of it does not stay in memory. */
static void test_stack(void **state)
{
	static atomic_int ids[64];
	struct pimdimm *sys = expect_open();
	long before, grown;

	(void)state;
	assert_ok(pimdimm_launch(sys, 0, 4, 8, threads_kernel, ids));
	before = resident_kib();
	for (unsigned i = 0; i < 3; i++)
		assert_ok(pimdimm_launch(sys, 0, 4, 8, deep_kernel, NULL));
	grown = resident_kib() - before;
	/* 4 of 6 MiB at once, of each team; sanitizers have memory of their own */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	grown = 0;
#endif
	assert_true(grown < 8 << 10);
	expect_close(sys);
}

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *context,
				       void *arg)
{
	(void)context;
	return ++*(unsigned *)arg < 100 ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

/* A debugger or an exception finds the end of the stack, and not far away. */
static void unwinding_kernel(struct pimdimm_pe *pe, void *arg)
{
	unsigned frames = 0;

	(void)arg;
	pimdimm_barrier(pe);
	expect_that(_Unwind_Backtrace(count_frame, &frames) ==
		    _URC_END_OF_STACK);
	expect_that(frames > 1 && frames < 10);
}

static void test_unwinding(void **state)
{
	struct pimdimm *sys = expect_open();

	(void)state;
	assert_ok(pimdimm_launch(sys, 0, 8, 4, unwinding_kernel, NULL));
	expect_close(sys);
}

/* The first waits for what the last has written into MRAM. */
static void polling_kernel(struct pimdimm_pe *pe, void *arg)
{
	uint64_t *word = pimdimm_wram_alloc(pe, 8);

	(void)arg;
	*word = 1 + pimdimm_pe_id(pe);
	if (pimdimm_tasklet_id(pe) == 3)
		expect_that(!pimdimm_mram_write(pe, 64, word, 8));
	do
		expect_that(!pimdimm_mram_read(pe, 64, word, 8));
	while (*word != 1 + pimdimm_pe_id(pe));
}

static void test_polling(void **state)
{
	struct pimdimm *sys = expect_open();

	(void)state;
	assert_ok(pimdimm_launch(sys, 0, NR_PES, 4, polling_kernel, NULL));
	expect_close(sys);
}

static void inner_kernel(struct pimdimm_pe *pe, void *arg)
{
	atomic_uint *ran = arg;

	pimdimm_barrier(pe);
	(*ran)++;
}

static void outer_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimdimm *sys = arg;
	atomic_uint ran = 0;

	pimdimm_barrier(pe);
	expect_that(!pimdimm_launch(sys, 0, 8, 1 + pimdimm_tasklet_id(pe),
				    inner_kernel, &ran));
	expect_that(ran == 8 * (1 + pimdimm_tasklet_id(pe)));
	pimdimm_barrier(pe);
}

/* A host that takes PE kernels for its own code may launch from one. */
static void test_nested(void **state)
{
	struct pimdimm *sys = expect_open();

	(void)state;
	assert_ok(pimdimm_launch(sys, 0, NR_PES, 4, outer_kernel, sys));
	expect_close(sys);
}

static void blocking_kernel(struct pimdimm_pe *pe, void *arg)
{
	sigset_t set;

	(void)arg;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pimdimm_barrier(pe);
}

static void test_signal_mask(void **state)
{
	struct pimdimm *sys = expect_open();
	sigset_t set;

	(void)state;
	assert_ok(pimdimm_launch(sys, 0, NR_PES, 4, blocking_kernel, NULL));
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	assert_false(sigismember(&set, SIGUSR1));
	expect_close(sys);
}

/* A launch on a thread that is cancelled meanwhile. */
struct victim {
	struct pimdimm *sys;
	unsigned tasklets;
	atomic_bool running, cancelled, launched;
	atomic_uint ran;
};

static void cancelled_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct victim *v = arg;

	v->running = true;
	while (!v->cancelled)
		usleep(100);
	/* a cancellation point, if there were any */
	usleep(1);
	pimdimm_barrier(pe);
	v->ran++;
}

static void *launch_as_victim(void *arg)
{
	struct victim *v = arg;

	expect_that(!pimdimm_launch(v->sys, 0, 16, v->tasklets,
				    cancelled_kernel, v));
	v->launched = true;
	pthread_testcancel();
	return NULL;
}

static void test_cancellation(void **state)
{
	(void)state;
	for (unsigned tasklets = 1; tasklets <= 4; tasklets += 3) {
		struct victim v = { .sys = expect_open(), .tasklets = tasklets };
		pthread_t thread;
		void *result;

		assert_int_equal(pthread_create(&thread, NULL, launch_as_victim,
						&v), 0);
		while (!v.running)
			usleep(100);
		pthread_cancel(thread);
		v.cancelled = true;
		pthread_join(thread, &result);
		assert_ptr_equal(result, PTHREAD_CANCELED);
		assert_true(v.launched);
		assert_int_equal(v.ran, 16 * tasklets);
		/* the workers are free */
		assert_ok(pimdimm_launch(v.sys, 0, 16, tasklets,
					 cancelled_kernel, &v));
		expect_close(v.sys);
	}
}

/* Where there is no room for stacks nothing runs, and nothing stays. */
static void test_no_room(void **state)
{
	struct pimdimm *sys = expect_open();
	struct rlimit old, tight;
	unsigned frames = 0;

	(void)state;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
	tight = old;
	tight.rlim_cur = 1;
	assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
	assert_refused(pimdimm_launch(sys, 0, 8, 16, unwinding_kernel, &frames),
		       ENOMEM, "16 tasklets");
	assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
	assert_ok(pimdimm_launch(sys, 0, 8, 16, unwinding_kernel, &frames));
#else
	(void)old;
	(void)tight;
	(void)frames;
#endif
	expect_close(sys);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_threads),
	cmocka_unit_test(test_state),
	cmocka_unit_test(test_stack),
	cmocka_unit_test(test_unwinding),
	cmocka_unit_test(test_polling),
	cmocka_unit_test(test_nested),
	cmocka_unit_test(test_signal_mask),
	cmocka_unit_test(test_cancellation),
	cmocka_unit_test(test_no_room),
};

UNIT_MAIN(tests)

// SPDX-License-Identifier: MIT
/* Limits of the process: files' sizes, descriptors, stacks. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "runtime/ranks/system.h"
#include "tests/unit/unit.h"

static rlim_t set_limit(int what, rlim_t soft)
{
	struct rlimit limit;
	rlim_t before;

	assert_int_equal(getrlimit(what, &limit), 0);
	before = limit.rlim_cur;
	limit.rlim_cur = soft;
	assert_int_equal(setrlimit(what, &limit), 0);
	return before;
}

static void test_file_size(void **state)
{
	rlim_t before = set_limit(RLIMIT_FSIZE, 32768);
	struct pimdimm *sys;
	sigset_t set;

	(void)state;
	assert_refused(pimdimm_open("mem:ranks=1,mram=64K", &sys), EFBIG,
		       "ftruncate");
	/* no signal waits for the program to unblock it, and none is blocked */
	sigpending(&set);
	assert_false(sigismember(&set, SIGXFSZ));
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	assert_false(sigismember(&set, SIGXFSZ));
	set_limit(RLIMIT_FSIZE, before);
}

/* one that was pending before is the program's */
static void test_file_size_pending(void **state)
{
	rlim_t before = set_limit(RLIMIT_FSIZE, 32768);
	struct pimdimm *sys;
	sigset_t set;
	int got;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	raise(SIGXFSZ);
	assert_refused(pimdimm_open("mem:ranks=1,mram=64K", &sys), EFBIG,
		       "ftruncate");
	sigpending(&set);
	assert_true(sigismember(&set, SIGXFSZ));
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	assert_int_equal(sigwait(&set, &got), 0);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	set_limit(RLIMIT_FSIZE, before);
}

static void test_descriptors(void **state)
{
	struct pimdimm *sys = unit_open("mem:ranks=1,mram=64K");
	rlim_t before;

	(void)state;
	pimdimm_close(sys);
	before = set_limit(RLIMIT_NOFILE, 64);
	assert_refused(pimdimm_open("mem:ranks=128,mram=64K", &sys), EMFILE,
		       "is 64 (ulimit -n)");
	set_limit(RLIMIT_NOFILE, before);
}

#define THREADS 4

static _Atomic unsigned int came;
static _Atomic size_t least_stack;

/* each thread has one item, since none is done before all have come */
static void note_stack(void *ctx, uint64_t first, uint64_t count)
{
	pthread_t *caller = ctx;
	pthread_attr_t attr;
	size_t bytes;

	(void)first;
	(void)count;
	if (!pthread_equal(pthread_self(), *caller) &&
	    !pthread_getattr_np(pthread_self(), &attr)) {
		pthread_attr_getstacksize(&attr, &bytes);
		pthread_attr_destroy(&attr);
		if (bytes < least_stack)
			least_stack = bytes;
	}
	came++;
	for (int i = 0; i < 20000 && came < THREADS; i++)
		usleep(1000);
}

static void add_f16(void *inout, const void *in, size_t count,
		    enum pidcomm_type type, void *ctx)
{
	(void)inout;
	(void)in;
	(void)count;
	(void)type;
	came = THREADS;
	note_stack(ctx, 0, 1);
}

/* what a new thread has for its stack where nothing else is asked for */
static void set_default_stack(size_t bytes)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	assert_int_equal(pthread_attr_setstacksize(&attr, bytes), 0);
	assert_int_equal(pthread_setattr_default_np(&attr), 0);
	pthread_attr_destroy(&attr);
}

static size_t default_stack(void)
{
	pthread_attr_t attr;
	size_t bytes;

	pthread_attr_init(&attr);
	pthread_attr_getstacksize(&attr, &bytes);
	pthread_attr_destroy(&attr);
	return bytes;
}

/* `ulimit -s 64`, whose threads have less than PE kernels keep on their stacks */
static void test_stacks(void **state)
{
	size_t before = default_stack(), enough = (256 << 10) - 8192;
	pthread_t self = pthread_self();
	struct pidcomm_request *request;
	struct pimdimm *sys;
	struct pidcomm *hc;
	pidcomm_op op;

	(void)state;
	set_default_stack(64 << 10);
	setenv("PIMDIMM_THREADS", "4", 1);
	sys = unit_open("mem:ranks=1,mram=64K");
	unsetenv("PIMDIMM_THREADS");
	came = 0;
	least_stack = SIZE_MAX;
	pd_workers_run(sys->workers, THREADS, 1, note_stack, &self);
	assert_int_equal(came, THREADS);
	assert_in_range(least_stack, enough, SIZE_MAX - 1);

	least_stack = SIZE_MAX;
	assert_ok(pidcomm_create(sys, 1, (uint32_t[]){ 64 }, &hc));
	assert_ok(pidcomm_op_create(add_f16, &self, &op));
	assert_ok(pidcomm_iallreduce(hc, "1", 64, 0, 64, PIDCOMM_F16, op,
				     &request));
	assert_ok(pidcomm_wait(&request));
	assert_in_range(least_stack, enough, SIZE_MAX - 1);
	assert_ok(pidcomm_allreduce(hc, "1", 16384, 0, 16384, PIDCOMM_F16,
				    PIDCOMM_SUM));
	pidcomm_destroy(hc);
	pidcomm_op_free(op);
	pimdimm_close(sys);
	set_default_stack(before);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_file_size),
	cmocka_unit_test(test_file_size_pending),
	cmocka_unit_test(test_descriptors),
	cmocka_unit_test(test_stacks),
};

UNIT_MAIN(tests)

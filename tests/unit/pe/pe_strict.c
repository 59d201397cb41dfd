// SPDX-License-Identifier: MIT
/* strict=1 and programs: their ranks are the PEs' until pimdimm_run() returns. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "tests/unit/pe/pe_unit.h"

#define FOR_EVER	5	/* of tests/unit/pe/programs/hostile.c */
#define BYTES		2048

static const char *const uris[] = {
	"mem:ranks=2,mram=64K,layout=linear,strict=1",
	"mem:ranks=2,mram=64K,layout=xeon_sp,strict=1",
};

static sigjmp_buf after_signal;
static void *signal_address;

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	signal_address = info->si_addr;
	siglongjmp(after_signal, number);
}

static int touch(volatile uint8_t *at)
{
	struct sigaction action = {
		.sa_sigaction = on_signal,
		.sa_flags = SA_SIGINFO,
	};
	int number = sigsetjmp(after_signal, 1);

	if (number)
		return number;
	sigaction(SIGSEGV, &action, NULL);
	*at = *at;
	return 0;
}

static void expect_hosts(const struct pe_unit *u)
{
	uint8_t byte;

	for (uint32_t rank = 0; rank < 2; rank++) {
		assert_int_equal(touch(pimdimm_mram(u->sys, rank, NULL)), 0);
		assert_ok(pimdimm_read(u->sys, 64 * rank, 0, &byte, 1));
	}
}

static void test_results(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(uris); i++) {
		uint64_t words[BYTES / 8];
		struct pe_unit u;

		pe_unit_open(&u, uris[i], "hello", PE_UNIT_MAX);
		for (uint32_t pe = 0; pe < PE_UNIT_MAX; pe++) {
			for (size_t w = 0; w < ARRAY_SIZE(words); w++)
				words[w] = pe * 7 + w;
			assert_ok(pimdimm_write(u.sys, pe, 0, words, BYTES));
		}
		assert_ok(pe_unit_run(&u));
		expect_hosts(&u);
		for (uint32_t pe = 0; pe < PE_UNIT_MAX; pe++) {
			assert_ok(pimdimm_read(u.sys, pe, BYTES, words, BYTES));
			for (size_t w = 0; w < ARRAY_SIZE(words); w++)
				assert_int_equal(words[w],
						 3 * (pe * 7 + w) + pe);
		}
		pe_unit_close(&u);
	}
}

struct running {
	struct pe_unit u;
	int ret;
	uint32_t over;	/* not 0: the run is to end */
	atomic_bool ended;
};

static void *run_long(void *arg)
{
	struct running *r = arg;

	r->ret = pe_unit_run(&r->u);
	r->ended = true;
	return NULL;
}

/* PE 70 never ends by itself: until it is told to, rank 1 is not the host's. */
static void look_while_it_runs(struct running *r)
{
	uint8_t *window = pimdimm_mram(r->u.sys, 1, NULL), byte;
	struct pimdimm_program *program;
	uint32_t other = 64;

	while (!touch(window))
		assert_false(r->ended);
	assert_ptr_equal(signal_address, window);
	assert_refused(pimdimm_read(r->u.sys, 127, 0, &byte, 1), EBUSY,
		       "rank 1");
	assert_int_equal(touch(pimdimm_mram(r->u.sys, 0, NULL)), 0);
	assert_ok(pimdimm_read(r->u.sys, 0, 0, &byte, 1));
	/* a program with objects in MRAM */
	program = pe_program("loaded");
	assert_refused(pimdimm_load(r->u.sys, &other, 1, program), EBUSY,
		       "rank 1");
	pimdimm_program_close(program);
	assert_false(r->ended);
}

static void test_during_a_run(void **state)
{
	static struct running r;
	pthread_t thread;

	(void)state;
	pe_unit_open(&r.u, uris[0], "hostile", 1);
	r.u.pes[0] = 70;
	assert_ok(pimdimm_load(r.u.sys, r.u.pes, 1, r.u.program));
	pe_set32(&r.u, 70, "act", FOR_EVER);
	r.u.run.timeout_ms = 60000;
	r.u.run.over = &r.over;
	assert_int_equal(pthread_create(&thread, NULL, run_long, &r), 0);
	look_while_it_runs(&r);
	__atomic_store_n(&r.over, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	assert_int_equal(r.ret, -EFAULT);
	assert_int_equal(r.u.run.first.pe, 70);
	expect_hosts(&r.u);
	pe_unit_close(&r.u);
}

static void test_failing_runs(void **state)
{
	struct pe_unit u;

	(void)state;
	pe_unit_open(&u, uris[1], "hello", 70);
	u.pes[1] = 0;
	assert_refused(pe_unit_run(&u), EINVAL, "twice");
	expect_hosts(&u);
	u.pes[1] = 100;
	assert_refused(pe_unit_run(&u), ENOEXEC, "PE 100");
	expect_hosts(&u);
	u.pes[1] = 128;
	assert_refused(pe_unit_run(&u), EINVAL, "128");
	expect_hosts(&u);
	u.pes[1] = 1;
	assert_ok(pe_unit_run(&u));
	expect_hosts(&u);
	pe_unit_close(&u);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_results),
	cmocka_unit_test(test_during_a_run),
	cmocka_unit_test(test_failing_runs),
};

UNIT_MAIN(tests)

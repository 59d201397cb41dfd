// SPDX-License-Identifier: MIT
/*
 * PIMDIMM_CHECK=host: what the host does to MRAM of a rank while PEs run there is refused,
 * by a sentence that names the call, its PEs and range, and what runs.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/unit/expect.h"
#include "tests/unit/pe/pe_unit.h"

#define FOR_EVER 5	/* of tests/unit/pe/programs/hostile.c */

struct running {
	struct pe_unit u;
	int ret;
	uint32_t over;	/* not 0: the run is to end */
	atomic_bool ended;
};

static void *run_long(void *arg)
{
	struct running *r = arg;

	/* it is too early, too, while a transfer of the test's is under way */
	do
		r->ret = pe_unit_run(&r->u);
	while (r->ret == -EBUSY);
	r->ended = true;
	return NULL;
}

/* PE 70 never ends by itself, but by the watchdog or end(). */
static void begin(struct running *r, const char *check, uint32_t ms, pthread_t *thread)
{
	if (check)
		setenv("PIMDIMM_CHECK", check, 1);
	else
		unsetenv("PIMDIMM_CHECK");
	*r = (struct running){ 0 };
	pe_unit_open(&r->u, "mem:ranks=2,mram=64K", "hostile", 1);
	r->u.pes[0] = 70;
	assert_ok(pimdimm_load(r->u.sys, r->u.pes, 1, r->u.program));
	pe_set32(&r->u, 70, "act", FOR_EVER);
	r->u.run.timeout_ms = ms;
	r->u.run.over = &r->over;
	assert_int_equal(pthread_create(thread, NULL, run_long, r), 0);
}

/* when it has ended, all is the host's */
static void end(struct running *r, pthread_t thread)
{
	uint8_t byte = 1;

	__atomic_store_n(&r->over, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	assert_int_equal(r->ret, -EFAULT);
	assert_ok(pimdimm_write(r->u.sys, 127, 9, &byte, 1));
	assert_ok(pimdimm_read(r->u.sys, 70, 9, &byte, 1));
	pe_unit_close(&r->u);
	unsetenv("PIMDIMM_CHECK");
}

/* Every sentence ends in this. */
#define RUNS ": program hostile.elf runs on PE 70, and hardware's host has no access to MRAM of rank 1 until its PEs are done (PIMDIMM_CHECK=host)"

static void refused(int ret, const char *call)
{
	char want[512];

	snprintf(want, sizeof(want), "%s%s", call, RUNS);
	assert_int_equal(ret, -EBUSY);
	assert_string_equal(pimdimm_errmsg(), want);
}

static void refused_collective(struct pimdimm *sys)
{
	const uint32_t dims[] = { 128 };
	struct pidcomm *cube;

	assert_ok(pidcomm_create(sys, 1, dims, &cube));
	refused(pidcomm_alltoall(cube, "1", 1024, 0, 2048),
		"alltoall of 128 PEs from PE 0 on, MRAM 0x0 to 0x3ff");
	pidcomm_destroy(cube);
}

static void refused_all(struct pimdimm *sys)
{
	static uint8_t bytes[8][64];
	void *pulled[8];
	const void *pushed[8];
	struct pimdimm_program *program;
	uint32_t other = 65;

	for (size_t i = 0; i < ARRAY_SIZE(pulled); i++)
		pushed[i] = pulled[i] = bytes[i];
	refused(pimdimm_read(sys, 127, 16, bytes, 3), "pimdimm_read() of PE 127, MRAM 0x10 to 0x12");
	refused(pimdimm_write(sys, 70, 0, bytes, 1), "pimdimm_write() of PE 70, MRAM 0x0 to 0x0");
	refused(pimdimm_push(sys, 60, 8, 64, pushed, 64),
		"pimdimm_push() of 8 PEs from PE 60 on, MRAM 0x40 to 0x7f");
	refused(pimdimm_pull(sys, 64, 8, 8, pulled, 56),
		"pimdimm_pull() of 8 PEs from PE 64 on, MRAM 0x8 to 0x3f");
	program = pe_program("loaded");	/* which has objects in MRAM */
	refused(pimdimm_load(sys, &other, 1, program), "pimdimm_load() of PE 65, MRAM");
	pimdimm_program_close(program);
	refused_collective(sys);
}

static void test_program(void **state)
{
	static struct running r;
	uint8_t byte = 0, *window;
	pthread_t thread;

	(void)state;
	begin(&r, "races,host", 60000, &thread);
	while (!pimdimm_read(r.u.sys, 64, 0, &byte, 1))
		assert_false(r.ended);
	refused_all(r.u.sys);
	/* the other rank is the host's; mapped MRAM is out of reach */
	assert_ok(pimdimm_write(r.u.sys, 63, 0, &byte, 1));
	window = pimdimm_mram(r.u.sys, 1, NULL);
	((volatile uint8_t *)window)[0] = 1;
	assert_false(r.ended);
	end(&r, thread);
}

/* Who does not ask is not told. */
static void test_unasked(void **state)
{
	static const char *const checks[] = { NULL, "", "races" };
	static struct running r;
	uint8_t byte = 0;
	pthread_t thread;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		begin(&r, checks[i], 300, &thread);
		while (!r.ended) {
			assert_ok(pimdimm_write(r.u.sys, 71, 0, &byte, 1));
			usleep(1000);
		}
		end(&r, thread);
	}
}

static void using_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimdimm *sys = arg;
	uint64_t *wram = pimdimm_wram_alloc(pe, 8);
	uint8_t byte = 0;

	/* its own way to MRAM */
	expect_that(!pimdimm_mram_write(pe, 0, wram, 8));
	expect_that(pimdimm_write(sys, 3, 5, &byte, 1) == -EBUSY);
	expect_that(strstr(pimdimm_errmsg(), "pimdimm_write() of PE 3, MRAM 0x5 to 0x5: a kernel of pimdimm_launch() runs on 2 PEs from PE 1 on, "));
	/* of a PE for each, since both run at once */
	expect_that(!pimdimm_write(sys, 64 + pimdimm_pe_id(pe), 5, &byte, 1));
}

static void test_kernel(void **state)
{
	struct pimdimm *sys;
	uint8_t byte = 0;

	(void)state;
	setenv("PIMDIMM_CHECK", "host", 1);
	sys = expect_open();
	assert_ok(pimdimm_launch(sys, 1, 2, 2, using_kernel, sys));
	assert_ok(pimdimm_write(sys, 3, 5, &byte, 1));
	expect_close(sys);
	unsetenv("PIMDIMM_CHECK");
}

static void test_words(void **state)
{
	static const char *const wrong_words[] = { "hosts", "host,", ",host", "stop", "host,stop",
						   "races,all", "host races", "Host" };
	static const char *const words[] = { "host", "races", "races,stop", "host,races",
					     "stop,races,host" };
	struct pimdimm *sys;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong_words); i++) {
		setenv("PIMDIMM_CHECK", wrong_words[i], 1);
		assert_int_equal(pimdimm_open("mem:ranks=1,mram=64K", &sys), -EINVAL);
		assert_non_null(strstr(pimdimm_errmsg(), wrong_words[i]));
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		setenv("PIMDIMM_CHECK", words[i], 1);
		pimdimm_close(unit_open("mem:ranks=1,mram=64K"));
	}
	unsetenv("PIMDIMM_CHECK");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_unasked),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_words),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

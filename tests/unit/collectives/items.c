// SPDX-License-Identifier: MIT
/* What an item takes together is worth a visit, and leaves no thread without. */
#include "collectives/call/call.h"
#include "tests/unit/unit.h"

/* groups that an item takes of those of one group of all PEs */
static uint32_t together(const char *threads, uint64_t bytes, uint64_t most)
{
	struct pimdimm *sys;
	struct pc_request req;
	struct pidcomm *hc;
	uint32_t groups;

	setenv("PIMDIMM_THREADS", threads, 1);
	assert_ok(pimdimm_open("mem:ranks=1,mram=64K", &sys));
	unsetenv("PIMDIMM_THREADS");
	assert_ok(pidcomm_create(sys, 2, (uint32_t[]){ 8, 8 }, &hc));
	req = (struct pc_request){
		.hc = hc,
		.sys = sys,
		.shape = pc_shape_get(&hc->cube, 3),
		.bytes = bytes,
	};
	groups = pc_egs_together(&(struct pc_call){ .req = &req }, most);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	return groups;
}

static void test_one_thread_takes_all(void **state)
{
	(void)state;
	assert_int_equal(together("1", 32768, 5), 5);
	assert_int_equal(together("1", 32768, 100), 8);
}

static void test_threads_share(void **state)
{
	(void)state;
	/* eight groups are four items for each of two threads, one a group */
	assert_int_equal(together("2", 8192, 8), 1);
	assert_int_equal(together("8", 32768, 8), 1);
}

/* too few bytes to be shared */
static void test_short_calls_are_one(void **state)
{
	(void)state;
	assert_int_equal(together("2", 64, 8), 8);
}

static void test_never_none(void **state)
{
	(void)state;
	assert_int_equal(together("1", 32768, 0), 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_thread_takes_all),
	cmocka_unit_test(test_threads_share),
	cmocka_unit_test(test_short_calls_are_one),
	cmocka_unit_test(test_never_none),
};

UNIT_MAIN(tests)

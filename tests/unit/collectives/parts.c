// SPDX-License-Identifier: MIT
/*
 * Hypercubes on parts of a system: what is refused, where PEs stand, several at once,
 * and a rank that is gone or its PEs' and not among them. Conformance runs called parts
 * look at what the collectives do there.
 */
#include <pthread.h>

#include <pimdimm/types.h>

#include "tests/unit/unit.h"

#define EIGHT	((const uint32_t[]){ 8, 8 })

static void test_refused(void **state)
{
	static const uint32_t twice[] = { 1, 2, 3, 4, 5, 6, 7, 1 };
	static const uint32_t beyond[] = { 1, 2, 3, 4, 5, 6, 7, 16 };
	static const uint32_t large[] = { 8, 32 };
	struct pimdimm *sys = unit_open(unit_uris[0]);
	struct pidcomm *hc = NULL;

	(void)state;
	assert_refused(pidcomm_create_on(NULL, NULL, 0, 8, 2, EIGHT, &hc), EINVAL,
		       "sys");
	assert_refused(pidcomm_create_on(sys, NULL, 0, 8, 2, EIGHT, NULL), EINVAL,
		       "hc");
	assert_refused(pidcomm_create_on(sys, twice, 0, 8, 2, EIGHT, &hc), EINVAL,
		       "egs[7]=1 is there twice");
	assert_refused(pidcomm_create_on(sys, beyond, 0, 8, 2, EIGHT, &hc), EINVAL,
		       "egs[7]=16");
	assert_refused(pidcomm_create_on(sys, beyond, 1, 8, 2, EIGHT, &hc), EINVAL,
		       "first_eg=1");
	assert_refused(pidcomm_create_on(sys, NULL, 9, 8, 2, EIGHT, &hc), EINVAL,
		       "first_eg=9");
	assert_refused(pidcomm_create_on(sys, NULL, UINT32_MAX, 8, 2, EIGHT, &hc),
		       EINVAL, "first_eg=4294967295");
	assert_refused(pidcomm_create_on(sys, NULL, 0, 17, 2, EIGHT, &hc), EINVAL,
		       "nr_egs=17");
	assert_refused(pidcomm_create_on(sys, NULL, 0, UINT32_MAX, 2, EIGHT, &hc),
		       EINVAL, "nr_egs=4294967295");
	assert_refused(pidcomm_create_on(sys, NULL, 0, 9, 2, EIGHT, &hc), EINVAL,
		       "expected all 72");
	assert_refused(pidcomm_create_on(sys, NULL, 0, 8, 2, large, &hc), EINVAL,
		       "dims[1]=32");
	assert_refused(pidcomm_create_on(sys, NULL, 0, 0, 2, EIGHT, &hc), EINVAL,
		       "dims");
	assert_null(hc);
	pimdimm_close(sys);
}

/* By numbers of the system; those that are not in it are refused. */
static void test_group_of(void **state)
{
	static const uint32_t egs[] = { 9, 2, 15, 0 };
	static const uint32_t dims[] = { 8, 4 };
	struct pimdimm *sys = unit_open(unit_uris[0]);
	uint32_t group, rank;
	struct pidcomm *hc;

	(void)state;
	assert_ok(pidcomm_create_on(sys, egs, 0, 4, 2, dims, &hc));
	for (uint32_t pe = 0; pe < 128; pe++) {
		uint32_t i = 0;

		while (i < 4 && egs[i] != pe / 8)
			i++;
		if (i == 4) {
			assert_refused(pidcomm_group_of(hc, "01", pe, &group, &rank),
				       EINVAL, "pe=");
			continue;
		}
		assert_ok(pidcomm_group_of(hc, "01", pe, &group, &rank));
		assert_int_equal(group, pe % 8);
		assert_int_equal(rank, i);
	}
	pidcomm_destroy(hc);
	pimdimm_close(sys);
}

/* Sum over a hypercube of a rank each, at the same time, on what differs. */
static void *sum_often(void *arg)
{
	struct pidcomm *hc = arg;
	int ret = 0;

	for (int i = 0; i < 50 && !ret; i++)
		ret = pidcomm_allreduce(hc, "11", 4096, 0, 4096, PIDCOMM_U64,
					PIDCOMM_SUM);
	return (void *)(intptr_t)ret;
}

static void test_several(void **state)
{
	(void)state;
	for (size_t u = 0; u < ARRAY_SIZE(unit_uris); u++) {
		struct pimdimm *sys = unit_open(unit_uris[u]);
		struct pidcomm *hcs[4];
		pthread_t threads[4];
		uint64_t x;

		for (uint64_t pe = 0; pe < 128; pe++)
			assert_ok(pimdimm_write(sys, (uint32_t)pe, 8, &pe, 8));
		for (uint32_t i = 0; i < 4; i++) {
			/* of both ranks: halves of each, which share lines */
			const uint32_t egs[] = { i, i + 4, i + 8, i + 12 };

			assert_ok(pidcomm_create_on(sys, egs, 0, 4, 2,
						    (const uint32_t[]){ 8, 4 },
						    &hcs[i]));
			assert_int_equal(pthread_create(&threads[i], NULL, sum_often,
							hcs[i]), 0);
		}
		for (uint32_t i = 0; i < 4; i++) {
			void *ret;

			pthread_join(threads[i], &ret);
			assert_null(ret);
			pidcomm_destroy(hcs[i]);
		}
		for (uint32_t pe = 0; pe < 128; pe++) {
			/* of eg: 8 * 8 * eg + 28, over i, i + 4, i + 8, i + 12 */
			uint64_t i = pe / 8 % 4;

			assert_ok(pimdimm_read(sys, pe, 4096 + 8, &x, 8));
			assert_int_equal(x, 64 * (4 * i + 24) + 4 * 28);
		}
		pimdimm_close(sys);
	}
}

static int sum(struct pidcomm *hc)
{
	return pidcomm_allreduce(hc, "11", 64, 0, 64, PIDCOMM_I32, PIDCOMM_SUM);
}

/* Of three ranks the middle one is gone; the others go on. */
static void test_faulty_rank(void **state)
{
	uint32_t egs[16];
	struct pimdimm *sys = unit_open("mem:ranks=3,mram=64K,inject=gone:1@1");
	struct pidcomm *hc, *all;

	(void)state;
	for (uint32_t i = 0; i < 16; i++)
		egs[i] = i < 8 ? i : i + 8;
	assert_ok(pidcomm_create(sys, 2, (const uint32_t[]){ 8, 24 }, &all));
	assert_refused(sum(all), ENODEV, "rank 1");
	assert_ok(pidcomm_create_on(sys, egs, 0, 16, 2, (const uint32_t[]){ 8, 16 },
				    &hc));
	assert_ok(sum(hc));
	assert_ok(pidcomm_set_algorithm(hc, "alltoall", "pr"));
	assert_ok(pidcomm_alltoall(hc, "11", 1024, 0, 8192));
	pidcomm_destroy(hc);
	pidcomm_destroy(all);
	pimdimm_close(sys);
}

static void in_kernel(struct pimdimm_pe *pe, void *arg)
{
	(void)pe;
	(void)arg;
}

struct launching {
	struct pimdimm *sys;
	struct pidcomm *without, *with;
	int ret[2];
	pthread_barrier_t begun, ended;
};

static void wait_in_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct launching *l = arg;

	(void)pe;
	pthread_barrier_wait(&l->begun);
	pthread_barrier_wait(&l->ended);
}

static void *launch_middle(void *arg)
{
	struct launching *l = arg;

	return (void *)(intptr_t)pimdimm_launch(l->sys, 64, 1, 1, wait_in_kernel, l);
}

/* With strict=1 a launch on a rank between is nothing to it, and PEs may help. */
static void test_strict(void **state)
{
	uint32_t egs[16];
	struct launching l = { .sys = unit_open("mem:ranks=3,mram=64K,strict=1") };
	pthread_t thread;
	void *ret;

	(void)state;
	for (uint32_t i = 0; i < 16; i++)
		egs[i] = i < 8 ? i : i + 8;
	assert_ok(pidcomm_create_on(l.sys, egs, 0, 16, 2, (const uint32_t[]){ 8, 16 },
				    &l.without));
	assert_ok(pidcomm_create_on(l.sys, NULL, 7, 2, 2, (const uint32_t[]){ 8, 2 },
				    &l.with));
	pthread_barrier_init(&l.begun, NULL, 2);
	pthread_barrier_init(&l.ended, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, launch_middle, &l), 0);
	pthread_barrier_wait(&l.begun);
	l.ret[0] = sum(l.without);
	if (!l.ret[0])
		l.ret[0] = pidcomm_set_algorithm(l.without, "alltoall", "pr");
	if (!l.ret[0])
		l.ret[0] = pidcomm_alltoall(l.without, "11", 1024, 0, 8192);
	l.ret[1] = sum(l.with);
	pthread_barrier_wait(&l.ended);
	pthread_join(thread, &ret);
	assert_null(ret);
	assert_int_equal(l.ret[0], 0);
	assert_int_equal(l.ret[1], -EBUSY);
	assert_ok(sum(l.with));
	assert_ok(pimdimm_launch(l.sys, 0, 192, 1, in_kernel, NULL));
	pidcomm_destroy(l.with);
	pidcomm_destroy(l.without);
	pimdimm_close(l.sys);
	pthread_barrier_destroy(&l.begun);
	pthread_barrier_destroy(&l.ended);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_group_of),
	cmocka_unit_test(test_several),
	cmocka_unit_test(test_faulty_rank),
	cmocka_unit_test(test_strict),
};

UNIT_MAIN(tests)

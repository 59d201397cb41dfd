// SPDX-License-Identifier: MIT
/* User-defined operations: their life, and what they are called with. */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/unit/unit.h"

#define BYTES	256

static atomic_uint calls, elements, wrong;

static void add(void *inout, const void *in, size_t count,
		enum pidcomm_type type, void *ctx)
{
	uint32_t *x = inout;
	const uint32_t *y = in;

	if (type != PIDCOMM_U32 || ctx != &calls)
		wrong++;
	calls++;
	elements += count;
	for (size_t i = 0; i < count; i++)
		x[i] += y[i];
}

struct rig {
	struct pimdimm *sys;
	struct pidcomm *hc;
};

static struct rig rig_make(void)
{
	static const uint32_t dims[] = { 4, 4 };
	struct rig rig;

	rig.sys = unit_open("mem:ranks=1,mram=64K");
	assert_ok(pidcomm_create(rig.sys, 2, dims, &rig.hc));
	for (uint32_t pe = 0; pe < 16; pe++) {
		uint32_t data[BYTES / 4];

		for (uint32_t i = 0; i < BYTES / 4; i++)
			data[i] = pe * 1000 + i;
		assert_ok(pimdimm_write(rig.sys, pe, 0, data, BYTES));
	}
	return rig;
}

static void rig_end(struct rig *rig)
{
	pidcomm_destroy(rig->hc);
	pimdimm_close(rig->sys);
}

static void test_use(void **state)
{
	static const char *const algorithms[] = { "direct", "conventional" };
	struct rig rig = rig_make();
	uint32_t got[BYTES / 4];
	pidcomm_op op;

	(void)state;
	assert_ok(pidcomm_op_create(add, &calls, &op));
	for (size_t a = 0; a < 2; a++) {
		calls = elements = 0;
		assert_ok(pidcomm_set_algorithm(rig.hc, NULL, algorithms[a]));
		assert_ok(pidcomm_allreduce(rig.hc, "10", BYTES, 0, 4096,
					    PIDCOMM_U32, op));
		/* 4 groups of 4 members: three operations an element */
		assert_int_equal(elements, 4 * 3 * BYTES / 4);
		assert_in_range(calls, 1, 4 * 3 * BYTES / 4);
		assert_ok(pimdimm_read(rig.sys, 5, 4096, got, BYTES));
		for (uint32_t i = 0; i < BYTES / 4; i++)
			assert_int_equal(got[i], 22000 + 4 * i);
		assert_int_equal(wrong, 0);
	}
	pidcomm_op_free(op);
	rig_end(&rig);
}

/* The tree takes any operation; the ring says at once, of all kinds of calls, that
 * it takes none of a user's, and the next call may go another way. */
static void test_topologies(void **state)
{
	struct rig rig = rig_make();
	struct pidcomm_request *request = NULL;
	struct pidcomm_plan *plan = NULL;
	uint32_t got;
	pidcomm_op op;

	(void)state;
	assert_ok(pidcomm_op_create(add, &calls, &op));
	assert_ok(pidcomm_set_algorithm(rig.hc, "allreduce", "ring"));
	assert_refused(pidcomm_allreduce(rig.hc, "10", 8, 0, 4096, PIDCOMM_U32,
					 op), EOPNOTSUPP, "algorithm=ring");
	assert_refused(pidcomm_allreduce(rig.hc, "10", 0, 0, 4096, PIDCOMM_U32,
					 op), EOPNOTSUPP, "algorithm=ring");
	assert_refused(pidcomm_plan_allreduce(rig.hc, "10", 8, 0, 4096,
					      PIDCOMM_U32, op, &plan),
		       EOPNOTSUPP, "algorithm=ring");
	assert_null(plan);
	assert_refused(pidcomm_iallreduce(rig.hc, "10", 8, 0, 4096, PIDCOMM_U32,
					  op, &request),
		       EOPNOTSUPP, "algorithm=ring");
	assert_null(request);
	assert_refused(pidcomm_allreduce(rig.hc, "10", 7, 0, 4096, PIDCOMM_U32,
					 op), EINVAL, "bytes");
	assert_ok(pidcomm_reduce_scatter(rig.hc, "10", 32, 0, 4096, PIDCOMM_U32,
					 op));
	assert_ok(pidcomm_set_algorithm(rig.hc, "allreduce", "tree"));
	assert_ok(pidcomm_allreduce(rig.hc, "11", 8, 0, 4096, PIDCOMM_U32, op));
	assert_ok(pimdimm_read(rig.sys, 15, 4096, &got, 4));
	assert_int_equal(got, 1000 * 15 * 16 / 2);
	pidcomm_op_free(op);
	rig_end(&rig);
}

static void test_use_after_free(void **state)
{
	struct rig rig = rig_make();
	pidcomm_op op, other;

	(void)state;
	assert_ok(pidcomm_op_create(add, &calls, &op));
	pidcomm_op_free(op);
	calls = 0;
	assert_refused(pidcomm_allreduce(rig.hc, "10", 8, 0, 8, PIDCOMM_U32, op),
		       EINVAL, "op");
	assert_ok(pidcomm_op_create(add, &calls, &other));
	pidcomm_op_free(op);		/* twice is once too often, and harmless */
	assert_ok(pidcomm_allreduce(rig.hc, "10", 8, 0, 8, PIDCOMM_U32, other));
	pidcomm_op_free(other);
	rig_end(&rig);
}

static void test_builtin_not_freed(void **state)
{
	struct rig rig = rig_make();

	(void)state;
	pidcomm_op_free(NULL);
	pidcomm_op_free(PIDCOMM_SUM);
	pidcomm_op_free((pidcomm_op)(uintptr_t)11);
	assert_ok(pidcomm_allreduce(rig.hc, "10", 8, 0, 8, PIDCOMM_U32,
				    PIDCOMM_SUM));
	rig_end(&rig);
}

static void test_many(void **state)
{
	pidcomm_op ops[1000];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		assert_ok(pidcomm_op_create(add, &calls, &ops[i]));
		for (size_t j = 0; j < i; j++)
			assert_ptr_not_equal(ops[i], ops[j]);
		assert_true((uintptr_t)ops[i] > 10);
	}
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		pidcomm_op_free(ops[i]);
}

static void test_refusals(void **state)
{
	pidcomm_op op;

	(void)state;
	assert_refused(pidcomm_op_create(NULL, NULL, &op), EINVAL, "fn");
	assert_refused(pidcomm_op_create(add, NULL, NULL), EINVAL, "op");
}

/* A collective on a thread that is cancelled while the operation runs. */
struct victim {
	struct rig rig;
	pidcomm_op op;
	atomic_bool running, cancelled;
	int ret;
};

static void wait_and_add(void *inout, const void *in, size_t count,
			 enum pidcomm_type type, void *ctx)
{
	struct victim *v = ctx;

	v->running = true;
	while (!v->cancelled)
		usleep(100);
	/* a cancellation point, if there were any */
	usleep(1);
	add(inout, in, count, type, &calls);
}

static void *call_as_victim(void *arg)
{
	struct victim *v = arg;

	v->ret = pidcomm_allreduce(v->rig.hc, "11", BYTES, 0, BYTES,
				   PIDCOMM_U32, v->op);
	pthread_testcancel();
	return NULL;
}

static void test_cancellation(void **state)
{
	struct victim v = { .ret = -1 };
	pthread_t thread;
	void *result;

	(void)state;
	v.rig = rig_make();
	assert_ok(pidcomm_op_create(wait_and_add, &v, &v.op));
	assert_int_equal(pthread_create(&thread, NULL, call_as_victim, &v), 0);
	while (!v.running)
		usleep(100);
	pthread_cancel(thread);
	v.cancelled = true;
	pthread_join(thread, &result);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_ok(v.ret);
	/* nothing is held, and nobody is missing */
	assert_ok(pidcomm_allreduce(v.rig.hc, "11", BYTES, 0, BYTES,
				    PIDCOMM_U32, v.op));
	pidcomm_op_free(v.op);
	rig_end(&v.rig);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_use),
	cmocka_unit_test(test_topologies),
	cmocka_unit_test(test_use_after_free),
	cmocka_unit_test(test_builtin_not_freed),
	cmocka_unit_test(test_many),
	cmocka_unit_test(test_refusals),
	cmocka_unit_test(test_cancellation),
};

UNIT_MAIN(tests)

// SPDX-License-Identifier: MIT
/*
 * A call of a collective allocates nothing: whatever the collective, the threads,
 * the layout, axes and sizes, as a call or as the run of a plan. Algorithms that
 * stage keep what their first call took.
 */
#include "tests/conformance/call.h"
#include "tests/conformance/userop.h"
#include "tests/unit/allocations.h"
#include "tests/unit/unit.h"

#define PES	256u
#define MOST	8192u	/* bytes of a PE */

struct rig {
	struct pimdimm *sys;
	struct pidcomm *hc;
	void *bufs[PES];
	uint8_t *memory;
};

static const struct {
	enum pidcomm_type type;
	pidcomm_op op;		/* NULL: a user-defined one */
} reductions[] = {
	{ PIDCOMM_I32, PIDCOMM_SUM }, { PIDCOMM_U8, PIDCOMM_MIN },
	{ PIDCOMM_F16, PIDCOMM_SUM }, { PIDCOMM_F64, PIDCOMM_PROD },
	{ PIDCOMM_U64, NULL },
};

static void rig_make(struct rig *rig, const char *layout, const char *threads)
{
	static const uint32_t dims[] = { 4, 4, 16 };
	char uri[64];

	setenv("PIMDIMM_THREADS", threads, 1);
	snprintf(uri, sizeof(uri), "mem:channels=2,ranks=2,mram=64K,layout=%s",
		 layout);
	rig->sys = unit_open(uri);
	assert_ok(pidcomm_create(rig->sys, 3, dims, &rig->hc));
	/* a group's buffer is at most what all PEs have */
	rig->memory = need(calloc(PES, MOST));
}

static void rig_end(struct rig *rig)
{
	pidcomm_destroy(rig->hc);
	pimdimm_close(rig->sys);
	free(rig->memory);
}

/* each group's buffer, for any of the rooted collectives */
static void set_bufs(struct rig *rig, const struct call *call)
{
	uint32_t groups, members;
	uint64_t each = call->bytes;

	assert_ok(pidcomm_group_count(rig->hc, call->axes, &groups, &members));
	if (call->collective == SCATTER || call->collective == GATHER)
		each *= members;
	for (uint32_t g = 0; g < groups; g++)
		rig->bufs[g] = rig->memory + g * each;
}

static int plan_of(struct rig *rig, const struct call *c,
		   struct pidcomm_plan **plan)
{
	const void *const *in = (const void *const *)rig->bufs;

	switch (c->collective) {
	case ALLTOALL:
		return pidcomm_plan_alltoall(rig->hc, c->axes, c->bytes, c->src,
					     c->dst, plan);
	case REDUCE_SCATTER:
		return pidcomm_plan_reduce_scatter(rig->hc, c->axes, c->bytes,
						   c->src, c->dst, c->type,
						   c->op, plan);
	case ALLREDUCE:
		return pidcomm_plan_allreduce(rig->hc, c->axes, c->bytes,
					      c->src, c->dst, c->type, c->op,
					      plan);
	case ALLGATHER:
		return pidcomm_plan_allgather(rig->hc, c->axes, c->bytes,
					      c->src, c->dst, plan);
	case SCATTER:
		return pidcomm_plan_scatter(rig->hc, c->axes, c->bytes, in,
					    c->dst, plan);
	case GATHER:
		return pidcomm_plan_gather(rig->hc, c->axes, c->bytes, c->src,
					   rig->bufs, plan);
	case REDUCE:
		return pidcomm_plan_reduce(rig->hc, c->axes, c->bytes, c->src,
					   rig->bufs, c->type, c->op, plan);
	default:
		return pidcomm_plan_broadcast(rig->hc, c->axes, c->bytes, in,
					      c->dst, plan);
	}
}

static void check_none(const struct call *call, const char *what,
		       unsigned long requests)
{
	if (requests)
		fail_msg("%s %s axes=%s bytes=%llu, %s: %lu requests",
			 call->algorithm, collectives[call->collective].name,
			 call->axes, (unsigned long long)call->bytes, what,
			 requests);
}

/* stages: the first call may take memory, the others none */
static void check_call(struct rig *rig, const struct call *call, bool stages)
{
	struct pidcomm_plan *plan;
	int err;

	set_bufs(rig, call);
	if (stages)
		assert_ok(call_start(rig->hc, call->axes, call, rig->bufs));
	for (int i = 0; i < 2; i++) {
		allocations_start();
		err = call_start(rig->hc, call->axes, call, rig->bufs);
		check_none(call, "a call", allocations_stop());
		assert_ok(err);
	}
	assert_ok(plan_of(rig, call, &plan));
	for (int i = 0; i < 2; i++) {
		allocations_start();
		err = pidcomm_plan_run(plan);
		check_none(call, "a plan's run", allocations_stop());
		assert_ok(err);
	}
	pidcomm_plan_free(plan);
}

static void check_collective(struct rig *rig, struct call call, bool stages)
{
	static const char *const axes[] = { "111", "100", "011", "001" };
	static const uint64_t bytes[] = { 2048, MOST };

	for (size_t a = 0; a < ARRAY_SIZE(axes); a++) {
		strcpy(call.axes, axes[a]);
		for (size_t b = 0; b < ARRAY_SIZE(bytes); b++) {
			call.bytes = bytes[b];
			check_call(rig, &call, stages);
		}
	}
}

static void check_algorithm(struct rig *rig, const char *name, bool stages)
{
	struct call call = { .algorithm = name, .dst = 16384 };

	assert_ok(pidcomm_set_algorithm(rig->hc, NULL, name));
	for (call.collective = 0; call.collective < NR_COLLECTIVES;
	     call.collective++) {
		bool reduces = collectives[call.collective].reduces;

		for (size_t r = 0; r < (reduces ? ARRAY_SIZE(reductions) : 1);
		     r++) {
			call.type = reductions[r].type;
			call.op = reductions[r].op;
			if (!call.op)
				call.op = userops[0].handle;
			check_collective(rig, call, stages);
		}
	}
}

static void check_all(const char *name, bool stages)
{
	static const char *const threads[] = { "1", "2", "3", "5" };
	static const char *const layouts[] = { "linear", "xeon_sp" };

	userops_create();
	for (size_t t = 0; t < ARRAY_SIZE(threads); t++) {
		for (size_t l = 0; l < ARRAY_SIZE(layouts); l++) {
			struct rig rig;

			rig_make(&rig, layouts[l], threads[t]);
			check_algorithm(&rig, name, stages);
			rig_end(&rig);
		}
	}
	userops_free();
}

static void test_auto(void **state)
{
	(void)state;
	check_all("auto", false);
}

static void test_direct(void **state)
{
	(void)state;
	check_all("direct", false);
}

static void test_conventional(void **state)
{
	(void)state;
	check_all("conventional", true);
}

/* A call that is refused, and its sentence, take nothing either. */
static void test_refusal(void **state)
{
	struct rig rig;
	int err;

	(void)state;
	rig_make(&rig, "linear", "2");
	allocations_start();
	err = pidcomm_alltoall(rig.hc, "111", 8, 0, 0);
	assert_int_equal(allocations_stop(), 0);
	assert_refused(err, EINVAL, "bytes");
	rig_end(&rig);
}

/* What counts does see the library's requests, and its threads'. */
static void test_counter(void **state)
{
	struct rig rig;
	struct pidcomm_plan *plan;

	(void)state;
	allocations_start();
	rig_make(&rig, "linear", "3");
	assert_true(allocations_stop() > 10);
	allocations_start();
	assert_ok(pidcomm_plan_alltoall(rig.hc, "111", 2048, 0, 8192, &plan));
	assert_true(allocations_stop() > 0);
	pidcomm_plan_free(plan);
	assert_ok(pidcomm_set_algorithm(rig.hc, NULL, "conventional"));
	allocations_start();
	assert_ok(pidcomm_alltoall(rig.hc, "111", 2048, 0, 8192));
	assert_int_equal(allocations_stop(), 1);
	rig_end(&rig);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_counter),
	cmocka_unit_test(test_auto),
	cmocka_unit_test(test_direct),
	cmocka_unit_test(test_conventional),
	cmocka_unit_test(test_refusal),
};

int main(void)
{
	unit_start();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	printf("1..0 # SKIP sanitizers allocate for themselves, when threads begin\n");
	return 0;
#endif
	return cmocka_run_group_tests(tests, NULL, NULL);
}

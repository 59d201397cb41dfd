// SPDX-License-Identifier: MIT
/* Plans and requests: results of the blocking calls, order, refusals, ends. */
#include <sys/mman.h>

#include "tests/unit/unit.h"

#define PES	64
#define BYTES	4096
#define WORDS	(BYTES / 8)

struct rig {
	struct pimdimm *sys;
	struct pidcomm *hc;
};

static struct rig rig_make(void)
{
	static const uint32_t dims[] = { 8, 8 };
	struct rig rig;

	rig.sys = unit_open("mem:ranks=1,mram=64K");
	assert_ok(pidcomm_create(rig.sys, 2, dims, &rig.hc));
	return rig;
}

static void rig_end(struct rig *rig)
{
	pidcomm_destroy(rig->hc);
	pimdimm_close(rig->sys);
}

static uint64_t value(uint32_t pe, uint32_t word)
{
	return pe * 1000003ull + word;
}

static void fill(struct rig *rig, uint64_t off)
{
	for (uint32_t pe = 0; pe < PES; pe++) {
		uint64_t data[WORDS];

		for (uint32_t i = 0; i < WORDS; i++)
			data[i] = value(pe, i);
		assert_ok(pimdimm_write(rig->sys, pe, off, data, BYTES));
	}
}

/* what an alltoall along x puts at off */
static void check_alltoall(struct rig *rig, uint64_t off)
{
	for (uint32_t pe = 0; pe < PES; pe++) {
		uint64_t data[WORDS];

		assert_ok(pimdimm_read(rig->sys, pe, off, data, BYTES));
		for (uint32_t i = 0; i < WORDS; i++) {
			uint32_t from = pe / 8 * 8 + i / (WORDS / 8);
			uint32_t at = pe % 8 * (WORDS / 8) + i % (WORDS / 8);

			assert_int_equal(data[i], value(from, at));
		}
	}
}

/* what an allreduce along x of a filled range puts at off */
static void check_sum(struct rig *rig, uint64_t off)
{
	for (uint32_t pe = 0; pe < PES; pe++) {
		uint64_t data[WORDS];

		assert_ok(pimdimm_read(rig->sys, pe, off, data, BYTES));
		for (uint32_t i = 0; i < WORDS; i++) {
			uint64_t sum = 0;

			for (uint32_t x = 0; x < 8; x++)
				sum += value(pe / 8 * 8 + x, i);
			assert_int_equal(data[i], sum);
		}
	}
}

static void test_plan_runs_often(void **state)
{
	struct rig rig = rig_make();
	struct pidcomm_stats stats;
	struct pidcomm_plan *plan;
	char axes[] = "10";

	(void)state;
	assert_ok(pidcomm_plan_alltoall(rig.hc, axes, BYTES, 0, BYTES, &plan));
	/* what it was made of may change */
	axes[0] = 'x';
	assert_ok(pidcomm_set_algorithm(rig.hc, NULL, "conventional"));
	for (int round = 0; round < 3; round++) {
		fill(&rig, 0);
		assert_ok(pidcomm_plan_run(plan));
		check_alltoall(&rig, BYTES);
	}
	assert_ok(pidcomm_stats(rig.hc, &stats));
	assert_int_equal(stats.domain_transfers, 0);
	pidcomm_plan_free(plan);
	rig_end(&rig);
}

static void test_plan_copies_buffers(void **state)
{
	struct rig rig = rig_make();
	uint64_t host[8][WORDS], got[WORDS];
	struct pidcomm_plan *plan;
	const void *bufs[8];

	(void)state;
	for (uint32_t g = 0; g < 8; g++) {
		bufs[g] = host[g];
		for (uint32_t i = 0; i < WORDS; i++)
			host[g][i] = value(g, i);
	}
	assert_ok(pidcomm_plan_broadcast(rig.hc, "10", BYTES, bufs, 0, &plan));
	memset(bufs, 0, sizeof(bufs));
	assert_ok(pidcomm_plan_run(plan));
	for (uint32_t pe = 0; pe < PES; pe++) {
		assert_ok(pimdimm_read(rig.sys, pe, 0, got, BYTES));
		assert_memory_equal(got, host[pe / 8], BYTES);
	}
	pidcomm_plan_free(plan);
	rig_end(&rig);
}

/* Nothing is moved, and so no buffer is needed: the array may be anything. */
static void test_zero_bytes_need_no_buffers(void **state)
{
	void *unreadable = mmap(NULL, 4096, PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const void *const *nowhere = unreadable;
	struct pidcomm_request *request;
	struct rig rig = rig_make();
	struct pidcomm_plan *plan;

	(void)state;
	assert_ptr_not_equal(unreadable, MAP_FAILED);
	assert_ok(pidcomm_plan_scatter(rig.hc, "10", 0, nowhere, 0, &plan));
	assert_ok(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	assert_ok(pidcomm_plan_gather(rig.hc, "10", 0, 0, unreadable, &plan));
	assert_ok(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	assert_ok(pidcomm_igather(rig.hc, "10", 0, 0, unreadable, &request));
	assert_ok(pidcomm_wait(&request));
	assert_ok(pidcomm_iscatter(rig.hc, "10", 0, nowhere, 0, &request));
	assert_ok(pidcomm_wait(&request));
	munmap(unreadable, 4096);
	rig_end(&rig);
}

static void test_requests_on_disjoint_ranges(void **state)
{
	struct pidcomm_request *requests[4] = { NULL };
	struct rig rig = rig_make();

	(void)state;
	for (int round = 0; round < 20; round++) {
		fill(&rig, 0);
		assert_ok(pidcomm_ialltoall(rig.hc, "10", BYTES, 0, BYTES,
					    &requests[0]));
		/* both only read the first range */
		assert_ok(pidcomm_iallreduce(rig.hc, "10", BYTES, 0, 2 * BYTES,
					     PIDCOMM_U64, PIDCOMM_SUM,
					     &requests[1]));
		assert_ok(pidcomm_iallgather(rig.hc, "10", BYTES, 3 * BYTES,
					     4 * BYTES, &requests[3]));
		assert_ok(pidcomm_waitall(4, requests));
		for (int i = 0; i < 4; i++)
			assert_null(requests[i]);
		check_alltoall(&rig, BYTES);
		check_sum(&rig, 2 * BYTES);
	}
	rig_end(&rig);
}

static void test_overlap_is_refused(void **state)
{
	struct pidcomm_request *request, *other = NULL;
	struct rig rig = rig_make();
	struct pidcomm_plan *plan;
	const char *text;

	(void)state;
	fill(&rig, 0);
	assert_ok(pidcomm_ialltoall(rig.hc, "10", BYTES, 0, BYTES, &request));
	/* it holds until the end has been told, however long it takes */
	assert_refused(pidcomm_ialltoall(rig.hc, "10", BYTES, BYTES + 64,
					   3 * BYTES, &other), EBUSY, "outstanding");
	text = pimdimm_errmsg();
	assert_non_null(strstr(text, "4160"));
	assert_non_null(strstr(text, "outstanding"));
	assert_null(other);
	assert_refused(pidcomm_allreduce(rig.hc, "01", 64, 3 * BYTES,
					   BYTES - 8, PIDCOMM_U8, PIDCOMM_MAX), EBUSY, "outstanding");
	assert_ok(pidcomm_plan_alltoall(rig.hc, "10", BYTES, 2 * BYTES, 0,
					&plan));
	assert_refused(pidcomm_plan_run(plan), EBUSY, "outstanding");
	assert_refused(pidcomm_plan_start(plan, &other), EBUSY, "outstanding");
	/* reading what is read is no harm */
	assert_ok(pidcomm_allreduce(rig.hc, "10", BYTES, 0, 2 * BYTES,
				    PIDCOMM_U64, PIDCOMM_SUM));
	assert_ok(pidcomm_wait(&request));
	check_alltoall(&rig, BYTES);
	check_sum(&rig, 2 * BYTES);
	assert_ok(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	rig_end(&rig);
}

static void test_started_plan(void **state)
{
	struct pidcomm_request *request, *second;
	struct rig rig = rig_make();
	struct pidcomm_plan *plan;
	int done = 0;

	(void)state;
	assert_ok(pidcomm_plan_alltoall(rig.hc, "10", BYTES, 0, BYTES, &plan));
	for (int round = 0; round < 10; round++) {
		fill(&rig, 0);
		assert_ok(pidcomm_plan_start(plan, &request));
		assert_refused(pidcomm_plan_start(plan, &second), EBUSY, "outstanding");
		do {
			assert_ok(pidcomm_test(&request, &done));
		} while (!done);
		assert_null(request);
		assert_ok(pidcomm_test(&request, &done));
		assert_int_equal(done, 1);
		check_alltoall(&rig, BYTES);
	}
	/* freeing it waits for what it has started */
	assert_ok(pidcomm_plan_start(plan, &request));
	pidcomm_plan_free(plan);
	check_alltoall(&rig, BYTES);
	rig_end(&rig);
}

static void test_destroy_waits(void **state)
{
	struct pidcomm_request *request;
	struct rig rig = rig_make();

	(void)state;
	fill(&rig, 0);
	assert_ok(pidcomm_ialltoall(rig.hc, "10", BYTES, 0, BYTES, &request));
	pidcomm_destroy(rig.hc);
	check_alltoall(&rig, BYTES);
	pimdimm_close(rig.sys);
}

static void test_bad_arguments(void **state)
{
	struct pidcomm_request *request = NULL;
	struct pidcomm_plan *plan = NULL;
	struct rig rig = rig_make();
	int done;

	(void)state;
	assert_int_equal(pidcomm_plan_alltoall(rig.hc, "10", 72, 0, 0, &plan),
			 -EINVAL);
	assert_non_null(strstr(pimdimm_errmsg(), "bytes=72"));
	assert_int_equal(pidcomm_plan_alltoall(rig.hc, "10", 64, 0, 0, NULL),
			 -EINVAL);
	assert_int_equal(pidcomm_ialltoall(rig.hc, "1", 64, 0, 0, &request),
			 -EINVAL);
	assert_int_equal(pidcomm_ialltoall(rig.hc, "10", 64, 0, 0, NULL),
			 -EINVAL);
	assert_int_equal(pidcomm_plan_run(NULL), -EINVAL);
	assert_int_equal(pidcomm_plan_start(NULL, &request), -EINVAL);
	assert_int_equal(pidcomm_wait(NULL), -EINVAL);
	assert_int_equal(pidcomm_test(&request, NULL), -EINVAL);
	assert_int_equal(pidcomm_waitall(1, NULL), -EINVAL);
	assert_ok(pidcomm_waitall(0, NULL));
	assert_ok(pidcomm_wait(&request));
	assert_ok(pidcomm_test(&request, &done));
	assert_int_equal(done, 1);
	assert_null(plan);
	pidcomm_plan_free(NULL);
	rig_end(&rig);
}

static void first_of_two(void *inout, const void *in, size_t count,
			 enum pidcomm_type type, void *ctx)
{
	(void)inout, (void)in, (void)count, (void)type, (void)ctx;
}

static void test_freed_operation(void **state)
{
	struct pidcomm_request *request;
	struct rig rig = rig_make();
	struct pidcomm_plan *plan;
	pidcomm_op op;

	(void)state;
	assert_ok(pidcomm_op_create(first_of_two, NULL, &op));
	assert_ok(pidcomm_plan_allreduce(rig.hc, "10", 64, 0, 64, PIDCOMM_U8,
					 op, &plan));
	assert_ok(pidcomm_plan_run(plan));
	pidcomm_op_free(op);
	assert_int_equal(pidcomm_plan_run(plan), -EINVAL);
	assert_int_equal(pidcomm_plan_start(plan, &request), -EINVAL);
	pidcomm_plan_free(plan);
	rig_end(&rig);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_plan_runs_often),
	cmocka_unit_test(test_plan_copies_buffers),
	cmocka_unit_test(test_zero_bytes_need_no_buffers),
	cmocka_unit_test(test_requests_on_disjoint_ranges),
	cmocka_unit_test(test_overlap_is_refused),
	cmocka_unit_test(test_started_plan),
	cmocka_unit_test(test_destroy_waits),
	cmocka_unit_test(test_bad_arguments),
	cmocka_unit_test(test_freed_operation),
};

UNIT_MAIN(tests)

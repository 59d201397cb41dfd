// SPDX-License-Identifier: MIT
/* Children after fork() of a process whose other threads were inside the library. */
#include <stdatomic.h>

#include <pimdimm/report.h>
#include <pimdimm/types.h>

#include "runtime/base/env.h"
#include "runtime/machine/topology.h"
#include "runtime/machine/trials.h"
#include "runtime/pe/process/guest.h"
#include "runtime/pe/process/image.h"
#include "runtime/pe/state.h"
#include "tests/unit/forked.h"

#define PES	64
#define BYTES	512

static _Atomic bool go, began;

static void add_when_told(void *inout, const void *in, size_t count,
			  enum pidcomm_type type, void *ctx)
{
	uint32_t *a = inout;
	const uint32_t *b = in;

	(void)type;
	(void)ctx;
	began = true;
	while (!go)
		usleep(1000);
	for (size_t i = 0; i < count; i++)
		a[i] += b[i];
}

static bool refused(int err)
{
	return err == -EINVAL && strstr(pimdimm_errmsg(), "fork");
}

struct made {
	struct pidcomm *hc;
	struct pidcomm_request *running, *waiting;
	struct pidcomm_plan *plan;
};

#define STEP(n, ok)			\
	do {				\
		if (!(ok))		\
			_exit(n);	\
	} while (0)

/* what a child may do with requests of its parent, and with its own */
static void child_of_requests(struct made m)
{
	struct pidcomm_request *own, *again;
	int done;

	alarm(FORKED_SECONDS);
	STEP(1, refused(pidcomm_wait(&m.running)) && !m.running);
	STEP(2, refused(pidcomm_test(&m.waiting, &done)) && done);
	STEP(3, pidcomm_plan_start(m.plan, &again) == -EBUSY);
	STEP(4, !pidcomm_allreduce(m.hc, "10", BYTES, 8192, 16384, PIDCOMM_U32,
				   PIDCOMM_SUM));
	STEP(5, !pidcomm_iallreduce(m.hc, "10", BYTES, 8192, 24576, PIDCOMM_U32,
				    PIDCOMM_SUM, &own));
	STEP(6, !pidcomm_wait(&own));
	pidcomm_plan_free(m.plan);
	pidcomm_destroy(m.hc);
	_exit(0);
}

static void child_that_destroys(struct made m)
{
	alarm(FORKED_SECONDS);
	pidcomm_destroy(m.hc);
	_exit(0);
}

static void make_requests(struct pimdimm *sys, pidcomm_op op, struct made *m)
{
	struct pidcomm_request *started;

	assert_ok(pidcomm_create(sys, 2, (uint32_t[]){ 8, 8 }, &m->hc));
	assert_ok(pidcomm_iallreduce(m->hc, "10", BYTES, 0, BYTES, PIDCOMM_U32,
				     op, &m->running));
	assert_ok(pidcomm_iallreduce(m->hc, "10", BYTES, 0, 2 * BYTES,
				     PIDCOMM_U32, op, &m->waiting));
	assert_ok(pidcomm_plan_allreduce(m->hc, "10", BYTES, 0, 3 * BYTES,
					 PIDCOMM_U32, op, &m->plan));
	assert_ok(pidcomm_plan_start(m->plan, &started));
}

static void test_requests(void **state)
{
	struct pimdimm *sys = unit_open("mem:ranks=1,mram=64K");
	struct made m;
	pidcomm_op op;
	pid_t child;

	(void)state;
	go = began = false;
	assert_ok(pidcomm_op_create(add_when_told, NULL, &op));
	make_requests(sys, op, &m);
	/* a sanitizer's allocator may be busy until then */
	while (!began)
		usleep(1000);
	child = fork();
	if (!child)
		child_of_requests(m);
	assert_int_equal(forked_step_failed(child), 0);
	child = fork();
	if (!child)
		child_that_destroys(m);
	assert_int_equal(forked_step_failed(child), 0);
	go = true;
	assert_ok(pidcomm_wait(&m.running));
	assert_ok(pidcomm_wait(&m.waiting));
	pidcomm_plan_free(m.plan);
	pidcomm_destroy(m.hc);
	pidcomm_op_free(op);
	pimdimm_close(sys);
}

static void *make_ops(void *arg)
{
	pidcomm_op op;

	while (!forked_stop && !pidcomm_op_create(add_when_told, NULL, &op))
		pidcomm_op_free(op);
	return arg;
}

static void *look_at_machine(void *arg)
{
	struct pd_placement *p;

	while (!forked_stop && !pd_placement_make(1, NULL, 0, &p)) {
		pd_placement_free(p);
		pd_topology_forget();
	}
	return arg;
}

static int child_makes_op(void)
{
	pidcomm_op op;

	return pidcomm_op_create(add_when_told, NULL, &op) != 0;
}

static int child_looks(void)
{
	struct pd_placement *p;

	return pd_placement_make(1, NULL, 0, &p) != 0;
}

static void test_operations(void **state)
{
	(void)state;
	forked_beside(make_ops, child_makes_op, 200);
}

static void test_machine(void **state)
{
	(void)state;
	forked_beside(look_at_machine, child_looks, 20);
	pd_topology_forget();
}

static void *begin_phases(void *arg)
{
	while (!forked_stop)
		pimdimm_report_phase("phase");
	return arg;
}

static int child_begins_phase(void)
{
	pimdimm_report_phase("child");
	return 0;
}

/* before there is a report */
static void test_phases(void **state)
{
	(void)state;
	forked_beside(begin_phases, child_begins_phase, 200);
}

static struct pimdimm *shared;

/* what takes a lock of all systems and types, each for a moment */
static bool take_locks(void)
{
	struct pimtype_stats stats;
	struct pimtype *type;
	bool good;

	if (pimtype_vector(8, 1, 2, pimtype_basic(PIMTYPE_U8), &type))
		return false;
	good = !pimtype_stats(&stats);
	pimtype_free(type);
	pd_trials_forget();
	return good && pd_affinity_cpus() && pd_image_fd() >= 0 && pd_pe_state(shared);
}

static void *take_locks_often(void *arg)
{
	while (!forked_stop && take_locks())
		;
	return arg;
}

static int child_takes_locks(void)
{
	return !take_locks();
}

static void test_locks(void **state)
{
	(void)state;
	shared = unit_open("mem:ranks=1,mram=64K");
	forked_beside(take_locks_often, child_takes_locks, 300);
	pimdimm_close(shared);
}

/* a launch that the host takes no part in asks whether it does */
static void *ask_for_guests(void *arg)
{
	while (!forked_stop && !pd_guest_begin(shared, 0, PES))
		;
	return arg;
}

static int child_asks(void)
{
	return pd_guest_begin(shared, 0, PES) != NULL;
}

static void test_guests(void **state)
{
	struct pd_guest *others[PES];

	(void)state;
	shared = unit_open("mem:ranks=1,mram=64K");
	/* among which one is looked for, for a while */
	for (uint32_t i = 0; i < PES; i++)
		assert_int_equal(pd_guest_open(shared, i, 1, &others[i]), 0);
	forked_beside(ask_for_guests, child_asks, 50);
	for (uint32_t i = 0; i < PES; i++)
		pd_guest_close(others[i]);
	pimdimm_close(shared);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_requests),
	cmocka_unit_test(test_operations),
	cmocka_unit_test(test_machine),
	cmocka_unit_test(test_phases),
	cmocka_unit_test(test_locks),
	cmocka_unit_test(test_guests),
};

FORKED_MAIN(tests)

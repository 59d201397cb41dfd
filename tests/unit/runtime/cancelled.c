// SPDX-License-Identifier: MIT
/* Threads that are cancelled inside the library leave it as others can use it. */
#include <pthread.h>
#include <stdatomic.h>

#include <pimdimm/program.h>

#include "runtime/ranks/system.h"
#include "tests/unit/unit.h"

#define BYTES	512

static _Atomic bool go;

static void max_when_told(void *inout, const void *in, size_t count,
			  enum pidcomm_type type, void *ctx)
{
	uint32_t *a = inout;
	const uint32_t *b = in;

	(void)type;
	(void)ctx;
	while (!go)
		usleep(1000);
	for (size_t i = 0; i < count; i++)
		a[i] = a[i] > b[i] ? a[i] : b[i];
}

struct waiter {
	struct pidcomm_request *request;
	_Atomic bool began, returned;
};

static void *wait_for_it(void *arg)
{
	struct waiter *w = arg;

	w->began = true;
	if (!pidcomm_wait(&w->request))
		w->returned = true;
	pthread_testcancel();
	return arg;
}

static void test_wait(void **state)
{
	struct pimdimm *sys = unit_open("mem:ranks=1,mram=64K");
	struct waiter w = { 0 };
	struct pidcomm *hc;
	pthread_t thread;
	pidcomm_op op;
	void *result;

	(void)state;
	go = false;
	assert_ok(pidcomm_create(sys, 1, (uint32_t[]){ 64 }, &hc));
	assert_ok(pidcomm_op_create(max_when_told, NULL, &op));
	assert_ok(pidcomm_iallreduce(hc, "1", BYTES, 0, BYTES, PIDCOMM_U32, op,
				     &w.request));
	assert_int_equal(pthread_create(&thread, NULL, wait_for_it, &w), 0);
	while (!w.began)
		usleep(1000);
	usleep(50000);
	pthread_cancel(thread);
	usleep(50000);
	go = true;
	pthread_join(thread, &result);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	/* its call was done, and holds nothing up */
	assert_true(w.returned);
	assert_ok(pidcomm_iallreduce(hc, "1", BYTES, 0, BYTES, PIDCOMM_U32, op,
				     &w.request));
	assert_ok(pidcomm_wait(&w.request));
	pidcomm_destroy(hc);
	pidcomm_op_free(op);
	pimdimm_close(sys);
}

static _Atomic uint64_t longest;

/* an operation of the program's may well be where its thread is cancelled */
static void note_length(void *ctx, uint64_t first, uint64_t count)
{
	(void)ctx;
	(void)first;
	if (count > longest)
		longest = count;
	pthread_testcancel();
}

static void *run_cancelled(void *sys)
{
	pthread_cancel(pthread_self());
	pd_workers_run(((struct pimdimm *)sys)->workers, 64, 1, note_length,
		       NULL);
	pthread_testcancel();
	return NULL;
}

/* Who finds the workers taken does all items himself, at once. */
static void test_workers(void **state)
{
	struct pimdimm *sys;
	pthread_t thread;
	void *result;

	(void)state;
	setenv("PIMDIMM_THREADS", "2", 1);
	sys = unit_open("mem:ranks=1,mram=64K");
	unsetenv("PIMDIMM_THREADS");
	assert_int_equal(pthread_create(&thread, NULL, run_cancelled, sys), 0);
	pthread_join(thread, &result);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	longest = 0;
	pd_workers_run(sys->workers, 64, 1, note_length, NULL);
	assert_int_equal(longest, 1);
	pimdimm_close(sys);
}

static _Atomic bool done;

static void max_or_end(void *inout, const void *in, size_t count,
		       enum pidcomm_type type, void *ctx)
{
	pthread_testcancel();
	max_when_told(inout, in, count, type, ctx);
}

struct reducer {
	struct pidcomm *hc;
	pidcomm_op op;
};

static void *reduce_cancelled(void *arg)
{
	struct reducer *r = arg;

	pthread_cancel(pthread_self());
	if (!pidcomm_allreduce(r->hc, "1", BYTES, 0, BYTES, PIDCOMM_U32, r->op))
		done = true;
	pthread_testcancel();
	return NULL;
}

static void no_kernel(struct pimdimm_pe *pe, void *arg)
{
	(void)pe;
	(void)arg;
}

/* A call that one thread does alone takes the PEs, and gives them back. */
static void test_operation(void **state)
{
	struct pimdimm *sys;
	struct reducer r;
	pthread_t thread;
	void *result;

	(void)state;
	go = true;
	setenv("PIMDIMM_THREADS", "1", 1);
	sys = unit_open("mem:ranks=1,mram=64K,strict=1");
	unsetenv("PIMDIMM_THREADS");
	assert_ok(pidcomm_create(sys, 1, (uint32_t[]){ 64 }, &r.hc));
	assert_ok(pidcomm_op_create(max_or_end, NULL, &r.op));
	assert_int_equal(pthread_create(&thread, NULL, reduce_cancelled, &r), 0);
	pthread_join(thread, &result);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_true(done);
	assert_ok(pimdimm_launch(sys, 0, 64, 1, no_kernel, NULL));
	pidcomm_destroy(r.hc);
	pidcomm_op_free(r.op);
	pimdimm_close(sys);
}

/* a call at a system, and whether it was done */
struct single {
	struct pimdimm *sys;
	bool good;
};

static void *write_cancelled(void *arg)
{
	static const uint64_t value = 4711;
	struct single *s = arg;

	pthread_cancel(pthread_self());
	s->good = !pimdimm_write(s->sys, 0, 0, &value, sizeof(value));
	pthread_testcancel();
	return NULL;
}

static void *read_cost_cancelled(void *arg)
{
	struct single *s = arg;

	pthread_cancel(pthread_self());
	s->good = pimdimm_clock_hz() > 0;
	pthread_testcancel();
	return NULL;
}

static void assert_ends_after(void *(*call)(void *), struct pimdimm *sys)
{
	struct single s = { .sys = sys };
	pthread_t thread;
	void *result;

	assert_int_equal(pthread_create(&thread, NULL, call, &s), 0);
	pthread_join(thread, &result);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	/* one that has gone before may have left a lock behind */
	assert_true(s.good);
}

/* A file is read where a process asks for the cost model first. */
static void test_cost(void **state)
{
	char path[] = "/tmp/pimdimm-cost-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_return_code(fd, errno);
	setenv("PIMDIMM_COST", path, 1);
	assert_ends_after(read_cost_cancelled, NULL);
	unsetenv("PIMDIMM_COST");
	close(fd);
	unlink(path);
}

/* Space of a file is claimed where it is first written to. */
static void test_file(void **state)
{
	char path[] = "/tmp/pimdimm-mram-XXXXXX", uri[64];
	struct pimdimm *sys;
	uint64_t value;
	int fd = mkstemp(path);

	(void)state;
	assert_return_code(fd, errno);
	close(fd);
	snprintf(uri, sizeof(uri), "mem:ranks=1,mram=64K,file=%s", path);
	sys = unit_open(uri);
	assert_ends_after(write_cancelled, sys);
	assert_ok(pimdimm_read(sys, 0, 0, &value, sizeof(value)));
	assert_int_equal(value, 4711);
	assert_ok(pimdimm_write(sys, 0, 0, &value, sizeof(value)));
	pimdimm_close(sys);
	unlink(path);
}

/* Injected delays end early for nobody. */
static void test_delay(void **state)
{
	struct pimdimm *sys = unit_open("mem:ranks=1,mram=64K,inject=delay_us:1000");

	(void)state;
	assert_ends_after(write_cancelled, sys);
	pimdimm_close(sys);
}

static const struct CMUnitTest tests[] = {
	/* before anything: a process reads its parameters once */
	cmocka_unit_test(test_cost),
	cmocka_unit_test(test_file),
	cmocka_unit_test(test_delay),
	cmocka_unit_test(test_wait),
	cmocka_unit_test(test_operation),
	cmocka_unit_test(test_workers),
};

UNIT_MAIN(tests)

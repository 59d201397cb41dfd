// SPDX-License-Identifier: MIT
/* Messages between resident kernels and the host, who waits for whom, and deadlocks. */
#include <pthread.h>

#include "tests/unit/collectives/message_rig.h"

static void take_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	uint64_t *value = pimdimm_wram_alloc(pe, 8);
	struct pimmsg_buf buf = memory(value, 8);

	(void)arg;
	EXPECT(!pimmsg_recv(me, &buf, PIMMSG_HOST, 1, NULL));
	*value *= 2;
	EXPECT(!pimmsg_send(me, &buf, PIMMSG_HOST, 2));
}

static void send_on_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me);
	struct pimmsg_buf buf = mram((uint32_t)rank, 64, 5000);
	struct pimmsg_request *request;

	(void)arg;
	EXPECT(!pimmsg_isend(me, &buf, (rank + 1) % (int)PES, 9, &request));
}

static void take_on_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me);
	struct pimmsg_buf buf = mram((uint32_t)rank, 10000, 5000);

	(void)arg;
	EXPECT(!pimmsg_recv(me, &buf, (rank + (int)PES - 1) % (int)PES, 9, NULL));
}

/* what was sent lies there until the next run, and the one after that */
static void outlives_runs(void **state)
{
	static uint8_t data[5000], got[5000];
	uint64_t values[PES];
	struct rig rig = rig_open(URI);

	(void)state;
	for (uint64_t i = 0; i < PES; i++) {
		struct pimmsg_buf buf = memory(&values[i], 8);

		values[i] = 100 + i;
		assert_ok(pimmsg_send(rig.host, &buf, (int)i, 1));
		memset(data, (int)i, sizeof(data));
		assert_ok(pimdimm_write(rig.sys, (uint32_t)i, 64, data, sizeof(data)));
	}
	rig_run(&rig, 1, 0, take_kernel, NULL);
	for (uint64_t i = 0; i < PES; i++) {
		struct pimmsg_buf buf = memory(&values[i], 8);

		assert_ok(pimmsg_recv(rig.host, &buf, (int)i, 2, NULL));
		assert_int_equal(values[i], 2 * (100 + i));
	}
	for (int i = 0; i < 2; i++) {
		set_env("PIMDIMM_EAGER", i ? "0" : NULL);
		rig_close(&rig);
		rig = rig_open(URI);
		for (uint32_t pe = 0; pe < PES; pe++) {
			memset(data, (int)pe, sizeof(data));
			assert_ok(pimdimm_write(rig.sys, pe, 64, data, sizeof(data)));
		}
		rig_run(&rig, 1, 0, send_on_kernel, NULL);
		rig_run(&rig, 1, 0, take_on_kernel, NULL);
		for (uint32_t pe = 0; pe < PES; pe++) {
			memset(data, (int)((pe + PES - 1) % PES), sizeof(data));
			assert_ok(pimdimm_read(rig.sys, pe, 10000, got, sizeof(got)));
			assert_memory_equal(got, data, sizeof(data));
		}
	}
	set_env("PIMDIMM_EAGER", NULL);
	rig_close(&rig);
}

#define FED	200

static void *run_fed(void *arg)
{
	struct rig *rig = arg;
	struct pimdimm_spmd how = { .size = sizeof(how), .nr_tasklets = 1 };

	for (int i = 0; i < FED; i++) {
		int ret = pimdimm_spmd(rig->sys, 0, PES, take_kernel, NULL, &how);

		if (ret)
			return (void *)(intptr_t)ret;
	}
	return NULL;
}

/* PEs that wait for the host while it runs beside them are no deadlock */
static void host_feeds(void **state)
{
	struct rig rig = rig_open(URI);
	pthread_t thread;
	void *ret;

	(void)state;
	wrong = 0;
	assert_int_equal(pthread_create(&thread, NULL, run_fed, &rig), 0);
	for (uint64_t i = 0; i < FED * PES; i++) {
		uint64_t value = i, back = 0;
		struct pimmsg_buf buf = memory(&value, 8), to = memory(&back, 8);

		assert_ok(pimmsg_send(rig.host, &buf, (int)(i % PES), 1));
		assert_ok(pimmsg_recv(rig.host, &to, (int)(i % PES), 2, NULL));
		assert_int_equal(back, 2 * i);
	}
	pthread_join(thread, &ret);
	assert_null(ret);
	assert_int_equal(wrong, 0);
	rig_close(&rig);
}

/* a run that waits for the host while the host waits for it is one */
static void host_deadlock(void **state)
{
	struct rig rig = rig_open(URI);
	uint64_t value;
	struct pimmsg_buf buf = memory(&value, 8);
	struct pimmsg_request *request;
	pthread_t thread;
	void *ret;

	(void)state;
	assert_int_equal(rig_try(&rig, 1, 0, take_kernel, NULL), -EDEADLK);
	assert_non_null(strstr(pimdimm_errmsg(), "waits for a message of the host, tag 1"));
	assert_ok(pimmsg_irecv(rig.host, &buf, 0, 2, &request));
	assert_int_equal(pthread_create(&thread, NULL, run_fed, &rig), 0);
	assert_refused(pimmsg_wait(rig.host, &request, NULL), EDEADLK, "deadlock");
	pthread_join(thread, &ret);
	assert_int_equal((intptr_t)ret, -EDEADLK);
	assert_ok(pimmsg_cancel(rig.host, request));
	assert_ok(pimmsg_wait(rig.host, &request, NULL));
	rig_close(&rig);
}

struct receiver {
	struct pimmsg_end *host;
	struct pimmsg_buf buf;
	uint64_t value;
	_Atomic bool returned;
};

/* A sanitizer would find what it keeps around variables of a frame that is never left. */
static void *receive_cancelled(void *arg)
{
	struct receiver *r = arg;

	pthread_cancel(pthread_self());
	if (!pimmsg_recv(r->host, &r->buf, 3, 2, NULL))
		r->returned = true;
	pthread_testcancel();
	return arg;
}

static void tell_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	uint64_t value = 4711;
	struct pimmsg_buf buf = memory(&value, 8);

	(void)arg;
	if (pimmsg_rank(me) == 3)
		EXPECT(!pimmsg_send(me, &buf, PIMMSG_HOST, 2));
}

/* the thread ends after its call, which holds no run up */
static void host_cancelled(void **state)
{
	struct rig rig = rig_open(URI);
	struct receiver r = { .host = rig.host, .buf = memory(&r.value, 8) };
	pthread_t thread;
	void *ret;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, receive_cancelled, &r), 0);
	for (int i = 0; i < 50; i++) {
		/* one that has gone has left a lock behind, for which a run would wait */
		assert_int_equal(pthread_tryjoin_np(thread, &ret), EBUSY);
		usleep(2000);
	}
	rig_run(&rig, 1, 0, tell_kernel, NULL);
	pthread_join(thread, &ret);
	assert_ptr_equal(ret, PTHREAD_CANCELED);
	assert_true(r.returned);
	assert_int_equal(r.value, 4711);
	rig_run(&rig, 1, 0, tell_kernel, NULL);
	rig_close(&rig);
}

static void circle_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	uint64_t value;
	struct pimmsg_buf buf = memory(&value, 8);

	(void)arg;
	if (pimmsg_rank(me) < 3)
		pimmsg_recv(me, &buf, (pimmsg_rank(me) + 1) % 3, 7, NULL);
}

static void unreceived_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	uint64_t value = 0;
	struct pimmsg_buf buf = memory(&value, 8);

	(void)arg;
	if (pimmsg_rank(me) == 4)
		pimmsg_ssend(me, &buf, 5, 1);
	if (pimmsg_rank(me) == 6)
		pimmsg_probe(me, PIMMSG_ANY_SOURCE, 8, NULL);
}

/* rank 0 does not come */
static void absent_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe), *group;

	if (!pimmsg_rank(me))
		return;
	if (arg)
		pimmsg_split(me, 0, 0, &group);
	else
		pimmsg_barrier(me);
}

static void deadlocks(void **state)
{
	struct rig rig = rig_open(URI);

	(void)state;
	assert_int_equal(rig_try(&rig, 1, 0, circle_kernel, NULL), -EDEADLK);
	assert_non_null(strstr(pimdimm_errmsg(), "waits for a message of PE 1, tag 7"));
	assert_int_equal(rig_try(&rig, 1, 5, unreceived_kernel, NULL), -EDEADLK);
	assert_non_null(strstr(pimdimm_errmsg(), "waits for a receive of PE 5, tag 1"));
	/* the world is none the worse */
	assert_int_equal(rig_try(&rig, 1, 0, absent_kernel, NULL), -EDEADLK);
	assert_non_null(strstr(pimdimm_errmsg(), "PE 1, tasklet 0 waits in pimmsg_barrier() for PE 0"));
	assert_int_equal(rig_try(&rig, 1, 0, absent_kernel, &rig), -EDEADLK);
	assert_non_null(strstr(pimdimm_errmsg(), "PE 1, tasklet 0 waits in pimmsg_split() for PE 0"));
	rig_close(&rig);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(outlives_runs),
	cmocka_unit_test(host_feeds),
	cmocka_unit_test(host_deadlock),
	cmocka_unit_test(host_cancelled),
	cmocka_unit_test(deadlocks),
};

UNIT_MAIN(tests)

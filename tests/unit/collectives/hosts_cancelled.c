// SPDX-License-Identifier: MIT
/* A thread that is cancelled in a call of hosts ends after it: others count on it. */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/unit/hosts.h"

#define COUNT	1000u

struct scene {
	struct pimdimm_hosts *h, *part;
	struct pimdimm *sys;
	struct pidcomm *hc;
	void *segment;
	uint32_t in[COUNT], out[COUNT];
	int (*call)(struct scene *s);
	_Atomic bool over;
};

static int call_barrier(struct scene *s)
{
	return pimdimm_hosts_barrier(s->h);
}

static int call_alloc(struct scene *s)
{
	return pimdimm_hosts_alloc(s->h, 8192, &s->segment);
}

static int call_split(struct scene *s)
{
	return pimdimm_hosts_split(s->h, 1, 0, &s->part);
}

static int call_allreduce(struct scene *s)
{
	return pimdimm_hosts_allreduce(s->h, s->in, s->out, COUNT, PIDCOMM_U32, PIDCOMM_SUM);
}

static int call_create(struct scene *s)
{
	return pidcomm_create_hosts(s->h, s->sys, 2, (const uint32_t[]){ 8, 16 }, &s->hc);
}

static int call_collective(struct scene *s)
{
	return pidcomm_allreduce(s->hc, "01", 512, 0, 512, PIDCOMM_U32, PIDCOMM_SUM);
}

static int call_leave(struct scene *s)
{
	int ret = pimdimm_hosts_barrier(s->part);

	pimdimm_hosts_leave(s->part);
	return ret;
}

static int (*const calls[])(struct scene *s) = {
	call_barrier, call_alloc, call_split, call_allreduce, call_create, call_collective,
	call_leave,
};

static void *run_cancelled(void *arg)
{
	struct scene *s = arg;

	pthread_cancel(pthread_self());
	if (!s->call(s))
		s->over = true;
	pthread_testcancel();
	return NULL;
}

/* Long after the others have begun to wait for the last host it comes, too. */
static void do_cancelled(const struct hosts_test *t)
{
	struct scene s = {
		.h = hosts_joined(t),
		.sys = unit_open("mem:ranks=1,mram=64K"),
	};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		pthread_t thread;
		void *result;

		s.call = calls[i];
		s.over = false;
		if (t->host + 1 == t->hosts)
			usleep(150000);
		host_expect(!pthread_create(&thread, NULL, run_cancelled, &s));
		host_expect(!pthread_join(thread, &result));
		host_expect(result == PTHREAD_CANCELED);
		host_expect(s.over);
	}
	pimdimm_hosts_free(s.h, s.segment);
	pidcomm_destroy(s.hc);
	pimdimm_close(s.sys);
	pimdimm_hosts_leave(s.h);
}

static void on_one_machine(void **state)
{
	(void)state;
	hosts_run(2, do_cancelled, &(struct hosts_test){ 0 });
}

static void on_machines(void **state)
{
	(void)state;
	hosts_run_all(2, do_cancelled, &(struct hosts_test){ .machines = "01" });
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(on_one_machine),
	cmocka_unit_test(on_machines),
};

UNIT_MAIN(tests)

// SPDX-License-Identifier: MIT
/* A thread that is cancelled in a call of a pair's end ends after it: the other one goes on. */
#include <pthread.h>
#include <stdatomic.h>

#include <pimdimm/types.h>

#include "tests/unit/pair.h"

#define BYTES	100000u		/* more than goes in one piece */

struct scene {
	int socket, late;	/* the rank that comes when the other one sleeps */
	struct pimmsg_end *end;
	struct pimmsg_buf buf;
	void *at;
	int (*call)(struct scene *s);
	_Atomic bool over;
};

static int call_join(struct scene *s)
{
	return pimmsg_join(s->socket, pair_rank, NULL, &s->end);
}

static int call_barrier(struct scene *s)
{
	return pimmsg_barrier(s->end);
}

static int call_alloc(struct scene *s)
{
	int ret = pimmsg_alloc(s->end, BYTES, &s->at);

	s->buf = (struct pimmsg_buf){
		.ptr = s->at, .part = { 0, BYTES, pimtype_basic(PIMTYPE_BYTE) },
	};
	return ret;
}

/* One that waits keeps what it waits with on its stack, of which the other one's message tells. */
static int call_send(struct scene *s)
{
	if (pair_rank == s->late)
		return pimmsg_send(s->end, &s->buf, 1 - pair_rank, 1);
	return pimmsg_recv(s->end, &s->buf, 1 - pair_rank, 1, NULL);
}

static int call_receive(struct scene *s)
{
	if (pair_rank != s->late)
		return pimmsg_send(s->end, &s->buf, 1 - pair_rank, 2);
	return pimmsg_recv(s->end, &s->buf, 1 - pair_rank, 2, NULL);
}

static int call_probe(struct scene *s)
{
	struct pimmsg_buf none = { .ptr = NULL };
	int ret;

	if (pair_rank == s->late)
		return pimmsg_send(s->end, &none, 1 - pair_rank, 3);
	ret = pimmsg_probe(s->end, 1 - pair_rank, 3, NULL);
	return ret ? ret : pimmsg_recv(s->end, &none, 1 - pair_rank, 3, NULL);
}

static int call_free(struct scene *s)
{
	return pimmsg_free(s->end, s->at);
}

static int call_close(struct scene *s)
{
	pimmsg_close(s->end);
	return 0;
}

static int (*const calls[])(struct scene *s) = {
	call_join, call_alloc, call_send, call_receive, call_barrier, call_probe, call_free,
	call_close,
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

static void process(int socket, const void *arg)
{
	unsigned int fds = count_of("/proc/self/fd");
	struct scene s = { .socket = socket, .late = *(const int *)arg };

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		pthread_t thread;
		void *result;

		s.call = calls[i];
		s.over = false;
		if (pair_rank == s.late)
			usleep(100000);
		pair_expect(!pthread_create(&thread, NULL, run_cancelled, &s));
		pair_expect(!pthread_join(thread, &result));
		pair_expect(result == PTHREAD_CANCELED);
		pair_expect(s.over);
	}
	pair_expect(count_of("/proc/self/fd") == fds && !shared_maps());
}

static void cancelled(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++)
		pair_run(SOCK_SEQPACKET, process, process, &late);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(cancelled),
};

UNIT_MAIN(tests)

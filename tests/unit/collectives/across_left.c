// SPDX-License-Identifier: MIT
/* Hosts of several machines that leave while the others go on, and what these are told. */
#include "tests/unit/hosts.h"

#define CALLS		20
#define VECTOR		1000u

/* Everybody makes the same calls; then the one that leaves first is awaited in vain. */
static void do_leave(const struct hosts_test *t)
{
	const uint32_t *leaver = t->ctx;
	struct pimdimm_hosts *h = hosts_joined(t);
	int32_t in[VECTOR] = { 1 }, out[VECTOR];
	char words[32];

	for (int i = 0; i < CALLS; i++)
		host_ok(pimdimm_hosts_allreduce(h, in, out, VECTOR, PIDCOMM_I32, PIDCOMM_SUM));
	if (t->host != *leaver) {
		snprintf(words, sizeof(words), "host %u (pid", *leaver);
		/* some try more often than others, and none of them breaks anything */
		for (uint32_t i = 0; i <= 5 * t->host; i++) {
			host_expect(pimdimm_hosts_barrier(h) == -EBUSY);
			/* others that have tried leave later on */
			host_expect(i || strstr(pimdimm_errmsg(), words));
			host_expect(strstr(pimdimm_errmsg(), "has left"));
		}
		host_ok(pimdimm_hosts_check(h));
	}
	pimdimm_hosts_leave(h);
}

static void who_waits_is_told(void **state)
{
	static const char *const layouts[] = { "01", "012", "0011", "00112", "0101" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		const uint32_t hosts = (uint32_t)strlen(layouts[i]);

		for (uint32_t leaver = 0; leaver < hosts; leaver++)
			hosts_run(hosts, do_leave,
				  &(struct hosts_test){ .machines = layouts[i], .ctx = &leaver });
	}
}

/* Whoever leaves has done its part of all calls before: those of others end well. */
static void do_leave_at_once(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t), *part;
	int32_t in[VECTOR] = { 1 }, out[VECTOR];

	for (int i = 0; i < CALLS; i++) {
		host_ok(pimdimm_hosts_split(h, 0, (int)t->host, &part));
		host_ok(pimdimm_hosts_allreduce(part, in, out, VECTOR, PIDCOMM_I32, PIDCOMM_SUM));
		host_expect(out[0] == (int32_t)t->hosts);
		/* the next part has the same tags */
		pimdimm_hosts_leave(part);
	}
	pimdimm_hosts_leave(h);
}

static void earlier_calls_end_well(void **state)
{
	(void)state;
	hosts_run(3, do_leave_at_once, &(struct hosts_test){ .machines = "012" });
	hosts_run(5, do_leave_at_once, &(struct hosts_test){ .machines = "00112" });
}

/* --- hosts that leave together --- */

static uint32_t begun;

static int counting_isend(void *ctx, const void *buf, size_t bytes, uint32_t to, uint32_t tag,
			  void **request)
{
	begun++;
	return sockets_isend(ctx, buf, bytes, to, tag, request);
}

static void do_leave_together(const struct hosts_test *t)
{
	struct pimdimm_transport transport = sockets_transport(t->host, t->hosts);
	const char name[] = { t->machines[t->host], 0 };
	const int *together = t->ctx;
	struct pimdimm_hosts *h;
	uint32_t before;

	setenv("PIMDIMM_MACHINE", name, 1);
	transport.isend = counting_isend;
	transport.together = *together;
	host_ok(pimdimm_hosts_from_transport(&transport, NULL, &h));
	host_ok(pimdimm_hosts_barrier(h));
	before = begun;
	pimdimm_hosts_leave(h);
	/* others learn of the first one that leaves, but for those that have left by then */
	if (*together)
		host_expect(begun == before);
	else
		host_expect(begun - before <= 2);
}

static void who_leaves_with_all_tells_nobody(void **state)
{
	(void)state;
	for (int together = 0; together <= 1; together++) {
		hosts_run(3, do_leave_together,
			  &(struct hosts_test){ .machines = "012", .ctx = &together });
		hosts_run(4, do_leave_together,
			  &(struct hosts_test){ .machines = "0011", .ctx = &together });
	}
}

/* --- children of fork() --- */

static bool is_child;

static int parents_test(void *ctx, void *request)
{
	host_expect(!is_child);
	return sockets_test(ctx, request);
}

static void parents_forget(void *ctx, void *const requests[], size_t count, void *memory)
{
	host_expect(!is_child);
	sockets_forget(ctx, requests, count, memory);
}

static int parents_isend(void *ctx, const void *buf, size_t bytes, uint32_t to, uint32_t tag,
			 void **request)
{
	host_expect(!is_child);
	return sockets_isend(ctx, buf, bytes, to, tag, request);
}

static void parents_release(void *ctx)
{
	host_expect(!is_child);
	sockets_release(ctx);
}

static struct pimdimm_hosts *join_as_parent(const struct hosts_test *t)
{
	const struct pimdimm_hosts_options options = { .size = sizeof(options),
						       .timeout_ms = HOSTS_PATIENCE };
	struct pimdimm_transport transport = sockets_transport(t->host, t->hosts);
	const char name[] = { t->machines[t->host], 0 };
	struct pimdimm_hosts *h;

	transport.isend = parents_isend;
	transport.test = parents_test;
	transport.forget = parents_forget;
	transport.release = parents_release;
	setenv("PIMDIMM_MACHINE", name, 1);
	host_ok(pimdimm_hosts_from_transport(&transport, &options, &h));
	return h;
}

/* The child has copies of memory alone; messages are the parent's, which goes on. */
static void do_fork(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = join_as_parent(t), *part;
	int32_t in[VECTOR] = { 1 }, out[VECTOR];
	pid_t child;

	host_ok(pimdimm_hosts_split(h, 0, 0, &part));
	host_ok(pimdimm_hosts_barrier(part));
	child = fork();
	if (!child) {
		is_child = true;
		host_expect(pimdimm_hosts_barrier(h) == -EBUSY);
		host_expect(pimdimm_hosts_check(h) == -EBUSY);
		host_expect(pimdimm_hosts_abort(h, "child") == -EBUSY);
		pimdimm_hosts_leave(part);
		pimdimm_hosts_leave(h);
		_exit(0);
	}
	host_expect(hosts_ended_well(child));
	for (int i = 0; i < CALLS; i++) {
		host_ok(pimdimm_hosts_allreduce(part, in, out, VECTOR, PIDCOMM_I32, PIDCOMM_SUM));
		host_ok(pimdimm_hosts_allreduce(h, in, out, VECTOR, PIDCOMM_I32, PIDCOMM_SUM));
	}
	pimdimm_hosts_leave(part);
	pimdimm_hosts_leave(h);
}

static void children_leave_messages_alone(void **state)
{
	(void)state;
	hosts_run(2, do_fork, &(struct hosts_test){ .machines = "01" });
	hosts_run(4, do_fork, &(struct hosts_test){ .machines = "0011" });
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(who_waits_is_told),
	cmocka_unit_test(earlier_calls_end_well),
	cmocka_unit_test(who_leaves_with_all_tells_nobody),
	cmocka_unit_test(children_leave_messages_alone),
};

UNIT_MAIN(tests)

// SPDX-License-Identifier: MIT
/* Hosts on several machines: who is where, what is sent, and what happens to the others. */
#include <dirent.h>
#include <time.h>

#include "collectives/across/network.h"
#include "collectives/across/world_open.h"
#include "tests/unit/hosts.h"

#define VECTOR	100000u
/* of tests that end by it: enough for hosts to meet on a machine that does much else */
#define PATIENCE	5000

static unsigned int open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* --- who is where --- */

static void do_look(const struct hosts_test *t)
{
	struct pimdimm_hosts_info info = { .size = sizeof(info) };
	uint32_t machine = 0, machines = 0, local = 0, locals = 0;
	/* but for the sockets between the hosts */
	unsigned int fds = open_fds() - (t->hosts - 1) * t->hosts;
	struct pimdimm_hosts *h = hosts_joined(t);
	void *buf;

	for (uint32_t i = 0; i < t->hosts; i++) {
		const char *first = strchr(t->machines, t->machines[i]);

		machines += first == t->machines + i;
		if (first < strchr(t->machines, t->machines[t->host]))
			machine += first == t->machines + i;
		locals += t->machines[i] == t->machines[t->host];
		local += t->machines[i] == t->machines[t->host] && i < t->host;
	}
	host_ok(pimdimm_hosts_info(h, &info));
	host_expect(info.host == t->host && info.hosts == t->hosts && info.machine == machine &&
		    info.machines == machines && info.local == local && info.locals == locals);
	for (int i = 0; i < 50; i++)
		host_ok(pimdimm_hosts_barrier(h));
	host_ok(pimdimm_hosts_alloc(h, 100, &buf));
	memset(buf, 1, 100);
	pimdimm_hosts_free(h, buf);
	host_ok(pimdimm_hosts_check(h));
	host_ok(pimdimm_hosts_barrier(h));
	pimdimm_hosts_leave(h);
	host_expect(open_fds() == fds);
}

static const char *const layouts[] = { "00", "01", "0011", "0101", "0122", "00112" };

static void who_is_where(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		hosts_run((uint32_t)strlen(layouts[i]), do_look,
			  &(struct hosts_test){ .machines = layouts[i] });
}

/* --- what is sent --- */

static struct pimdimm_hosts_stats stats_of(struct pimdimm_hosts *h, const char *algorithm,
					   const int32_t *in, int32_t *out)
{
	struct pimdimm_hosts_stats stats = { .size = sizeof(stats) };

	host_ok(pimdimm_hosts_set_algorithm(h, "allreduce", algorithm));
	host_ok(pimdimm_hosts_allreduce(h, in, out, VECTOR, PIDCOMM_I32, PIDCOMM_SUM));
	host_ok(pimdimm_hosts_stats(h, &stats));
	return stats;
}

/* What the hosts of a machine copy into memory that they share as they fold for their leaders. */
static uint64_t folded_in(struct pimdimm_hosts *machine, uint64_t leaders, const int32_t *in,
			  int32_t *out)
{
	struct pimdimm_hosts_stats stats = { .size = sizeof(stats) };
	const uint64_t counts[] = { VECTOR / leaders, VECTOR - VECTOR / leaders };

	host_ok(pimdimm_hosts_reduce_scatter(machine, in, out, counts, PIDCOMM_I32, PIDCOMM_SUM));
	host_ok(pimdimm_hosts_stats(machine, &stats));
	return stats.copied_in;
}

static uint64_t segments_of(uint64_t bytes)
{
	return (bytes + PC_NET_EXCHANGE - 1) / PC_NET_EXCHANGE;
}

/*
 * Two machines of two hosts: each leader of two sends half of what the one leader sends, and
 * stages half: what it copies beyond the machine's fold, into messages and for the machine.
 * Both algorithms send 2 s (M - 1) / M a machine, and the chain s for folds and s for results.
 */
static void do_count(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	const uint64_t s = VECTOR * sizeof(int32_t);
	int32_t *in = need(calloc(VECTOR, 4)), *out = need(calloc(VECTOR, 4));
	struct pimdimm_hosts_stats one, all, chain;
	struct pimdimm_hosts *machine;

	host_ok(pimdimm_hosts_split(h, (int)t->host / 2, 0, &machine));
	one = stats_of(h, "leader", in, out);
	all = stats_of(h, "leaders", in, out);
	chain = stats_of(h, "chain", in, out);
	host_expect(one.sent_bytes == (t->host % 2 ? 0 : s));
	host_expect(all.sent_bytes == s / 2);
	host_expect(one.copied_in - folded_in(machine, 1, in, out) == (t->host % 2 ? 0 : 2 * s));
	host_expect(all.copied_in - folded_in(machine, 2, in, out) == s);
	/* 0, 1 | 2, 3: folds go from host 1 to host 2, results from host 3 to host 0 */
	host_expect(chain.sent_bytes == (t->host % 2 ? s : 0));
	host_expect(one.messages == (t->host % 2 ? 0 : 2 * segments_of(s / 2)));
	host_expect(all.messages == 2 * segments_of(s / 4));
	free(in);
	free(out);
	pimdimm_hosts_leave(machine);
	pimdimm_hosts_leave(h);
}

static void leaders_send_their_part(void **state)
{
	(void)state;
	hosts_run(4, do_count, &(struct hosts_test){ .machines = "0011" });
}

/* --- what goes wrong --- */

static void expect_failure(struct pimdimm_hosts *h, int err, const char *words)
{
	char first[1024];
	int ret = 0;

	for (int i = 0; !ret && i < 100000; i++)
		ret = pimdimm_hosts_barrier(h);
	snprintf(first, sizeof(first), "%s", pimdimm_errmsg());
	if (ret != err || !strstr(first, words))
		printf("# %d, expected %d: %s\n", ret, err, first);
	host_expect(ret == err && strstr(first, words));
	host_expect(pimdimm_hosts_barrier(h) == err && !strcmp(first, pimdimm_errmsg()));
	host_expect(pimdimm_hosts_check(h) == err);
	pimdimm_hosts_leave(h);
}

static void do_abort(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);

	if (t->host == 1) {
		usleep(50000);
		host_ok(pimdimm_hosts_abort(h, "the input ends"));
	}
	expect_failure(h, -ECANCELED, "host 1 (pid");
}

/* One of two hosts of its machine: the other one tells the other machines. */
static void do_die(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);

	/* the others may learn of it in this call already */
	if (t->host == 2 && !pimdimm_hosts_barrier(h))
		raise(SIGKILL);
	expect_failure(h, -ECONNRESET, "a host has died: host 2 (pid");
}

/* Alone on its machine: nobody can tell, so that the others wait as long as they may. */
static void do_die_alone(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);

	/* the others may learn of it in this call already */
	if (t->host == 2 && !pimdimm_hosts_barrier(h))
		raise(SIGKILL);
	expect_failure(h, -ETIMEDOUT, "did not come: host 2 (pid");
	host_expect(strstr(pimdimm_errmsg(),
			   " on machine 1, last heard of at the beginning of barrier, call 1"));
}

static void do_come_not(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);

	host_ok(pimdimm_hosts_barrier(h));
	if (t->host == 3) {
		/* until the others are gone */
		pause();
	}
	/* other machines may hear it too late, and name the one that was to tell them */
	expect_failure(h, -ETIMEDOUT, t->machines[t->host] == t->machines[3] ?
				      "did not come: host 3 (pid" : "did not come: host ");
}

static void do_differ(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	int32_t in[10] = { 0 }, out[10];
	int ret;

	host_ok(pimdimm_hosts_barrier(h));
	if (t->host == 2)
		ret = pimdimm_hosts_allreduce(h, in, out, 10, PIDCOMM_I32, PIDCOMM_SUM);
	else
		ret = pimdimm_hosts_allreduce(h, in, out, 9, PIDCOMM_I32, PIDCOMM_SUM);
	host_expect(ret == -EPROTO && strstr(pimdimm_errmsg(), "call 2 differs: host 0 (pid") &&
		    strstr(pimdimm_errmsg(), "allreduce of 36 bytes") &&
		    strstr(pimdimm_errmsg(), ", host 2 (pid") &&
		    strstr(pimdimm_errmsg(), "allreduce of 40 bytes"));
	expect_failure(h, -EPROTO, "call 2 differs");
}

/* Whoever refuses its arguments says why, and the next call goes on. */
static void do_refuse(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	int32_t in[10] = { 1, 2, 3 }, out[10];
	int ret;

	ret = pimdimm_hosts_allreduce(h, t->host == 2 ? NULL : in, out, 10, PIDCOMM_I32,
				      PIDCOMM_SUM);
	if (t->host == 2)
		host_expect(ret == -EINVAL && !strcmp(pimdimm_errmsg(), "src is NULL"));
	else
		host_expect(ret == -EPROTO && strstr(pimdimm_errmsg(), "host 2 (pid") &&
			    strstr(pimdimm_errmsg(), "refuses allreduce: src is NULL"));
	host_ok(pimdimm_hosts_allreduce(h, in, out, 10, PIDCOMM_I32, PIDCOMM_SUM));
	host_expect(out[1] == 2 * (int32_t)t->hosts);
	host_expect(pimdimm_hosts_set_algorithm(h, "allreduce", "ma") == -EOPNOTSUPP);
	pimdimm_hosts_leave(h);
}

/* As hosts_run(), but one of them does not end by itself. */
static void run_but_one(hosts_fn fn, uint32_t but, uint32_t hosts, const struct hosts_test *like)
{
	struct hosts_test t = *like;
	pid_t pids[HOSTS_TEST_MOST];
	bool well = true;

	sockets_open(hosts);
	t.hosts = hosts;
	fflush(stdout);
	for (t.host = 0; t.host < hosts; t.host++)
		pids[t.host] = hosts_fork(fn, &t);
	sockets_close(hosts, UINT32_MAX);
	for (uint32_t i = 0; i < hosts; i++)
		well = (i == but || hosts_ended_well(pids[i])) && well;
	kill(pids[but], SIGKILL);
	hosts_ended_well(pids[but]);
	assert_true(well);
}

static void abort_travels(void **state)
{
	(void)state;
	hosts_run(4, do_abort, &(struct hosts_test){ .machines = "0011" });
	hosts_run(3, do_abort, &(struct hosts_test){ .machines = "012" });
}

static void death_travels(void **state)
{
	(void)state;
	run_but_one(do_die, 2, 4, &(struct hosts_test){ .machines = "0011" });
	run_but_one(do_die, 2, 5, &(struct hosts_test){ .machines = "01020" });
	run_but_one(do_die_alone, 2, 3, &(struct hosts_test){ .machines = "001",
							      .timeout_ms = PATIENCE });
}

static void deadline_names_who_is_late(void **state)
{
	(void)state;
	run_but_one(do_come_not, 3, 4, &(struct hosts_test){ .machines = "0011",
							     .timeout_ms = PATIENCE });
	run_but_one(do_come_not, 3, 4, &(struct hosts_test){ .machines = "0001",
							     .timeout_ms = PATIENCE });
}

static void calls_differ(void **state)
{
	(void)state;
	hosts_run(4, do_differ, &(struct hosts_test){ .machines = "0011" });
	hosts_run(3, do_differ, &(struct hosts_test){ .machines = "012" });
}

static void arguments_are_refused(void **state)
{
	(void)state;
	hosts_run(4, do_refuse, &(struct hosts_test){ .machines = "0011" });
	hosts_run(3, do_refuse, &(struct hosts_test){ .machines = "012" });
}

/* In the midst of calls of all algorithms: every other one gets an error, and ends. */
static void do_calls_until_broken(const struct hosts_test *t)
{
	static const char *const names[] = { "leader", "leaders", "chain" };
	struct pimdimm_hosts *h = hosts_joined(t);
	const uint32_t *victim = t->ctx;
	struct timespec now;
	int32_t *in = need(calloc(VECTOR, 4)), *out = need(calloc(VECTOR, 4));
	int ret = 0;

	clock_gettime(CLOCK_MONOTONIC, &now);
	for (int i = 0; !ret; i++) {
		if (i == 1 + (int)(now.tv_nsec % 7) && t->host == *victim)
			raise(SIGKILL);
		host_ok(pimdimm_hosts_set_algorithm(h, "allreduce", names[i % 3]));
		ret = pimdimm_hosts_allreduce(h, in, out, VECTOR, PIDCOMM_I32, PIDCOMM_SUM);
	}
	host_expect(ret == -ECONNRESET || ret == -ETIMEDOUT);
	free(in);
	free(out);
	pimdimm_hosts_leave(h);
}

static void killed_between_calls(void **state)
{
	(void)state;
	for (uint32_t victim = 0; victim < 5; victim++)
		run_but_one(do_calls_until_broken, victim, 5,
			    &(struct hosts_test){ .machines = "00112", .timeout_ms = PATIENCE,
						  .ctx = &victim });
}

/* A transport by which host 1 reaches nobody any more, from its third call on. */
static uint32_t messages_left;

static int broken_isend(void *ctx, const void *buf, size_t bytes, uint32_t to, uint32_t tag,
			void **request)
{
	if (!messages_left)
		return -ECONNRESET;
	messages_left--;
	return sockets_isend(ctx, buf, bytes, to, tag, request);
}

static void do_reach_nobody(const struct hosts_test *t)
{
	const struct pimdimm_hosts_options options = { .size = sizeof(options),
						       .timeout_ms = PATIENCE };
	struct pimdimm_transport transport = sockets_transport(t->host, t->hosts);
	const char name[] = { t->machines[t->host], 0 };
	struct pimdimm_hosts *h;

	setenv("PIMDIMM_MACHINE", name, 1);
	if (t->host == 1)
		transport.isend = broken_isend;
	messages_left = UINT32_MAX;
	host_ok(pimdimm_hosts_from_transport(&transport, &options, &h));
	messages_left = 2;
	if (t->host == 1) {
		expect_failure(h, -ECONNRESET, "barrier, call 3: another host cannot be reached any more: host 0 (pid");
		host_expect(strstr(pimdimm_errmsg(),
				   "on machine 0, last heard of at the beginning of barrier, call 2"));
	} else {
		expect_failure(h, -ETIMEDOUT, "did not come: host 1 (pid");
	}
}

static void unreachable_is_named(void **state)
{
	(void)state;
	hosts_run(2, do_reach_nobody, &(struct hosts_test){ .machines = "01" });
}

/* Nobody makes a call: who asks hears of it all the same. */
static void do_check(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	int ret = 0;

	if (t->host == 1)
		host_ok(pimdimm_hosts_abort(h, "the input ends"));
	for (int i = 0; !ret && i < 20000; i++) {
		ret = pimdimm_hosts_check(h);
		usleep(1000);
	}
	host_expect(ret == -ECANCELED);
	expect_failure(h, -ECANCELED, "aborts: the input ends");
}

static void check_hears_other_machines(void **state)
{
	(void)state;
	hosts_run(4, do_check, &(struct hosts_test){ .machines = "0011" });
	hosts_run(3, do_check, &(struct hosts_test){ .machines = "012" });
}

static void transports_are_checked(void **state)
{
	struct pimdimm_transport t = { .size = sizeof(t), .host = 3, .hosts = 3 };
	struct pimdimm_hosts *h;

	(void)state;
	assert_refused(pimdimm_hosts_from_transport(NULL, NULL, &h), EINVAL, "transport is NULL");
	assert_refused(pimdimm_hosts_from_transport(&t, NULL, &h), EINVAL, "host=3 of hosts=3");
	t.host = 0;
	assert_refused(pimdimm_hosts_from_transport(&t, NULL, &h), EINVAL, "max_bytes=0");
	t.max_bytes = 1 << 30;
	assert_refused(pimdimm_hosts_from_transport(&t, NULL, &h), EINVAL, "functions is NULL");
	t.refused = "no way";
	assert_refused(pimdimm_hosts_from_transport(&t, NULL, &h), EINVAL, "no way");
	t.size = 1;
	assert_refused(pimdimm_hosts_from_transport(&t, NULL, &h), EINVAL, "transport->size=1");
}

/* --- patience --- */

/* A machine's other hosts wait for the verdict as long as its first one waits for others. */
static void do_wait_longest(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);

	host_ok(pimdimm_hosts_barrier(h));
	if (t->machines[t->host] == '1')
		usleep(3000 * PC_WORLD_GRACE_MS);
	host_ok(pimdimm_hosts_barrier(h));
	pimdimm_hosts_leave(h);
}

static void longest_deadline_is_one(void **state)
{
	(void)state;
	/* as programs of MPI have it that are served */
	hosts_run(4, do_wait_longest, &(struct hosts_test){ .machines = "0011",
							    .timeout_ms = UINT32_MAX });
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(who_is_where),
	cmocka_unit_test(leaders_send_their_part),
	cmocka_unit_test(abort_travels),
	cmocka_unit_test(death_travels),
	cmocka_unit_test(deadline_names_who_is_late),
	cmocka_unit_test(calls_differ),
	cmocka_unit_test(arguments_are_refused),
	cmocka_unit_test(killed_between_calls),
	cmocka_unit_test(unreachable_is_named),
	cmocka_unit_test(check_hears_other_machines),
	cmocka_unit_test(transports_are_checked),
	cmocka_unit_test(longest_deadline_is_one),
};

UNIT_MAIN(tests)

// SPDX-License-Identifier: MIT
/*
 * Hypercubes over hosts on several machines: who sends how much, what is refused, parts of the
 * hosts, and what happens to the others. Results are looked at by the conformance test.
 */
#include <dirent.h>
#include <time.h>

#include "collectives/across/machines.h"
#include "tests/unit/hosts.h"

#define URI	"mem:ranks=1,mram=64K"
#define BYTES	16384u
#define PATIENCE	5000

static struct pimdimm *opened(const char *uri)
{
	struct pimdimm *sys;

	host_ok(pimdimm_open(uri, &sys));
	return sys;
}

static struct pidcomm *cube_of(struct pimdimm_hosts *h, struct pimdimm *sys, uint32_t hosts)
{
	struct pidcomm *hc;

	host_ok(pidcomm_create_hosts(h, sys, 2, (const uint32_t[]){ 8, 8 * hosts }, &hc));
	return hc;
}

static void host_says(int ret, int err, const char *words)
{
	if (ret != -err || !strstr(pimdimm_errmsg(), words))
		printf("# %d, expected %d and \"%s\": %s\n", ret, -err, words, pimdimm_errmsg());
	host_expect(ret == -err && strstr(pimdimm_errmsg(), words));
}

/* The sum of every PE's number, at every PE of this host. */
static void sums_are_right(struct pimdimm *sys, struct pidcomm *hc, uint32_t host, uint32_t hosts)
{
	const uint64_t n = 64 * hosts;

	for (uint64_t pe = 0; pe < 64; pe++) {
		uint64_t node = 64 * host + pe;

		host_ok(pimdimm_write(sys, (uint32_t)pe, 0, &node, 8));
	}
	host_ok(pidcomm_allreduce(hc, "11", 8, 0, 8, PIDCOMM_U64, PIDCOMM_SUM));
	for (uint64_t pe = 0; pe < 64; pe++) {
		uint64_t sum;

		host_ok(pimdimm_read(sys, (uint32_t)pe, 8, &sum, 8));
		host_expect(sum == n * (n - 1) / 2);
	}
}

/* --- what is sent --- */

static void *buffers[1];

static int make_call(struct pidcomm *hc, int collective)
{
	switch (collective) {
	case 0:
		return pidcomm_alltoall(hc, "11", BYTES, 0, BYTES);
	case 1:
		return pidcomm_reduce_scatter(hc, "11", BYTES, 0, BYTES, PIDCOMM_F32, PIDCOMM_SUM);
	case 2:
		return pidcomm_allreduce(hc, "11", BYTES, 0, BYTES, PIDCOMM_F32, PIDCOMM_SUM);
	case 3:
		return pidcomm_allgather(hc, "11", BYTES, 0, BYTES);
	case 4:
		return pidcomm_scatter(hc, "11", BYTES, (const void *const *)buffers, 0);
	case 5:
		return pidcomm_gather(hc, "11", BYTES, 0, buffers);
	case 6:
		return pidcomm_reduce(hc, "11", BYTES, 0, buffers, PIDCOMM_F32, PIDCOMM_SUM);
	default:
		return pidcomm_broadcast(hc, "11", BYTES, (const void *const *)buffers, 0);
	}
}

/*
 * What each of four hosts sends to the other machine, and to its own one's other host, where
 * hosts 0 and 1 are on one machine, 2 and 3 on the other: in quarters of BYTES.
 */
static const struct sent {
	uint32_t out[4], peer[4];
} sent[] = {
	/* 64 PEs' quarters for each host */
	{ { 128, 128, 128, 128 }, { 64, 64, 64, 64 } },
	/* folds go from 0 to 3; then each gets its chunks of 3 */
	{ { 0, 4, 0, 2 }, { 4, 0, 4, 1 } },
	/* then results to 2 and to 0, and from there to 1 */
	{ { 0, 4, 0, 4 }, { 8, 0, 4, 4 } },
	/* to the other machine's first host, who hands it on, and to the own one's other one */
	{ { 1, 1, 1, 1 }, { 3, 1, 3, 1 } },
	{ { 512, 0, 0, 0 }, { 256, 0, 0, 0 } },
	{ { 0, 0, 256, 256 }, { 0, 256, 0, 0 } },
	{ { 0, 4, 0, 4 }, { 4, 0, 4, 0 } },
	{ { 4, 0, 0, 0 }, { 4, 0, 4, 0 } },
};

static void do_count(const struct hosts_test *t)
{
	struct pimdimm_hosts_stats stats = { .size = sizeof(stats) };
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(URI);
	struct pidcomm *hc = cube_of(h, sys, t->hosts);

	buffers[0] = need(calloc(256, BYTES));
	for (int i = 0; i < 8; i++) {
		const uint64_t out = sent[i].out[t->host] * (BYTES / 4);
		const uint64_t peer = sent[i].peer[t->host] * (BYTES / 4);

		host_ok(make_call(hc, i));
		host_ok(pidcomm_hosts_stats(hc, &stats));
		if (stats.sent_bytes != out || stats.peer_bytes != peer)
			printf("# call %d, host %u: sent %llu, expected %llu; to its own machine %llu, expected %llu\n",
			       i, t->host, (unsigned long long)stats.sent_bytes,
			       (unsigned long long)out, (unsigned long long)stats.peer_bytes,
			       (unsigned long long)peer);
		host_expect(stats.sent_bytes == out && stats.peer_bytes == peer);
		host_expect(!out == !stats.messages);
	}
	/* one batch, one message */
	host_ok(pidcomm_allreduce(hc, "11", 64, 0, BYTES, PIDCOMM_F32, PIDCOMM_SUM));
	host_ok(pidcomm_hosts_stats(hc, &stats));
	host_expect(stats.messages == t->host % 2 && stats.sent_bytes == (t->host % 2 ? 64 : 0));
	/* groups that lie within hosts send nothing */
	host_ok(pidcomm_allreduce(hc, "10", BYTES, 0, BYTES, PIDCOMM_F32, PIDCOMM_SUM));
	host_ok(pidcomm_hosts_stats(hc, &stats));
	host_expect(!stats.messages && !stats.sent_bytes && !stats.peer_bytes);
	free(buffers[0]);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void bytes_are_counted(void **state)
{
	(void)state;
	hosts_run(4, do_count, &(struct hosts_test){ .machines = "0011" });
}

/* --- made, refused --- */

static void do_refuse(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(URI);
	struct pidcomm *hc = cube_of(h, sys, t->hosts);
	const int me = t->host == 1, err = me ? EINVAL : EPROTO;
	struct pidcomm_request *request;
	struct pidcomm_plan *plan;

	host_says(pidcomm_set_algorithm(hc, "allreduce", "direct"), EOPNOTSUPP, "several machines");
	host_says(pidcomm_set_algorithm(hc, "allreduce", "ring"), EOPNOTSUPP, "several hosts");
	host_says(pidcomm_alltoall(hc, "11", 512 * t->hosts, 0, me ? 4 : 16384), err, "dst=4");
	sums_are_right(sys, hc, t->host, t->hosts);
	/* a transport of one thread */
	host_says(pidcomm_iallreduce(hc, "11", 8, 0, 8, PIDCOMM_U64, PIDCOMM_SUM, &request),
		  EOPNOTSUPP, "MPI_THREAD_MULTIPLE");
	host_ok(pidcomm_plan_allreduce(hc, "11", 8, 0, 8, PIDCOMM_U64, PIDCOMM_SUM, &plan));
	host_ok(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	host_says(pidcomm_allreduce(hc, "11", me ? 16 : 8, 0, 16, PIDCOMM_U64, PIDCOMM_SUM), EPROTO,
		  "differs: host 0 (pid");
	host_says(pidcomm_allreduce(hc, "11", 8, 0, 8, PIDCOMM_U64, PIDCOMM_SUM), EPROTO,
		  "differs: host 0 (pid");
	pidcomm_destroy(hc);
	/* what broke is the hypercube's alone */
	hc = cube_of(h, sys, t->hosts);
	sums_are_right(sys, hc, t->host, t->hosts);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void calls_are_refused(void **state)
{
	(void)state;
	hosts_run(3, do_refuse, &(struct hosts_test){ .machines = "011" });
	hosts_run(3, do_refuse, &(struct hosts_test){ .machines = "012" });
}

struct misfit {
	const char *uri;
	uint32_t dims[2];
	const char *words;
};

static void do_misfit(const struct hosts_test *t)
{
	const struct misfit *m = t->ctx;
	struct pimdimm_hosts *h = hosts_joined(t);
	const bool odd = t->host == 2;
	struct pimdimm *sys = opened(odd ? m->uri : URI);
	const uint32_t dims[2] = { 8, 24 };
	struct pidcomm *hc = NULL;

	host_says(pidcomm_create_hosts(h, sys, 2, odd ? m->dims : dims, &hc), EINVAL, m->words);
	host_expect(!hc);
	host_says(pidcomm_create_hosts(h, odd ? NULL : sys, 2, dims, &hc), odd ? EINVAL : EPROTO,
		  "sys is NULL");
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void misfits(void **state)
{
	static const struct misfit all[] = {
		{ URI, { 8, 8 }, "host 0 has 8x24, host 2 has 8x8" },
		{ "mem:ranks=1,mram=64K,layout=xeon_sp", { 8, 24 },
		  "host 0 has linear, host 2 has xeon_sp" },
		{ "mem:ranks=1,mram=128K", { 8, 24 },
		  "host 0 has 65536 bytes, host 2 has 131072" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		hosts_run(3, do_misfit, &(struct hosts_test){ .machines = "001", .ctx = &all[i] });
}

/* --- parts --- */

static unsigned int open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* In the order of keys, numbered anew; hypercubes, too. */
static void use_part(struct pimdimm_hosts *part, uint32_t host, uint32_t hosts, uint32_t machines)
{
	struct pimdimm_hosts_info info = { .size = sizeof(info) };
	struct pimdimm *sys = opened(URI);
	struct pidcomm *hc;
	uint32_t one = 1, all = 0;

	host_ok(pimdimm_hosts_info(part, &info));
	host_expect(info.host == host && info.hosts == hosts && info.machines == machines);
	host_ok(pimdimm_hosts_allreduce(part, &one, &all, 1, PIDCOMM_U32, PIDCOMM_SUM));
	host_expect(all == hosts);
	hc = cube_of(part, sys, hosts);
	sums_are_right(sys, hc, host, hosts);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
}

static void do_split(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t), *part, *again;
	unsigned int fds = open_fds();
	const bool out = t->host == 4;

	/* two of each machine, the last ones first; the fifth one goes without */
	host_ok(pimdimm_hosts_split(h, out ? -1 : (int)(t->host % 2), -(int)t->host, &part));
	host_expect(!part == out);
	if (part) {
		use_part(part, 1 - t->host / 2, 2, 2);
		/* a part of a part, of one host */
		host_ok(pimdimm_hosts_split(part, (int)t->host, 0, &again));
		use_part(again, 0, 1, 1);
		pimdimm_hosts_leave(again);
		pimdimm_hosts_leave(part);
	}
	/* those of one machine alone */
	host_ok(pimdimm_hosts_split(h, t->machines[t->host], 0, &part));
	use_part(part, t->host / 2 % 2 ? t->host - 2 : t->host == 4 ? 2 : t->host,
		 t->machines[t->host] == '0' ? 3 : 2, 1);
	pimdimm_hosts_leave(part);
	host_says(pimdimm_hosts_split(h, 0, 0, t->host == 2 ? NULL : &part),
		  t->host == 2 ? EINVAL : EPROTO, "part is NULL");
	/* tags of those that have left are used again */
	for (int i = 0; i < 20; i++) {
		host_ok(pimdimm_hosts_split(h, 0, 0, &part));
		host_ok(pimdimm_hosts_barrier(part));
		pimdimm_hosts_leave(part);
	}
	host_expect(open_fds() == fds);
	for (int i = 0; i < PC_NET_BASES / 8; i++)
		host_expect(pc_world_of(h)->shared->used[i] == !i);
	pimdimm_hosts_leave(h);
}

static void hosts_split(void **state)
{
	(void)state;
	hosts_run(5, do_split, &(struct hosts_test){ .machines = "00110" });
}

/* --- what goes wrong --- */

static void do_fault(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(t->host == 1 ? URI ",inject=fail_nth:1" : URI);
	struct pidcomm *hc = cube_of(h, sys, t->hosts);

	host_says(pidcomm_allreduce(hc, "11", 8192, 0, 0, PIDCOMM_U64, PIDCOMM_SUM), EIO,
		  t->host == 1 ? "injected" : "host 1 (pid ");
	sums_are_right(sys, hc, t->host, t->hosts);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void faults_are_told(void **state)
{
	(void)state;
	hosts_run(3, do_fault, &(struct hosts_test){ .machines = "001" });
}

static int call_until_broken(struct pidcomm *hc, int calls)
{
	int ret = 0;

	buffers[0] = need(calloc(64 * HOSTS_TEST_MOST, BYTES));
	for (int i = 0; !ret && i != calls; i++)
		ret = make_call(hc, i % 8);
	return ret;
}

/* Every other one gets an error, which is all that it gets from then on. */
static void expect_broken(struct pidcomm *hc, int first)
{
	char words[1024];

	snprintf(words, sizeof(words), "%s", pimdimm_errmsg());
	host_expect(pidcomm_allreduce(hc, "11", 8, 0, 8, PIDCOMM_U64, PIDCOMM_SUM) == first);
	host_expect(!strcmp(words, pimdimm_errmsg()));
}

static void do_abort(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(URI);
	struct pidcomm *hc = cube_of(h, sys, 4);
	int ret;

	if (t->host == 3) {
		host_ok(call_until_broken(hc, 3));
		host_ok(pimdimm_hosts_abort(h, "the input ends"));
	}
	ret = call_until_broken(hc, -1);
	host_says(ret, ECANCELED, "host 3 (pid");
	expect_broken(hc, ret);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void aborts_reach_hypercubes(void **state)
{
	(void)state;
	hosts_run(4, do_abort, &(struct hosts_test){ .machines = "0011" });
	hosts_run(4, do_abort, &(struct hosts_test){ .machines = "0012" });
}

static void kill_later(int signal)
{
	(void)signal;
	kill(getpid(), SIGKILL);
}

/* One of them dies in the midst of a call: nobody knows which. */
static void do_die(const struct hosts_test *t)
{
	const uint32_t *victim = t->ctx;
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(URI);
	struct pidcomm *hc = cube_of(h, sys, t->hosts);
	struct timespec now;
	int ret;

	if (t->host == *victim) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		signal(SIGALRM, kill_later);
		ualarm(5000 + (useconds_t)(now.tv_nsec / 1000 % 100000), 0);
	}
	ret = call_until_broken(hc, -1);
	host_expect(ret == -ECONNRESET || ret == -ETIMEDOUT);
	expect_broken(hc, ret);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void deaths_are_told(void **state)
{
	pid_t pids[HOSTS_TEST_MOST];

	(void)state;
	for (uint32_t victim = 0; victim < 4; victim++) {
		struct hosts_test t = { .machines = "0011", .hosts = 4, .timeout_ms = PATIENCE,
					.ctx = &victim };
		bool well = true;

		sockets_open(t.hosts);
		fflush(stdout);
		for (t.host = 0; t.host < t.hosts; t.host++)
			pids[t.host] = hosts_fork(do_die, &t);
		sockets_close(t.hosts, UINT32_MAX);
		for (uint32_t i = 0; i < t.hosts; i++)
			well = (hosts_ended_well(pids[i]) || i == victim) && well;
		assert_true(well);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(bytes_are_counted),
	cmocka_unit_test(calls_are_refused),
	cmocka_unit_test(misfits),
	cmocka_unit_test(hosts_split),
	cmocka_unit_test(faults_are_told),
	cmocka_unit_test(aborts_reach_hypercubes),
	cmocka_unit_test(deaths_are_told),
};

UNIT_MAIN(tests)

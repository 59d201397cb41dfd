// SPDX-License-Identifier: MIT
/*
 * How much is under way between machines, and how often who waits asks. Messages leave here
 * only when their host has begun all that it begins by itself, and does nothing but ask: so
 * what it has begun by then is counted, and does not depend on how fast anything is.
 */
#include <stdatomic.h>
#include <sys/mman.h>

#include "runtime/base/util.h"
#include "collectives/across/network.h"
#include "tests/unit/hosts.h"

#define URI		"mem:ranks=4,mram=512K"
#define PES		256u
#define BYTES		(128u << 10)
/* a host that asks so often in a row waits */
#define WAITS		1000u
/* none of the messages by which hosts agree on a call is as long */
#define CALLS_LEAST	8192u
/* messages that all MPI libraries send without asking first */
#define AT_ONCE		16384u

/* what a leader folds for the other machine: whole slices, and whole segments */
#define SLICES		15u
#define PART		(SLICES * PC_HOSTS_SLICE)
/* the segments for which there is room before any has left */
#define SEGMENTS	PC_NET_MOST

/* between two rests a host asks no more than so often; the other one comes after so many rests */
#define ASKS_MOST	500u
#define RESTS		3u

static struct flight {
	uint32_t asked;
	uint64_t longest, begun;
	/* what was begun when the host waits for the first time */
	uint64_t first;
	/* what the machine's own fold had loaded at each segment that was sent */
	const struct pimdimm_hosts *machine;
	uint32_t segments;
	uint64_t loaded[SEGMENTS];
} flight;

static int flight_isend(void *ctx, const void *buf, size_t bytes, uint32_t to, uint32_t tag,
			void **request)
{
	flight.asked = 0;
	flight.begun += bytes;
	if (bytes > flight.longest)
		flight.longest = bytes;
	if (flight.machine && bytes == PC_NET_EXCHANGE && flight.segments < SEGMENTS)
		flight.loaded[flight.segments++] = flight.machine->stats.loaded;
	return sockets_isend(ctx, buf, bytes, to, tag, request);
}

static int flight_irecv(void *ctx, void *buf, size_t bytes, uint32_t from, uint32_t tag,
			void **request)
{
	flight.asked = 0;
	return sockets_irecv(ctx, buf, bytes, from, tag, request);
}

static int flight_test(void *ctx, void *request)
{
	const struct sockets_request *r = request;

	if (!r->ended && ++flight.asked < WAITS)
		return 0;
	if (!r->ended && !flight.first && flight.longest >= CALLS_LEAST)
		flight.first = flight.begun;
	return sockets_test(ctx, request);
}

static struct pimdimm_hosts *joined(const struct hosts_test *t)
{
	const struct pimdimm_hosts_options options = { .size = sizeof(options),
						       .timeout_ms = HOSTS_PATIENCE };
	struct pimdimm_transport transport = sockets_transport(t->host, t->hosts);
	const char name[] = { t->machines[t->host], 0 };
	struct pimdimm_hosts *h;

	transport.isend = flight_isend;
	transport.irecv = flight_irecv;
	transport.test = flight_test;
	setenv("PIMDIMM_MACHINE", name, 1);
	host_ok(pimdimm_hosts_from_transport(&transport, &options, &h));
	return h;
}

/* The bytes that are begun before anything comes, of an alltoall. */
static void do_alltoall(const struct hosts_test *t)
{
	struct pimdimm_hosts_stats stats = { .size = sizeof(stats) };
	struct pimdimm_hosts *h = joined(t);
	const uint32_t bytes = BYTES / (PES * t->hosts) / 8 * 8 * PES * t->hosts;
	const uint64_t out = (uint64_t)bytes * PES / t->hosts * (t->hosts - 1);
	struct pimdimm *sys;
	struct pidcomm *hc;

	host_ok(pimdimm_open(URI, &sys));
	host_ok(pidcomm_create_hosts(h, sys, 1, (const uint32_t[]){ PES * t->hosts }, &hc));
	flight = (struct flight){ .begun = 0 };
	host_ok(pidcomm_alltoall(hc, "1", bytes, 0, bytes));
	host_ok(pidcomm_hosts_stats(hc, &stats));
	if (flight.longest > AT_ONCE || flight.first < 2 << 20)
		printf("# host %u of %u has %llu of %llu bytes under way when it first waits; its longest message is of %llu\n",
		       t->host, t->hosts, (unsigned long long)flight.first,
		       (unsigned long long)out, (unsigned long long)flight.longest);
	host_expect(stats.sent_bytes == out);
	host_expect(flight.longest <= AT_ONCE);
	host_expect(flight.first >= 2 << 20 && flight.first < out / 2);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void enough_is_under_way(void **state)
{
	(void)state;
	hosts_run(2, do_alltoall, &(struct hosts_test){ .machines = "01" });
	hosts_run(3, do_alltoall, &(struct hosts_test){ .machines = "012" });
}

/*
 * Two leaders on each of two machines, or one: each sends a segment of its part of what it folds
 * for the other machine as soon as the slices that have it are folded, and nothing more is.
 */
static void do_leaders(const struct hosts_test *t)
{
	const uint64_t n = 2 * 2 * PART / sizeof(int32_t);
	int32_t *in = need(malloc(n * sizeof(*in))), *out = need(calloc(n, sizeof(*out)));
	struct pimdimm_hosts *h = joined(t);
	const char *algorithm = t->ctx;
	const bool all = !strcmp(algorithm, "leaders"), sends = all || !(t->host % 2);

	for (uint64_t i = 0; i < n; i++)
		in[i] = (int32_t)(i * (t->host + 1));
	host_ok(pimdimm_hosts_set_algorithm(h, "allreduce", algorithm));
	flight = (struct flight){ .machine = pc_world_of(h)->machine };
	host_ok(pimdimm_hosts_allreduce(h, in, out, n, PIDCOMM_I32, PIDCOMM_SUM));
	flight.machine = NULL;
	host_expect(flight.segments == (sends ? SEGMENTS : 0));
	/* of two hosts each loads its own for the other, then both for itself; one leader the latter */
	for (uint32_t k = 0; k < flight.segments; k++) {
		const uint64_t folded = flight.loaded[k] / (all ? 3 : 2);
		const uint64_t needed = pd_round_up((k + 1) * PC_NET_EXCHANGE, PC_HOSTS_SLICE);

		if (folded != needed)
			printf("# %s: host %u sends segment %u when %llu bytes are folded\n",
			       algorithm, t->host, k, (unsigned long long)folded);
		host_expect(folded == needed);
	}
	for (uint64_t i = 0; i < n; i++)
		host_expect(out[i] == (int32_t)(i * 10));
	free(in);
	free(out);
	pimdimm_hosts_leave(h);
}

/*
 * What is folded in the order of the hosts is so from the vector's beginning on: that is what
 * the second machine's first host sends first.
 */
static void do_leaders_in_order(const struct hosts_test *t)
{
	const uint64_t n = 2 * 2 * PART / sizeof(float);
	float *in = need(malloc(n * sizeof(*in))), *out = need(calloc(n, sizeof(*out)));
	struct pimdimm_hosts *h = joined(t);

	for (uint64_t i = 0; i < n; i++)
		in[i] = (float)(i % 1000 * (t->host + 1));
	host_ok(pimdimm_hosts_set_algorithm(h, "allreduce", "leaders"));
	flight = (struct flight){ .machine = pc_world_of(h)->machine };
	host_ok(pimdimm_hosts_allreduce(h, in, out, n, PIDCOMM_F32, PIDCOMM_SUM));
	flight.machine = NULL;
	host_expect(flight.segments == SEGMENTS);
	/* its first turns of the wave are enough for the first segments */
	if (t->host == 2)
		host_expect(flight.loaded[1] < n * sizeof(float) / 2);
	for (uint64_t i = 0; i < n; i++)
		host_expect(out[i] == (float)(i % 1000 * 10));
	free(in);
	free(out);
	pimdimm_hosts_leave(h);
}

static void segments_leave_as_they_are_folded(void **state)
{
	(void)state;
	hosts_run(4, do_leaders, &(struct hosts_test){ .machines = "0011", .ctx = "leaders" });
	hosts_run(4, do_leaders, &(struct hosts_test){ .machines = "0011", .ctx = "leader" });
	hosts_run(4, do_leaders_in_order, &(struct hosts_test){ .machines = "0011" });
}

/* --- who waits for long --- */

/* host 0's, in memory that both hosts have, while it counts them */
static atomic_uint *rests;
static bool counts;
static uint32_t asked, asked_most;

int __real_usleep(useconds_t us);
int __wrap_usleep(useconds_t us);

int __wrap_usleep(useconds_t us)
{
	if (counts) {
		if (atomic_fetch_add(rests, 1) && asked > asked_most)
			asked_most = asked;
		asked = 0;
	}
	return __real_usleep(us);
}

static int asking_test(void *ctx, void *request)
{
	asked++;
	return sockets_test(ctx, request);
}

/* The second host comes when the first one has rested, which it does as nobody comes. */
static void do_wait(const struct hosts_test *t)
{
	struct pimdimm_transport transport = sockets_transport(t->host, t->hosts);
	const char name[] = { t->machines[t->host], 0 };
	struct pimdimm_hosts *h;

	transport.test = asking_test;
	setenv("PIMDIMM_MACHINE", name, 1);
	host_ok(pimdimm_hosts_from_transport(&transport, NULL, &h));
	host_ok(pimdimm_hosts_barrier(h));
	if (t->host) {
		while (atomic_load(rests) < RESTS)
			__real_usleep(1000);
		host_ok(pimdimm_hosts_barrier(h));
	} else {
		counts = true;
		host_ok(pimdimm_hosts_barrier(h));
		counts = false;
		host_expect(asked_most && asked_most <= ASKS_MOST);
	}
	pimdimm_hosts_leave(h);
}

static void who_waits_for_long_rests(void **state)
{
	(void)state;
	rests = mmap(NULL, sizeof(*rests), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	assert_ptr_not_equal(rests, MAP_FAILED);
	hosts_run(2, do_wait, &(struct hosts_test){ .machines = "01" });
	assert_true(atomic_load(rests) >= RESTS);
	munmap(rests, sizeof(*rests));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(enough_is_under_way),
	cmocka_unit_test(segments_leave_as_they_are_folded),
	cmocka_unit_test(who_waits_for_long_rests),
};

UNIT_MAIN(tests)

// SPDX-License-Identifier: MIT
/*
 * How much is under way between machines. Messages leave here only when their host has begun
 * all that it begins by itself, and does nothing but ask: so what it has begun by then is
 * counted, and does not depend on how fast anything is.
 */
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

static struct flight {
	uint32_t asked;
	uint64_t longest, begun;
	/* what was begun when the host waits for the first time */
	uint64_t first;
} flight;

static int flight_isend(void *ctx, const void *buf, size_t bytes, uint32_t to, uint32_t tag,
			void **request)
{
	flight.asked = 0;
	flight.begun += bytes;
	if (bytes > flight.longest)
		flight.longest = bytes;
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(enough_is_under_way),
};

UNIT_MAIN(tests)

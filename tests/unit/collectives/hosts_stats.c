// SPDX-License-Identifier: MIT
/* What hosts tell of their last call, and of what they are doing, on one machine. */
#include "collectives/hosts/agree.h"
#include "collectives/hosts/buffers.h"
#include "tests/unit/hosts.h"

#define VECTOR	(1u << 18)

static struct pimdimm_hosts_stats stats_of(const struct pimdimm_hosts *h)
{
	struct pimdimm_hosts_stats stats = { .size = sizeof(stats) };

	host_ok(pimdimm_hosts_stats(h, &stats));
	return stats;
}

/* Whose results are copied, and by which algorithms not. */
static void do_spread(const struct hosts_test *t)
{
	static const struct {
		const char *name;
		bool copies;
	} all[] = {
		{ "ma", true }, { "wave", true }, { "dpml", true }, { "dpml2", true },
		{ "ma+socket", true }, { "rg", true }, { "direct", false }, { "ring", true },
		{ "rabenseifner", true },
	};
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm_hosts_stats stats;
	int32_t *in, *out;

	host_ok(pimdimm_hosts_alloc(h, VECTOR * 4, (void **)&in));
	host_ok(pimdimm_hosts_alloc(h, VECTOR * 4 * t->hosts, (void **)&out));
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		host_ok(pimdimm_hosts_set_algorithm(h, "allreduce", all[i].name));
		host_ok(pimdimm_hosts_allreduce(h, in, out, VECTOR, PIDCOMM_I32, PIDCOMM_SUM));
		stats = stats_of(h);
		if (!stats.ns_spread != !all[i].copies)
			printf("# %s: %llu ns\n", all[i].name, (unsigned long long)stats.ns_spread);
		host_expect(!stats.ns_spread == !all[i].copies && stats.ns_fold);
		/* nor does the time of one go into the other's */
		host_expect(stats.ns_fold < UINT64_MAX / 2);
	}
	host_ok(pimdimm_hosts_set_algorithm(h, NULL, "pipelined"));
	host_ok(pimdimm_hosts_broadcast(h, out, VECTOR, 0));
	host_expect(!stats_of(h).ns_spread == !t->host);
	host_ok(pimdimm_hosts_allgather(h, in, out, VECTOR));
	host_expect(stats_of(h).ns_spread);
	host_ok(pimdimm_hosts_set_algorithm(h, NULL, "direct"));
	host_ok(pimdimm_hosts_allgather(h, in, out, VECTOR));
	host_expect(stats_of(h).ns_spread && stats_of(h).peer_bytes);
	pimdimm_hosts_leave(h);
}

static void copying_results_takes_time(void **state)
{
	(void)state;
	hosts_run(2, do_spread, &(struct hosts_test){ .sockets = 2 });
	hosts_run(4, do_spread, &(struct hosts_test){ .sockets = 2 });
}

/* What the root's machine copies among its own hosts counts as on one machine. */
static void do_spread_between(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	uint8_t *buf = need(calloc(1, VECTOR));

	host_ok(pimdimm_hosts_set_algorithm(h, NULL, "leaders"));
	host_ok(pimdimm_hosts_broadcast(h, buf, VECTOR, 0));
	host_expect(!stats_of(h).ns_spread == !t->host);
	host_expect(stats_of(h).ns_fold < UINT64_MAX / 2);
	free(buf);
	pimdimm_hosts_leave(h);
}

static void copying_results_takes_time_between_machines(void **state)
{
	(void)state;
	hosts_run(4, do_spread_between, &(struct hosts_test){ .machines = "0011" });
}

/* One descriptor goes from who hands it over to each of the others. */
static void do_hand(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t), *part;
	struct pimdimm_hosts_stats stats;
	const struct pimdimm_hosts *machine = h->machine ? h->machine : h;
	const bool keeps = machine->keeper == machine->host;
	void *buf;

	host_ok(pimdimm_hosts_alloc(h, 100, &buf));
	stats = stats_of(h);
	host_expect(stats.ns_handles && stats.ns_arrive);
	host_expect(stats.handles_made == (keeps ? machine->hosts - 1 : 0));
	host_expect(stats.handles_mapped == !keeps);
	if (!t->machines) {
		/* a page and a connection to each other host, or from it */
		host_ok(pimdimm_hosts_split(h, 0, 0, &part));
		stats = stats_of(h);
		host_expect(stats.ns_handles && !stats.handles_made == !keeps);
		host_expect(!stats.handles_mapped == keeps);
		pimdimm_hosts_leave(part);
	}
	pimdimm_hosts_leave(h);
}

static void descriptors_are_counted(void **state)
{
	(void)state;
	hosts_run(2, do_hand, &(struct hosts_test){ 0 });
	hosts_run(3, do_hand, &(struct hosts_test){ 0 });
	hosts_run(4, do_hand, &(struct hosts_test){ .machines = "0011" });
}

static uint32_t phase_of(const struct pimdimm_hosts *h)
{
	return atomic_load(&h->page->line[h->host].doing) & 255;
}

/* What others say of a host that dies while it copies results, or after that. */
static void copying_results_is_told(void **state)
{
	const struct hosts_test t = { .hosts = 1 };
	uint8_t from[64] = { 1 }, to[64];
	struct pc_buffers_call call = { .wide = 1, .dst = to, .out_end = sizeof(to) };

	(void)state;
	hosts_meeting();
	call.h = hosts_joined(&t);
	call.h->kind = PC_HOSTS_ALLREDUCE;
	pc_hosts_doing(call.h, PC_HOSTS_FOLDING);
	pc_buffers_copy(&call, to, from, sizeof(to), false);
	assert_int_equal(phase_of(call.h), PC_HOSTS_FOLDING);
	pc_buffers_receive(&call, from, 0, sizeof(to));
	assert_int_equal(phase_of(call.h), PC_HOSTS_SPREADING);
	pc_buffers_post(&call, 1);
	assert_int_equal(phase_of(call.h), PC_HOSTS_FOLDING);
	pc_buffers_copy(&call, to, from, sizeof(to), true);
	assert_int_equal(phase_of(call.h), PC_HOSTS_SPREADING);
	pc_buffers_copy(&call, to, from, sizeof(to), false);
	assert_int_equal(phase_of(call.h), PC_HOSTS_FOLDING);
	assert_true(call.h->stats.ns_spread);
	pimdimm_hosts_leave(call.h);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(copying_results_takes_time),
	cmocka_unit_test(copying_results_takes_time_between_machines),
	cmocka_unit_test(descriptors_are_counted),
	cmocka_unit_test(copying_results_is_told),
};

UNIT_MAIN(tests)

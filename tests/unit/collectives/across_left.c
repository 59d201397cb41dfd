// SPDX-License-Identifier: MIT
/* Hosts of several machines that leave while the others go on, and what these are told. */
#include "tests/unit/hosts.h"

#define CALLS		20
#define VECTOR		1000u
/* without a word of who leaves, the others' waits end here with another error */
#define PATIENCE	10000

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
				  &(struct hosts_test){ .machines = layouts[i], .ctx = &leaver,
							.timeout_ms = PATIENCE });
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(who_waits_is_told),
	cmocka_unit_test(earlier_calls_end_well),
};

UNIT_MAIN(tests)

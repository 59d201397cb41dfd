// SPDX-License-Identifier: MIT
/* Hosts that work together for very long: numbers of calls wrap around, and so do tags of runs. */
#include <stdatomic.h>
#include <sys/mman.h>

#include "collectives/cubes/cubes.h"
#include "tests/unit/hosts.h"

#define AXES	"01"
#define URI	"mem:ranks=1,mram=64K"

/* Wait for the other hosts beside what hosts are. */
static void all_came(const struct hosts_test *t, uint32_t times)
{
	_Atomic uint32_t *came = (_Atomic uint32_t *)(uintptr_t)t->ctx;

	atomic_fetch_add(came, 1);
	while (atomic_load(came) < times * t->hosts)
		usleep(100);
}

/* As if so many calls had been made. */
static void have_made(struct pimdimm_hosts *h, const struct hosts_test *t, uint64_t calls)
{
	all_came(t, 1);
	h->number = calls;
	atomic_store(&h->page->line[h->host].step, calls << 32 | UINT32_MAX);
	all_came(t, 2);
}

static void do_wrap(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	uint32_t own[2], sums[2];

	have_made(h, t, UINT32_MAX - 5);
	for (uint32_t i = 0; i < 12; i++) {
		own[0] = 10 * t->host + i;
		own[1] = i;
		/* who is late is waited for */
		if (i % t->hosts == t->host)
			usleep(20000);
		host_ok(pimdimm_hosts_allreduce(h, own, sums, 2, PIDCOMM_U32, PIDCOMM_SUM));
		host_expect(sums[0] == 10 * (t->hosts * (t->hosts - 1) / 2) + t->hosts * i);
		host_expect(sums[1] == t->hosts * i);
	}
	pimdimm_hosts_leave(h);
}

static void numbers_of_calls_wrap(void **state)
{
	_Atomic uint32_t *came = mmap(NULL, sizeof(*came), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(came != MAP_FAILED);
	for (uint32_t hosts = 2; hosts <= 3; hosts++) {
		atomic_store(came, 0);
		hosts_run(hosts, do_wrap, &(struct hosts_test){ .ctx = (const void *)came });
	}
	munmap((void *)came, sizeof(*came));
}

static void do_tickets(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = unit_open(URI);
	struct pidcomm *hc;
	struct pc_cubes *c;
	uint64_t one = 1, sum = 0;

	host_ok(pidcomm_create_hosts(h, sys, 2, (const uint32_t[]){ 8, 8 * t->hosts }, &hc));
	host_ok(pidcomm_set_algorithm(hc, NULL, "direct"));
	for (uint32_t pe = 0; pe < 64; pe++)
		host_ok(pimdimm_write(sys, pe, 0, &one, 8));
	c = pc_cubes_of(hc);
	/* all tickets of the next call's first run are gone, by its tag's last turn */
	atomic_store(&c->crew.lines[t->host].taken,
		     (uint64_t)(uint32_t)((c->hosts->number + 1) << 8) << 32 | UINT32_MAX);
	host_ok(pidcomm_allreduce(hc, AXES, 8, 0, 8, PIDCOMM_U64, PIDCOMM_SUM));
	for (uint32_t pe = 0; pe < 64; pe++) {
		host_ok(pimdimm_read(sys, pe, 8, &sum, 8));
		host_expect(sum == 8 * t->hosts);
	}
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void tags_of_runs_come_again(void **state)
{
	(void)state;
	for (uint32_t hosts = 1; hosts <= 3; hosts++)
		hosts_run(hosts, do_tickets, &(struct hosts_test){ 0 });
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(numbers_of_calls_wrap),
	cmocka_unit_test(tags_of_runs_come_again),
};

UNIT_MAIN(tests)

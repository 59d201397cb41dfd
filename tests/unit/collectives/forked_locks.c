// SPDX-License-Identifier: MIT
/*
 * Children after fork() that make worlds, hosts and transports of their own, while another
 * thread of their parent holds the locks of all of these most of the time.
 */
#include <pimdimm/messages.h>

#include "collectives/across/machines.h"
#include "collectives/across/world_open.h"
#include "collectives/hosts/segments.h"
#include "collectives/messages/memory.h"
#include "tests/unit/forked.h"
#include "tests/unit/hosts.h"

#define CHILDREN	200
#define SYSTEMS		24
/* among which one is looked for, for a while */
#define SEGMENTS	2000

static struct pimmsg_end *host;
static struct pimdimm *last_sys;

static void *ask_for_world(void *arg)
{
	struct pimmsg_end *other;

	while (!forked_stop && pimmsg_world(last_sys, 0, 1, &other) == -EBUSY)
		;
	return arg;
}

static void *look_for_memory(void *arg)
{
	while (!forked_stop && !pm_segment_of(host->world, 1, 2))
		;
	return arg;
}

static int child_makes_world(void)
{
	struct pimmsg_end *own;
	struct pimdimm *sys;
	void *memory;

	if (pimdimm_open("mem:ranks=1,mram=64K", &sys))
		return 1;
	if (pimmsg_world(sys, 0, 1, &own))
		return 2;
	if (pimmsg_alloc(own, 100, &memory) || pimmsg_free(own, memory))
		return 3;
	pimmsg_close(own);
	pimdimm_close(sys);
	return 0;
}

/* the first one made is the last one found */
static void test_worlds(void **state)
{
	struct pimmsg_end *ends[SYSTEMS];
	struct pimdimm *systems[SYSTEMS];

	(void)state;
	for (int i = 0; i < SYSTEMS; i++) {
		systems[i] = unit_open("mem:ranks=1,mram=64K");
		assert_ok(pimmsg_world(systems[i], 0, 1, &ends[i]));
	}
	last_sys = systems[0];
	forked_beside(ask_for_world, child_makes_world, CHILDREN);
	for (int i = 0; i < SYSTEMS; i++) {
		pimmsg_close(ends[i]);
		pimdimm_close(systems[i]);
	}
}

static void test_memory(void **state)
{
	struct pimdimm *sys = unit_open("mem:ranks=1,mram=64K");
	void *memory;

	(void)state;
	assert_ok(pimmsg_world(sys, 0, 1, &host));
	for (int i = 0; i < SEGMENTS; i++)
		assert_ok(pimmsg_alloc(host, 1, &memory));
	forked_beside(look_for_memory, child_makes_world, CHILDREN);
	pimmsg_close(host);
	pimdimm_close(sys);
}

static struct pimdimm_hosts whole, part;

static void *look_in_whole(void *arg)
{
	while (!forked_stop && !pc_hosts_place_in_whole(&part, &whole, 1).segment)
		;
	return arg;
}

static int child_joins(void)
{
	const struct pimdimm_hosts_options options = {
		.size = sizeof(options),
		.timeout_ms = HOSTS_PATIENCE,
	};
	struct pimdimm_hosts *own;
	void *buf;

	if (pimdimm_hosts_join(hosts_meeting(), 0, 1, &options, &own))
		return 1;
	if (pimdimm_hosts_alloc(own, 100, &buf))
		return 2;
	pimdimm_hosts_free(own, buf);
	pimdimm_hosts_leave(own);
	return 0;
}

/* which takes one lock below the other */
static void test_hosts(void **state)
{
	static struct pc_hosts_segment segments[SEGMENTS];

	(void)state;
	pc_hosts_attach(&whole, &part);
	for (int i = 0; i < SEGMENTS; i++) {
		segments[i] = (struct pc_hosts_segment){ .number = (uint64_t)i + 1 };
		pc_hosts_segment_add(&whole, &segments[i]);
	}
	forked_beside(look_in_whole, child_joins, CHILDREN);
}

static struct pc_net_shared tags;
static struct pc_world across = { .shared = &tags };

static void *look_at_tags(void *arg)
{
	uint8_t used[PC_NET_BASES / 8];

	while (!forked_stop)
		pc_world_bases(&across, used);
	return arg;
}

static int child_looks_at_tags(void)
{
	static struct pc_net_shared own_tags;
	const struct pc_world own = { .shared = &own_tags };
	uint8_t used[PC_NET_BASES / 8];

	pc_world_bases(&own, used);
	return 0;
}

static void test_transports(void **state)
{
	(void)state;
	forked_beside(look_at_tags, child_looks_at_tags, CHILDREN);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_worlds),
	cmocka_unit_test(test_memory),
	cmocka_unit_test(test_hosts),
	cmocka_unit_test(test_transports),
};

FORKED_MAIN(tests)

// SPDX-License-Identifier: MIT
/*
 * Threads and memory over the machine: of machines that hwloc is told to believe
 * in, and of this one.
 */
#include <hwloc.h>
#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "runtime/ranks/system.h"
#include "tests/unit/unit.h"

/* 2 nodes of 2 L3s of 4 cores of 2 PUs */
#define TWO_NODES	"pack:2 node:1 l3:2(size=16777216) " \
			"l2:4(size=1048576) l1:1(size=32768) core:1 pu:2"
#define L3		16777216u
#define OWN		(1048576u + 32768u)

static void believe(const char *synthetic)
{
	setenv("HWLOC_SYNTHETIC", synthetic, 1);
	pd_topology_forget();
}

static int look_again(void **state)
{
	(void)state;
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_XMLFILE");
	unsetenv("HWLOC_LIBXML");
	unsetenv("HWLOC_XML_VERBOSE");
	unsetenv("HWLOC_COMPONENTS");
	unsetenv("PIMDIMM_THREADS");
	pd_topology_forget();
	return 0;
}

static struct pd_placement *make_placement(unsigned threads, const cpu_set_t *allowed)
{
	struct pd_placement *p = NULL;

	assert_ok(pd_placement_make(threads, allowed, sizeof(*allowed), &p));
	assert_int_equal(p->threads, threads);
	return p;
}

static void shares_are(unsigned threads, const cpu_set_t *allowed,
		       const char *expected)
{
	struct pd_placement *p = make_placement(threads, allowed);
	char all[256] = "", one[64];

	for (unsigned i = 0; i < threads; i++) {
		pd_share_print(p, i, one, sizeof(one));
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s",
			 i ? "; " : "", one);
	}
	assert_string_equal(all, expected);
	pd_placement_free(p);
}

static cpu_set_t pus(unsigned from, unsigned upto)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	while (from < upto)
		CPU_SET(from++, &set);
	return set;
}

static void test_shares(void **state)
{
	(void)state;
	believe(TWO_NODES);
	shares_are(1, NULL, "0-31");
	shares_are(2, NULL, "0-15; 16-31");
	shares_are(3, NULL, "0-15; 16-23; 24-31");
	shares_are(4, NULL, "0-7; 8-15; 16-23; 24-31");
	shares_are(6, NULL, "0-7; 8-11; 12-15; 16-23; 24-27; 28-31");
	/* cores before their second PUs */
	shares_are(16, NULL, "0-1; 2-3; 4-5; 6-7; 8-9; 10-11; 12-13; 14-15; "
			     "16-17; 18-19; 20-21; 22-23; 24-25; 26-27; 28-29; "
			     "30-31");
	shares_are(18, NULL, "0-1; 2-3; 4-5; 6-7; 8-9; 10-11; 12-13; 14; 15; "
			     "16-17; 18-19; 20-21; 22-23; 24-25; 26-27; 28-29; "
			     "30; 31");
}

static void test_affinity(void **state)
{
	cpu_set_t node = pus(16, 32), odd = pus(5, 12), one = pus(9, 10);

	(void)state;
	believe(TWO_NODES);
	shares_are(2, &node, "16-23; 24-31");
	shares_are(4, &node, "16-19; 20-23; 24-27; 28-31");
	/* 5 | 6 7 of the first L3, 8 9 | 10 11 of the second */
	shares_are(2, &odd, "5-7; 8-11");
	shares_are(4, &odd, "5; 6-7; 8-9; 10-11");
	shares_are(1, &one, "9");
	shares_are(3, &one, "9; 9; 9");
}

static void nodes_are(unsigned threads, const cpu_set_t *allowed,
		      const char *expected)
{
	struct pd_placement *p = make_placement(threads, allowed);
	char all[64] = "";

	for (unsigned i = 0; p->nr_nodes > 1 && i < threads; i++)
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%u",
			 p->nodes[p->shares[i].node]);
	assert_string_equal(all, expected);
	pd_placement_free(p);
}

static void test_nodes(void **state)
{
	cpu_set_t second = pus(16, 32), most = pus(8, 20);

	(void)state;
	believe(TWO_NODES);
	nodes_are(1, NULL, "");
	nodes_are(2, NULL, "01");
	nodes_are(3, NULL, "011");
	nodes_are(4, NULL, "0011");
	nodes_are(33, NULL, "");
	nodes_are(4, &second, "");
	nodes_are(3, &most, "001");
	believe("pack:4 node:1 core:2 pu:1");
	nodes_are(2, NULL, "");		/* each thread spans two */
	nodes_are(4, NULL, "0123");
	nodes_are(8, NULL, "00112233");
}

static void caches_are(unsigned threads, const cpu_set_t *allowed,
		       uint64_t bytes)
{
	struct pd_placement *p = make_placement(threads, allowed);

	assert_int_equal(p->cache_bytes, bytes);
	pd_placement_free(p);
}

/* Only of the caches that as many threads really have. */
static void test_caches(void **state)
{
	cpu_set_t first = pus(0, 8);

	(void)state;
	believe(TWO_NODES);
	caches_are(1, NULL, L3 + OWN);
	caches_are(2, NULL, 2 * L3 + 2 * OWN);
	caches_are(4, NULL, 4 * L3 + 4 * OWN);
	caches_are(8, NULL, 4 * L3 + 8 * OWN);
	caches_are(32, NULL, 4 * L3 + 16 * OWN);
	caches_are(100, NULL, 4 * L3 + 16 * OWN);
	caches_are(2, &first, L3 + 2 * OWN);
	caches_are(8, &first, L3 + 4 * OWN);
}

#define XML_SETS	"cpuset=\"0x3\" complete_cpuset=\"0x3\" " \
			"nodeset=\"0x1\" complete_nodeset=\"0x1\" "
#define XML_CACHE(level, gp, size, inclusive)				\
	"<object type=\"L" level "Cache\" " XML_SETS "gp_index=\"" gp	\
	"\" cache_size=\"" size "\" depth=\"" level "\" "		\
	"cache_linesize=\"64\" cache_associativity=\"8\" "		\
	"cache_type=\"0\"><info name=\"Inclusive\" value=\"" inclusive	\
	"\"/>"
#define XML_PU(number, mask, gp)					\
	"<object type=\"PU\" os_index=\"" number "\" cpuset=\"" mask	\
	"\" complete_cpuset=\"" mask "\" nodeset=\"0x1\" "		\
	"complete_nodeset=\"0x1\" gp_index=\"" gp "\"/>"

/*
 * hwloc's own reader, which is all there is where libhwloc-plugins is not
 * installed, takes no tag on the lines of the headers.
 */
static const char xml[] =
	"<?xml version=\"1.0\"?>\n"
	"<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
	"<topology version=\"2.0\"><object type=\"Machine\" os_index=\"0\" "
	XML_SETS "allowed_cpuset=\"0x3\" allowed_nodeset=\"0x1\" gp_index=\"1\">"
	"<object type=\"NUMANode\" os_index=\"0\" " XML_SETS "gp_index=\"2\"/>"
	XML_CACHE("3", "3", "8388608", "1")
	XML_CACHE("2", "4", "262144", "0")
	XML_PU("0", "0x1", "5") XML_PU("1", "0x2", "6")
	"</object></object></object></topology>";

/*
 * A file that hwloc cannot read would leave it with this machine, and the test
 * with this machine's numbers: hwloc is asked first. What it says of the file goes
 * to stderr, where a variable asks for that.
 */
static void believe_file(const char *path)
{
	hwloc_topology_t t;
	bool read;

	setenv("HWLOC_LIBXML", "0", 1);
	setenv("HWLOC_XML_VERBOSE", "1", 1);
	assert_int_equal(hwloc_topology_init(&t), 0);
	errno = 0;
	read = !hwloc_topology_set_xml(t, path) && !hwloc_topology_load(t);
	if (!read)
		print_error("# hwloc cannot read %s: %s\n", path, strerror(errno));
	hwloc_topology_destroy(t);
	assert_true(read);
	setenv("HWLOC_XMLFILE", path, 1);
	pd_topology_forget();
}

/* What an inclusive cache holds of the inner ones is not counted again. */
static void test_inclusive(void **state)
{
	char path[] = "/tmp/placementXXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, xml, strlen(xml)), strlen(xml));
	close(fd);
	believe_file(path);
	caches_are(2, NULL, 8388608);
	unlink(path);
}

static bool disjoint(const struct pd_placement *p, unsigned a, unsigned b)
{
	for (unsigned pu = 0; pu < p->nr_share_of; pu++)
		if (CPU_ISSET_S(pu, p->pus_bytes, p->shares[a].pus) &&
		    CPU_ISSET_S(pu, p->pus_bytes, p->shares[b].pus))
			return false;
	return true;
}

/* Whatever the machine: within what is allowed, nobody without, none twice. */
static void check_any(const struct pd_placement *p, const cpu_set_t *allowed)
{
	for (unsigned i = 0; i < p->threads; i++) {
		assert_true(CPU_COUNT_S(p->pus_bytes, p->shares[i].pus) > 0);
		assert_true(p->shares[i].node < p->nr_nodes);
		for (unsigned j = 0; p->threads <= p->nr_pus && j < i; j++)
			assert_true(disjoint(p, i, j));
	}
	for (unsigned pu = 0; pu < p->nr_share_of; pu++) {
		int share = pd_share_of(p, (int)pu);

		assert_true(share < (int)p->threads);
		if (share < 0)
			continue;
		assert_true(CPU_ISSET(pu, allowed));
		assert_true(CPU_ISSET_S(pu, p->pus_bytes,
					p->shares[share].pus));
	}
	assert_int_equal(pd_share_of(p, -1), -1);
	assert_int_equal(pd_share_of(p, (int)p->nr_share_of), -1);
}

static void test_any(void **state)
{
	struct rng rng = { 8 };

	(void)state;
	for (int round = 0; round < 300; round++) {
		unsigned n[4];
		char text[128];
		cpu_set_t allowed;

		for (int i = 0; i < 4; i++)
			n[i] = 1 + rng_below(&rng, 4);
		snprintf(text, sizeof(text),
			 "pack:%u node:1 l3:%u l2:%u l1:1 core:1 pu:%u", n[0],
			 n[1], n[2], n[3]);
		believe(text);
		CPU_ZERO(&allowed);
		CPU_SET(0, &allowed);
		for (unsigned pu = 0; pu < n[0] * n[1] * n[2] * n[3]; pu++)
			if (rng_below(&rng, 3))
				CPU_SET(pu, &allowed);
		for (int i = 0; i < 5; i++) {
			struct pd_placement *p =
				make_placement(1 + (unsigned)rng_below(&rng, 40), &allowed);

			check_any(p, &allowed);
			pd_placement_free(p);
		}
	}
}

/* Channels stay whole where they can; higher ranks never lie before. */
static void test_ranks(void **state)
{
	static const struct {
		uint32_t channels, ranks;
		const char *nodes;
	} cases[] = {
		{ 2, 2, "0011" }, { 4, 2, "00001111" }, { 3, 2, "000011" },
		{ 1, 4, "0011" }, { 1, 3, "001" },      { 1, 1, "0" },
	};

	(void)state;
	believe(TWO_NODES);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pimdimm *sys;
		char uri[64], nodes[16] = "";

		setenv("PIMDIMM_THREADS", "4", 1);
		snprintf(uri, sizeof(uri), "mem:channels=%u,ranks=%u,mram=64K",
			 cases[i].channels, cases[i].ranks);
		sys = unit_open(uri);
		assert_true(sys->near);
		for (uint32_t rank = 0; rank < sys->nr_ranks; rank++)
			nodes[rank] = (char)('0' + pd_rank_node(&sys->geometry, sys->placement->nr_nodes,
							  rank));
		assert_string_equal(nodes, cases[i].nodes);
		pimdimm_close(sys);
	}
}

static void count_items(void *ctx, uint64_t first, uint64_t count)
{
	_Atomic unsigned *seen = ctx;

	while (count--)
		seen[first++]++;
}

/* With threads of two nodes, as with one's, every item is done once. */
static void test_items(void **state)
{
	static _Atomic unsigned seen[1000];
	struct rng rng = { 9 };

	(void)state;
	for (int round = 0; round < 40; round++) {
		struct pd_placement *p;
		struct pd_workers *w;

		believe(round % 2 ? TWO_NODES : "core:3 pu:1");
		p = make_placement(1 + (unsigned)rng_below(&rng, 7), NULL);
		assert_ok(pd_workers_create(p, &w));
		for (int run = 0; run < 50; run++) {
			uint64_t items = rng_below(&rng, ARRAY_SIZE(seen) + 1);

			memset(seen, 0, sizeof(seen));
			pd_workers_run(w, items, 1 + rng_below(&rng, 9),
				       count_items, seen);
			for (size_t i = 0; i < ARRAY_SIZE(seen); i++)
				assert_int_equal(seen[i], i < items);
		}
		pd_workers_destroy(w);
		pd_placement_free(p);
	}
}

static void both_come(void *ctx, uint64_t first, uint64_t count)
{
	_Atomic unsigned *came = ctx;

	(void)first;
	atomic_fetch_add(came, (unsigned)count);
	while (atomic_load(came) < 2)
		sched_yield();
}

/* Workers that sleep are woken for a job, and only for one that is worth it. */
static void test_asleep(void **state)
{
	struct pd_placement *p = make_placement(2, NULL);
	struct pd_workers *w;

	(void)state;
	assert_ok(pd_workers_create(p, &w));
	for (int round = 0; round < 3; round++) {
		_Atomic unsigned came = 0;

		/* it sleeps once it has looked for a while */
		while (pd_workers_grain(w, 100, 2 * PD_WORK_LEAST) != 100)
			sched_yield();
		assert_int_equal(pd_workers_grain(w, 100, 2 * PD_WORK_WAKES - 1), 100);
		assert_int_equal(pd_workers_grain(w, 100, 2 * PD_WORK_WAKES), 1);
		assert_int_equal(pd_workers_grain(w, 100, 2 * PD_WORK_LEAST - 1), 100);
		pd_workers_run(w, 2, 1, both_come, &came);
		assert_int_equal(came, 2);
	}
	pd_workers_destroy(w);
	pd_placement_free(p);
}

/* Where hwloc tells nothing, that is said, and everything works. */
static void test_without_hwloc(void **state)
{
	struct pimdimm *sys;

	(void)state;
	setenv("HWLOC_COMPONENTS", "-linux,-x86,-no_os", 1);
	setenv("PIMDIMM_THREADS", "3", 1);
	pd_topology_forget();
	sys = unit_open("mem:ranks=1,mram=64K");
	assert_null(sys->placement->shares);
	assert_false(sys->placement->binds);
	assert_false(pd_workers_bound(sys->workers));
	assert_non_null(strstr(sys->placement->source, "sysconf alone"));
	assert_true(sys->cache_bytes > 0);
	pimdimm_close(sys);
}

/* two threads that meet, and where each of them may run */
struct meeting {
	pthread_t caller;
	_Atomic unsigned here;
	cpu_set_t worker_pus;
	int caller_pu;
};

static void meet(void *ctx, uint64_t first, uint64_t count)
{
	struct meeting *m = ctx;

	(void)first;
	(void)count;
	m->here++;
	while (m->here < 2)
		sched_yield();
	if (pthread_equal(pthread_self(), m->caller))
		m->caller_pu = sched_getcpu();
	else
		sched_getaffinity(0, sizeof(m->worker_pus), &m->worker_pus);
}

/* The caller runs where it likes, and no worker has that core. */
static void test_room(void **state)
{
	struct pimdimm *sys;
	cpu_set_t before, after;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	if (CPU_COUNT(&before) < 2) {
		print_message("# one processing unit: nowhere to go\n");
		return;
	}
	setenv("PIMDIMM_THREADS", "2", 1);
	sys = unit_open("mem:ranks=1,mram=64K");
	assert_true(pd_workers_bound(sys->workers));
	for (int pu = 0; pu < CPU_SETSIZE; pu++) {
		struct meeting m = { .caller = pthread_self() };
		cpu_set_t one = pus((unsigned)pu, (unsigned)pu + 1);

		if (!CPU_ISSET(pu, &before))
			continue;
		assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
		pd_workers_run(sys->workers, 2, 1, meet, &m);
		assert_int_equal(m.caller_pu, pu);
		assert_true(CPU_COUNT(&m.worker_pus) > 0);
		assert_false(CPU_ISSET(pu, &m.worker_pus));
		sched_getaffinity(0, sizeof(after), &after);
		assert_true(CPU_EQUAL(&one, &after));
	}
	sched_setaffinity(0, sizeof(before), &before);
	pimdimm_close(sys);
}

static void test_caller_is_left_alone(void **state)
{
	cpu_set_t before, after;
	struct pimdimm *sys;

	(void)state;
	sched_getaffinity(0, sizeof(before), &before);
	sys = unit_open("mem:ranks=1,mram=64K");
	sched_getaffinity(0, sizeof(after), &after);
	assert_true(CPU_EQUAL(&before, &after));
	pimdimm_close(sys);
}

static void *open_and_close(void *arg)
{
	struct pd_placement *p;

	*(int *)arg = pd_placement_make(4, NULL, 0, &p);
	if (!*(int *)arg)
		pd_placement_free(p);
	return NULL;
}

/* The machine is looked at once, whoever comes first. */
static void test_at_once(void **state)
{
	pthread_t threads[8];
	int err[8];

	(void)state;
	for (int round = 0; round < 10; round++) {
		pd_topology_forget();
		for (int i = 0; i < 8; i++)
			assert_int_equal(pthread_create(&threads[i], NULL,
							open_and_close,
							&err[i]), 0);
		for (int i = 0; i < 8; i++) {
			pthread_join(threads[i], NULL);
			assert_int_equal(err[i], 0);
		}
	}
}

int __wrap_hwloc_topology_load(hwloc_topology_t t);
int __real_hwloc_topology_load(hwloc_topology_t t);

static bool load_fails;

int __wrap_hwloc_topology_load(hwloc_topology_t t)
{
	if (!load_fails)
		return __real_hwloc_topology_load(t);
	errno = EMFILE;
	return -1;
}

/* What was wrong once may be right the next time. */
static void test_failure_passes(void **state)
{
	struct pd_placement *p;

	(void)state;
	pd_topology_forget();
	load_fails = true;
	assert_ok(pd_placement_make(1, NULL, 0, &p));
	load_fails = false;
	assert_non_null(strstr(p->source, strerror(EMFILE)));
	pd_placement_free(p);
	assert_ok(pd_placement_make(1, NULL, 0, &p));
	assert_non_null(strstr(p->source, "hwloc 2"));
	pd_placement_free(p);
}

/* with nothing in /sys; 77: it may not be taken away here */
static void child_without_sysfs(int out)
{
	struct pd_placement *p;

	if (unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/sys", "tmpfs", 0, NULL))
		_exit(77);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	pd_topology_forget();
	if (pd_placement_make(1, NULL, 0, &p))
		_exit(1);
	_exit(!strstr(p->source, "/sys"));
}

/* hwloc says what it misses there on standard error. */
static void test_without_sysfs(void **state)
{
	char text[256] = "";
	int pipes[2], status;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (!child)
		child_without_sysfs(pipes[1]);
	close(pipes[1]);
	assert_true(read(pipes[0], text, sizeof(text) - 1) >= 0);
	close(pipes[0]);
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("# may not mount over /sys here\n");
		return;
	}
	assert_string_equal(text, "");
	assert_int_equal(status, 0);
}

static void test_print(void **state)
{
	struct pd_placement *p;
	char text[10];
	cpu_set_t allowed;

	(void)state;
	believe(TWO_NODES);
	CPU_ZERO(&allowed);
	for (unsigned pu = 0; pu < 32; pu += 2)
		CPU_SET(pu, &allowed);
	p = make_placement(1, &allowed);
	pd_share_print(p, 0, text, sizeof(text));
	assert_string_equal(text, "0,2,4,...");
	pd_placement_free(p);
}

#define TEST(name) cmocka_unit_test_teardown(name, look_again)

static const struct CMUnitTest tests[] = {
	TEST(test_failure_passes),
	TEST(test_without_sysfs),
	TEST(test_shares),
	TEST(test_affinity),
	TEST(test_nodes),
	TEST(test_caches),
	TEST(test_inclusive),
	TEST(test_any),
	TEST(test_ranks),
	TEST(test_items),
	TEST(test_asleep),
	TEST(test_without_hwloc),
	TEST(test_room),
	TEST(test_caller_is_left_alone),
	TEST(test_at_once),
	TEST(test_print),
};

UNIT_MAIN(tests)

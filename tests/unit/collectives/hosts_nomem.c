// SPDX-License-Identifier: MIT
/*
 * One of several hosts runs out of memory, descriptors or mappings: each request of a call
 * fails once. Then all hosts do without, or the call fails at all and the others say at which;
 * nobody waits for good, nothing leaks, and later calls go on. So on two machines, where who has
 * begun a call cannot give it up: memory is taken before.
 */
#include <dirent.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

/* what fails is the library's, not the transport of the test */
#define SOCKETS_MALLOC	__real_malloc
#define SOCKETS_CALLOC	__real_calloc
#define SOCKETS_FREE	__real_free
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void __real_free(void *p);

#include "collectives/hosts/buffers.h"
#include "tests/unit/collectives/hosts_scene.h"
#include "tests/unit/failing.h"

#define HOSTS	3u
#define MOST	300u		/* requests of a call; more means that it never ends */
#define WORDS	512u		/* of a PE's vector */
#define COUNT	20000u		/* of a host's */

/* the first two hosts on one machine, the last one on another */
#define BETWEEN	"001"

struct scenario {
	const char *name, *algorithm;
	bool on_cube;
	const char *machines;	/* of the hosts, as hosts_test has them */
	int (*call)(struct scene *s);
	/* after one that went well: it did what it says, and what it made is given back */
	void (*check)(struct scene *s);
};

/* in memory of all hosts, and of who looks at it */
struct nomem_run {
	const struct scenario *what;
	uint32_t victim;
	unsigned int nth;
	_Atomic uint32_t came;
	_Atomic bool failed;
	_Atomic int rets[HOSTS];
	pid_t pids[HOSTS];
};

/* descriptors of this process, and what it has mapped of others */
static unsigned int handles(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	DIR *fds = opendir("/proc/self/fd");
	unsigned int n = 0;
	char line[512];

	host_expect(maps && fds);
	while (readdir(fds))
		n++;
	while (fgets(line, sizeof(line), maps))
		n += strstr(line, "memfd:") != NULL;
	closedir(fds);
	fclose(maps);
	return n;
}

static void fill_pes(const struct scene *s)
{
	uint64_t words[WORDS];

	for (uint32_t pe = 0; pe < 64; pe++) {
		for (uint32_t i = 0; i < WORDS; i++)
			words[i] = (uint64_t)(64 * s->host + pe) << 32 | i;
		host_ok(pimdimm_write(s->sys, pe, 0, words, sizeof(words)));
		host_ok(pimdimm_write(s->sys, pe, SCENE_DST, words, sizeof(words)));
	}
}

static int call_alltoall(struct scene *s)
{
	fill_pes(s);
	return pidcomm_alltoall(s->hc, SCENE_AXES, 8 * 8 * s->hosts, 0, SCENE_DST);
}

/* PEs of a group have the same remainder by 8, and their numbers by 8 as ranks */
static void check_alltoall(struct scene *s)
{
	uint64_t words[8 * HOSTS];

	for (uint32_t pe = 0; pe < 64; pe++) {
		const uint32_t rank = 8 * s->host + pe / 8;

		host_ok(pimdimm_read(s->sys, pe, SCENE_DST, words, 8 * 8 * s->hosts));
		for (uint64_t i = 0; i < 8 * s->hosts; i++)
			host_expect(words[i] == ((8 * i + pe % 8) << 32 | rank));
	}
}

static int call_sum(struct scene *s)
{
	fill_pes(s);
	return pidcomm_allreduce(s->hc, SCENE_AXES, 8 * WORDS, 0, SCENE_DST, PIDCOMM_U64, PIDCOMM_SUM);
}

static void check_sum(struct scene *s)
{
	const uint64_t members = 8 * s->hosts;
	uint64_t words[WORDS];

	for (uint32_t pe = 0; pe < 64; pe++) {
		uint64_t high = members * (pe % 8) + 8 * (members * (members - 1) / 2);

		host_ok(pimdimm_read(s->sys, pe, SCENE_DST, words, sizeof(words)));
		for (uint64_t i = 0; i < WORDS; i++)
			host_expect(words[i] == (high << 32) + members * i);
	}
}

static void check_create(struct scene *s)
{
	host_ok(call_sum(s));
	check_sum(s);
	pidcomm_destroy(s->hc);
	s->hc = NULL;
}

static int call_alloc(struct scene *s)
{
	return pimdimm_hosts_alloc(s->h, 5000, &s->segment);
}

static void check_alloc(struct scene *s)
{
	memset(s->segment, 1, 5000);
	pimdimm_hosts_free(s->h, s->segment);
}

static int call_split(struct scene *s)
{
	return pimdimm_hosts_split(s->h, s->host == 2, 0, &s->part);
}

static void check_split(struct scene *s)
{
	host_ok(pimdimm_hosts_barrier(s->part));
	pimdimm_hosts_leave(s->part);
	s->part = NULL;
}

static int fold(struct scene *s, const uint32_t *src, uint32_t *dst)
{
	for (uint32_t i = 0; i < COUNT; i++)
		s->src[i] = i * (s->host + 1);
	if (src != s->src)
		memcpy(s->all[0], s->src, COUNT * sizeof(*s->src));
	return pimdimm_hosts_allreduce(s->h, src, dst, COUNT, PIDCOMM_U32, PIDCOMM_SUM);
}

static int call_fold(struct scene *s)
{
	return fold(s, s->src, s->dst);
}

static int call_fold_mapped(struct scene *s)
{
	return fold(s, s->all[0], s->all[1]);
}

static void check_fold(struct scene *s)
{
	for (uint32_t i = 0; i < COUNT; i++)
		host_expect(s->dst[i] == i * (s->hosts * (s->hosts + 1) / 2));
}

static void check_fold_mapped(struct scene *s)
{
	memcpy(s->dst, s->all[1], COUNT * sizeof(*s->dst));
	check_fold(s);
}

static const struct scenario scenarios[] = {
	{ "alloc", NULL, false, NULL, call_alloc, check_alloc },
	{ "split", NULL, false, NULL, call_split, check_split },
	{ "create", NULL, false, NULL, scene_create, check_create },
	{ "alltoall", "auto", true, NULL, call_alltoall, check_alltoall },
	{ "alltoall", "staged", true, NULL, call_alltoall, check_alltoall },
	{ "allreduce", "direct", true, NULL, call_sum, check_sum },
	{ "allreduce", "staged", true, NULL, call_sum, check_sum },
	{ "allreduce", "conventional", true, NULL, call_sum, check_sum },
	{ "allreduce", "direct", false, NULL, call_fold_mapped, check_fold_mapped },
	{ "allreduce", "ma", false, NULL, call_fold, check_fold },
	{ "allreduce", "wave", false, NULL, call_fold, check_fold },
	{ "allreduce", "dpml", false, NULL, call_fold, check_fold },
	{ "allreduce", "ma+socket", false, NULL, call_fold, check_fold },
	{ "allreduce", "dpml2", false, NULL, call_fold, check_fold },
	{ "allreduce", "ring", false, NULL, call_fold, check_fold },
	{ "allreduce", "rabenseifner", false, NULL, call_fold, check_fold },
	{ "allreduce", "rg", false, NULL, call_fold, check_fold },
	{ "alloc", NULL, false, BETWEEN, call_alloc, check_alloc },
	{ "split", NULL, false, BETWEEN, call_split, check_split },
	{ "create", NULL, false, BETWEEN, scene_create, check_create },
	{ "alltoall", "auto", true, BETWEEN, call_alltoall, check_alltoall },
	{ "allreduce", "auto", true, BETWEEN, call_sum, check_sum },
	{ "allreduce", "conventional", true, BETWEEN, call_sum, check_sum },
	{ "allreduce", "leader", false, BETWEEN, call_fold, check_fold },
	{ "allreduce", "leaders", false, BETWEEN, call_fold, check_fold },
	{ "allreduce", "leaders", false, BETWEEN, call_fold_mapped, check_fold_mapped },
	{ "allreduce", "chain", false, BETWEEN, call_fold, check_fold },
};

static void make_scene(struct scene *s, const struct scenario *what, const struct hosts_test *t)
{
	scene_open(s, t, hosts_joined(t), COUNT);
	scene_choose(s, what->name, what->algorithm, what->on_cube);
}

/* beside what the hosts are: so that all look at what they returned */
static void all_came(struct nomem_run *run, uint32_t hosts, uint32_t times)
{
	atomic_fetch_add(&run->came, 1);
	while (atomic_load(&run->came) < times * hosts)
		usleep(100);
}

static void check_returned(const struct nomem_run *run, const struct scene *s)
{
	const int ret = run->rets[s->host], at_victim = run->rets[run->victim];
	char name[64];

	if (run->failed && at_victim) {
		host_expect(ret && *pimdimm_errmsg());
		snprintf(name, sizeof(name), "host %u (pid %d)", run->victim,
			 (int)run->pids[run->victim]);
		host_expect(s->host == run->victim || strstr(pimdimm_errmsg(), name));
		return;
	}
	host_ok(ret);
	run->what->check((struct scene *)(uintptr_t)s);
}

static void do_nomem(const struct hosts_test *t)
{
	struct nomem_run *run = (struct nomem_run *)(uintptr_t)t->ctx;
	const unsigned int held = handles();
	const long memory = failing_memory();
	struct scene s;

	run->pids[t->host] = getpid();
	make_scene(&s, run->what, t);
	if (t->host == run->victim)
		failing_start(run->nth);
	run->rets[t->host] = run->what->call(&s);
	if (t->host == run->victim)
		run->failed = failing_stop();
	all_came(run, t->hosts, 1);
	check_returned(run, &s);
	host_ok(run->what->call(&s));
	run->what->check(&s);
	scene_close(&s);
	host_expect(failing_memory() == memory);
	/* those of a transport's sockets, which were there before, are closed */
	host_expect(handles() == held - (t->machines ? t->hosts * (t->hosts - 1) : 0));
}

/* Until one more is not asked for: how many there are. */
static unsigned int fail_each(struct nomem_run *run)
{
	for (run->nth = 1; run->nth <= MOST; run->nth++) {
		run->came = 0;
		run->failed = false;
		hosts_run(HOSTS, do_nomem, &(struct hosts_test){
			.machines = run->what->machines, .ctx = run });
		if (!run->failed)
			return run->nth - 1;
	}
	fail_msg("%s %s: asks for more and more", run->what->name, run->what->algorithm);
	return 0;
}

static struct nomem_run *shared_run(void)
{
	void *at = mmap(NULL, sizeof(struct nomem_run), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(at != MAP_FAILED);
	return at;
}

/* what is made once a process is there when hosts are forked */
static void warm_up(void)
{
	const struct hosts_test alone = { .hosts = 1 };
	struct scene s;

	hosts_meeting();
	make_scene(&s, &scenarios[0], &alone);
	host_ok(scene_create(&s));
	check_create(&s);
	scene_close(&s);
}

static void each_fails(void **state)
{
	struct nomem_run *run = shared_run();

	(void)state;
	warm_up();
	for (unsigned int i = 0; i < ARRAY_SIZE(scenarios); i++) {
		/* the first host, which hands descriptors over, and another one; each machine's */
		const uint32_t victims = scenarios[i].machines ? HOSTS : 2;

		for (run->victim = 0; run->victim < victims; run->victim++) {
			unsigned int requests;

			run->what = &scenarios[i];
			requests = fail_each(run);
			printf("# %s %s%s: %u requests of host %u\n", run->what->name,
			       run->what->algorithm ? run->what->algorithm : "",
			       run->what->machines ? ", two machines" : "", requests, run->victim);
		}
	}
	munmap(run, sizeof(*run));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_fails),
};

UNIT_MAIN(tests)

// SPDX-License-Identifier: MIT
/*
 * A host is killed in every phase of a call, one after the other: where it says what it does, as
 * it copies from MRAM and to it, and as it sends to another machine. All other hosts are told
 * who it was, and in which phase, which is the one that its statistics count the time in.
 */
#include <stdatomic.h>
#include <sys/mman.h>

#include "collectives/hosts/machine.h"
#include "collectives/parts/host_items.h"
#include "runtime/ranks/transfer.h"
#include "tests/unit/collectives/hosts_scene.h"

#define COUNT	3000u		/* of a host's vector */
/* two machines of two hosts */
#define BETWEEN	"0011"

/* where a host is killed: phases that it tells of, and others within them */
enum place {
	FROM_MRAM = PC_HOSTS_PHASES,
	TO_MRAM,
	SENDING,
	PLACES,
};

/* what the others say of the phases */
static const char *const phases[PC_HOSTS_PHASES] = {
	[PC_HOSTS_ARRIVING] = "arriving",
	[PC_HOSTS_HANDING] = "handing descriptors over",
	[PC_HOSTS_FOLDING] = "folding",
	[PC_HOSTS_TO_HOST] = "copying from MRAM",
	[PC_HOSTS_NETWORK] = "exchanging messages",
	[PC_HOSTS_TO_MRAM] = "copying to MRAM",
	[PC_HOSTS_REGISTERS] = "copying from MRAM to MRAM",
	[PC_HOSTS_SPREADING] = "copying results",
	[PC_HOSTS_LEAVING] = "leaving the call",
};

struct scenario {
	const char *name, *algorithm;
	bool on_cube;
	int (*call)(struct scene *s);
	const char *machines;	/* of the hosts, as hosts_test has them */
};

/* of each place: what follows is more of the same */
#define MOST_MOMENTS	2u

/* in memory of all hosts, and of who looks at it */
struct death {
	const struct scenario *what;
	uint32_t victim;
	unsigned int nth;	/* of the victim's moments; 0: it lives, and they are counted */
	_Atomic uint32_t came;
	unsigned int moments;
	enum place place;
	bool told;		/* of a place: its phase was the right one */
	char words[128];
};

/* of the victim, while it makes its call */
static struct death *death;
static unsigned int seen, at_place[PLACES];
static enum pc_hosts_phase in;
static atomic_bool copied;	/* since the phase began */
static char doing[128];

/* Whether what a host does at a place is what it has said. */
static bool is_told(enum place place)
{
	const bool on_cube = death->what->on_cube;

	switch (place) {
	case FROM_MRAM:
		return in == PC_HOSTS_TO_HOST;
	case TO_MRAM:
		return in == PC_HOSTS_TO_MRAM;
	case SENDING:
		/* leaders send what is folded while they fold */
		return in == PC_HOSTS_ARRIVING || in == PC_HOSTS_LEAVING ||
		       in == PC_HOSTS_NETWORK || (!on_cube && in == PC_HOSTS_FOLDING);
	default:
		return true;
	}
}

static void moment(enum place place)
{
	if (!death || ++at_place[place] > MOST_MOMENTS || ++seen != death->nth)
		return;
	death->place = place;
	death->told = is_told(place);
	memcpy(death->words, doing, sizeof(doing));
	raise(SIGKILL);
}

/* Of all that is copied in a phase, by any thread, the first of it is a moment. */
static void copies(enum place place)
{
	if (!atomic_exchange(&copied, true))
		moment(place);
}

void __real_pc_hosts_doing(struct pimdimm_hosts *h, enum pc_hosts_phase phase);
void __wrap_pc_hosts_doing(struct pimdimm_hosts *h, enum pc_hosts_phase phase);

void __wrap_pc_hosts_doing(struct pimdimm_hosts *h, enum pc_hosts_phase phase)
{
	__real_pc_hosts_doing(h, phase);
	in = phase;
	atomic_store(&copied, false);
	if (h->kind == PC_HOSTS_NONE)
		snprintf(doing, sizeof(doing), "(pid %d), between calls", (int)getpid());
	else
		snprintf(doing, sizeof(doing), "(pid %d), in %s, %s", (int)getpid(),
			 pc_hosts_kind_name(h->kind), phases[phase]);
	moment((enum place)phase);
}

/* What reads MRAM, and what writes it. */
#define COPIES(place, name, params, args)	\
	void __real_##name params;		\
	void __wrap_##name params;		\
	void __wrap_##name params		\
	{					\
		copies(place);			\
		__real_##name args;		\
	}

#define ITEM(place, name)	\
	COPIES(place, name, (struct pc_call *call, const struct pc_item *l), (call, l))

COPIES(FROM_MRAM, pd_eg_get,
       (struct pimdimm *sys, uint32_t eg, uint64_t word, uint64_t words,
	void *const dst[PIMDIMM_CHIPS], enum pd_stores stores),
       (sys, eg, word, words, dst, stores))
COPIES(FROM_MRAM, pd_pair_get,
       (struct pimdimm *sys, uint32_t eg, uint64_t word, uint64_t words,
	void *const dst[2 * PIMDIMM_CHIPS], enum pd_stores stores),
       (sys, eg, word, words, dst, stores))
COPIES(TO_MRAM, pd_eg_put,
       (struct pimdimm *sys, uint32_t eg, uint64_t word, uint64_t words,
	const void *const src[PIMDIMM_CHIPS], enum pd_stores stores),
       (sys, eg, word, words, src, stores))
ITEM(FROM_MRAM, pc_item_fold_rows)
ITEM(TO_MRAM, pc_item_spread_rows)
ITEM(FROM_MRAM, pc_item_exchange)
ITEM(TO_MRAM, pc_item_store_exchanged)

static int isend(void *ctx, const void *buf, size_t bytes, uint32_t to, uint32_t tag,
		 void **request)
{
	moment(SENDING);
	return sockets_isend(ctx, buf, bytes, to, tag, request);
}

static int call_barrier(struct scene *s)
{
	return pimdimm_hosts_barrier(s->h);
}

static int call_split(struct scene *s)
{
	int ret = pimdimm_hosts_split(s->h, 0, 0, &s->part);

	if (!ret)
		pimdimm_hosts_leave(s->part);
	return ret;
}

static int call_alloc(struct scene *s)
{
	return pimdimm_hosts_alloc(s->h, 5000, &s->segment);
}

static int call_fold(struct scene *s)
{
	return pimdimm_hosts_allreduce(s->h, s->src, s->dst, COUNT, PIDCOMM_U32, PIDCOMM_SUM);
}

static int call_fold_mapped(struct scene *s)
{
	return pimdimm_hosts_allreduce(s->h, s->all[0], s->all[1], COUNT, PIDCOMM_U32,
				       PIDCOMM_SUM);
}

static int call_broadcast(struct scene *s)
{
	return pimdimm_hosts_broadcast(s->h, s->dst, COUNT * sizeof(*s->dst), 0);
}

static int call_sum(struct scene *s)
{
	return pidcomm_allreduce(s->hc, SCENE_AXES, 4096, 0, SCENE_DST, PIDCOMM_U64, PIDCOMM_SUM);
}

static int call_alltoall(struct scene *s)
{
	return pidcomm_alltoall(s->hc, SCENE_AXES, 8 * 8 * s->hosts, 0, SCENE_DST);
}

static const struct scenario scenarios[] = {
	{ "barrier", NULL, false, call_barrier, NULL },
	{ "split", NULL, false, call_split, NULL },
	{ "alloc", NULL, false, call_alloc, NULL },
	{ "create", NULL, false, scene_create, NULL },
	{ "allreduce", "ma", false, call_fold, NULL },
	{ "allreduce", "direct", false, call_fold_mapped, NULL },
	{ "broadcast", "pipelined", false, call_broadcast, NULL },
	{ "allreduce", "direct", true, call_sum, NULL },
	{ "allreduce", "conventional", true, call_sum, NULL },
	{ "alltoall", "staged", true, call_alltoall, NULL },
	{ "allreduce", "staged", true, call_sum, NULL },
	{ "allreduce", "ring", false, call_fold, NULL },
	{ "barrier", NULL, false, call_barrier, BETWEEN },
	{ "allreduce", "leaders", false, call_fold, BETWEEN },
	{ "allreduce", "chain", false, call_fold, BETWEEN },
	{ "alltoall", "auto", true, call_alltoall, BETWEEN },
	{ "allreduce", "auto", true, call_sum, BETWEEN },
};

static struct pimdimm_hosts *joined(const struct hosts_test *t)
{
	const struct pimdimm_hosts_options options = { .size = sizeof(options),
						       .timeout_ms = HOSTS_PATIENCE };
	struct pimdimm_transport transport;
	struct pimdimm_hosts *h;

	if (!t->machines)
		return hosts_joined(t);
	host_ok(setenv("PIMDIMM_MACHINE", (const char[]){ t->machines[t->host], 0 }, 1));
	transport = sockets_transport(t->host, t->hosts);
	transport.isend = isend;
	host_ok(pimdimm_hosts_from_transport(&transport, &options, &h));
	return h;
}

static void make_scene(struct scene *s, const struct scenario *what, const struct hosts_test *t)
{
	scene_open(s, t, joined(t), COUNT);
	scene_choose(s, what->name, what->algorithm, what->on_cube);
}

/* Beside what the hosts are: so that none dies before the others have what they call with. */
static void all_came(struct death *d, uint32_t hosts)
{
	atomic_fetch_add(&d->came, 1);
	while (atomic_load(&d->came) < hosts)
		usleep(100);
}

static void do_call(const struct hosts_test *t)
{
	struct death *d = (struct death *)(uintptr_t)t->ctx;
	struct scene s;

	make_scene(&s, d->what, t);
	all_came(d, t->hosts);
	if (t->host == d->victim)
		death = d;
	host_ok(d->what->call(&s));
	if (death)
		d->moments = seen;
	death = NULL;
	scene_close(&s);
}

/* A host that dies as it leaves a call may have done its part: then the next one says so. */
static void do_outlive(const struct hosts_test *t)
{
	struct death *d = (struct death *)(uintptr_t)t->ctx;
	char name[160];
	struct scene s;
	int ret = 0;

	make_scene(&s, d->what, t);
	all_came(d, t->hosts);
	if (t->host == d->victim)
		death = d;
	for (int calls = 0; !ret && calls < 2; calls++)
		ret = d->what->call(&s);
	snprintf(name, sizeof(name), "a host has died: host %u %s", d->victim, d->words);
	host_expect(ret == -ECONNRESET);
	if (!strstr(pimdimm_errmsg(), name))
		printf("# expected: %s\n", name);
	host_expect(strstr(pimdimm_errmsg(), name));
	scene_close(&s);
}

/* As hosts_run(), but one of them is killed, as it must be. */
static void run_but_one(uint32_t hosts, struct death *d)
{
	struct hosts_test t = { .hosts = hosts, .machines = d->what->machines, .ctx = d };
	pid_t pids[HOSTS_TEST_MOST];
	bool well = true;

	hosts_meeting();
	if (t.machines)
		sockets_open(hosts);
	fflush(stdout);
	for (t.host = 0; t.host < hosts; t.host++)
		pids[t.host] = hosts_fork(do_outlive, &t);
	if (t.machines)
		sockets_close(hosts, UINT32_MAX);
	for (uint32_t i = 0; i < hosts; i++)
		well = hosts_ended_well(pids[i]) == (i != d->victim) && well;
	assert_true(well);
}

/* Each of the victim's moments in a call: the places that they were at are set. */
static void die_in_each(struct death *d, unsigned int *places)
{
	const struct scenario *what = d->what;
	const uint32_t hosts = what->machines ? (uint32_t)strlen(what->machines) : 3;

	d->nth = d->came = d->moments = 0;
	hosts_run(hosts, do_call, &(struct hosts_test){ .machines = what->machines, .ctx = d });
	assert_int_not_equal(d->moments, 0);
	for (d->nth = 1; d->nth <= d->moments; d->nth++) {
		d->came = 0;
		d->place = PLACES;
		run_but_one(hosts, d);
		assert_in_range(d->place, 0, PLACES - 1);
		if (!d->told)
			printf("# %s %s, place %u: %s\n", what->name,
			       what->algorithm ? what->algorithm : "", d->place, d->words);
		assert_true(d->told);
		*places |= 1u << d->place;
	}
	printf("# %s %s%s: host %u died in %u phases, one after the other\n", what->name,
	       what->algorithm ? what->algorithm : "", what->machines ? ", two machines" : "",
	       d->victim, d->moments);
}

static void killed_in_every_phase(void **state)
{
	struct death *d = mmap(NULL, sizeof(*d), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int places = 0;

	(void)state;
	assert_true(d != MAP_FAILED);
	for (size_t i = 0; i < ARRAY_SIZE(scenarios); i++) {
		d->what = &scenarios[i];
		/* the first host, which hands descriptors over, and another one, in turn */
		d->victim = i % 2;
		die_in_each(d, &places);
	}
	assert_int_equal(places, (1u << PLACES) - 1);
	munmap(d, sizeof(*d));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(killed_in_every_phase),
};

UNIT_MAIN(tests)

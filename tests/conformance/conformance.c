// SPDX-License-Identifier: MIT
/*
 * The collectives against a naive model of their definitions: random
 * hypercubes, axes, sizes, offsets, types, operations and host buffers, every
 * byte of MRAM compared. Prints TAP; a failing case is printed as the options
 * that repeat it.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <time.h>

#include "tests/conformance/crash.h"
#include "tests/conformance/crew.h"
#include "tests/conformance/rig.h"
#include "tests/conformance/support.h"
#include "tests/conformance/userop.h"

#define MAX_URIS	16
#define REFUSAL		NR_COLLECTIVES

struct options {
	const char *uris[MAX_URIS];
	unsigned nr_uris;
	uint64_t cases, seed, only;
	bool one_case, tile_ends, parts, apart;
	const char *algorithm;		/* NULL: each of those that serve */
	int collective;			/* -1: all; REFUSAL */
	uint32_t hosts;			/* 0: one process, without others */
	uint32_t machines;		/* 0: one, that all hosts share */
};

#define ASSISTED	(1 << ALLTOALL | 1 << REDUCE_SCATTER | 1 << ALLREDUCE | \
			 1 << ALLGATHER | 1 << REDUCE)

/* 0: every collective has it */
static const struct {
	const char *name;
	unsigned collectives;		/* bit by bit */
} algorithms[] = {
	{ "direct", 0 },
	{ "conventional", 0 },
	{ "auto", 0 },
	{ "staged", 0 },
	{ "ring", 1 << ALLREDUCE },
	{ "tree", 1 << ALLREDUCE },
	{ "pr", ASSISTED },
	{ "pr+im", ASSISTED },
	{ "pr+im+cm", ASSISTED },
};

/* as many have their share of a collective's cases; the others' come on top */
#define NR_GENERAL	3
/* those that serve several hosts; of them the last one these alone */
#define NR_HOSTS	4
#define NR_ALGORITHMS	(sizeof(algorithms) / sizeof(*algorithms))

static bool serves(unsigned algorithm, int collective)
{
	unsigned set = algorithms[algorithm].collectives;

	return !set || set >> collective & 1;
}

static const char *const normal_uris[] = {
	"mem:ranks=2,mram=64K,layout=linear",
	"mem:ranks=2,mram=64K,layout=xeon_sp",
};

static const char *const hosts_uris[] = {
	"mem:mram=64K,layout=linear",
	"mem:mram=64K,layout=xeon_sp",
};

static const char *const big_uris[] = {
	"mem:channels=2,ranks=8,mram=64K,layout=linear",
	"mem:channels=2,ranks=8,mram=64K,layout=xeon_sp",
	"mem:ranks=2,mram=4M,layout=linear",
	"mem:ranks=2,mram=4M,layout=xeon_sp",
};

static unsigned tests, failures;

static void report(bool ok, const struct rig *rig, const char *what,
		   const char *how, uint64_t cases)
{
	tests++;
	failures += !ok;
	if (rig->crew && rig->crew->host)	/* the first one reports */
		return;
	printf("%sok %u - %s %s: %" PRIu64 " cases on %s\n", ok ? "" : "not ",
	       tests, what, how, cases, rig->uri);
	fflush(stdout);
}

static const char *collective_name(int collective)
{
	return collective == REFUSAL ? "refusal" : collectives[collective].name;
}

static bool one(struct rig *rig, uint64_t index, int collective,
		const char *algorithm)
{
	crash_note("--uri %s --seed %" PRIu64 " --case %" PRIu64
		   " --collective %s --algorithm %s", rig->uri, rig->seed,
		   index, collective_name(collective), algorithm);
	if (collective == REFUSAL)
		return rig_refusal(rig, index);
	return rig_case(rig, index, (enum collective)collective, algorithm);
}

/* The cases of one collective and algorithm, up to the first that fails. */
static void batch(struct rig *rig, const struct options *o, int collective,
		  const char *algorithm, uint64_t first, uint64_t cases)
{
	bool ok = true;
	uint64_t i;

	if (o->one_case)
		ok = one(rig, o->only, collective, algorithm);
	for (i = 0; i < cases && ok && !o->one_case; i++)
		ok = one(rig, first + i, collective, algorithm);
	report(ok, rig, collective_name(collective), algorithm, i);
	/* what follows starts from MRAM that is as it should be */
	if (!ok)
		shadow_publish(&rig->shadow, rig->shadow.nr_pes, 0,
			       rig->shadow.mram_size);
}

static void all_algorithms(struct rig *rig, const struct options *o,
			   int collective, uint64_t share)
{
	uint64_t first = share * (uint64_t)collective;
	uint64_t part = (share + NR_GENERAL - 1) / NR_GENERAL;

	if (o->algorithm) {
		batch(rig, o, collective, o->algorithm, first, share);
		return;
	}
	/* the first one is direct */
	for (unsigned i = o->machines || o->apart; i < (rig->crew ? NR_HOSTS : NR_ALGORITHMS); i++)
		if (serves(i, collective) && (rig->crew || i != NR_HOSTS - 1))
			batch(rig, o, collective, algorithms[i].name,
			      first + i * part, part);
}

static void all_collectives(struct rig *rig, const struct options *o)
{
	uint64_t share = o->cases;

	if (o->collective < 0)
		share = (share + NR_COLLECTIVES - 1) / NR_COLLECTIVES;
	for (int i = 0; i < NR_COLLECTIVES; i++)
		if (o->collective < 0 || o->collective == i)
			all_algorithms(rig, o, i, share);
	if ((o->collective < 0 && !rig->crew) || o->collective == REFUSAL)
		batch(rig, o, REFUSAL, "auto", 0, o->cases / 5 + 1);
}

static void run_rig(const struct options *o, const char *uri, struct crew *crew)
{
	struct rig rig;
	int err = rig_open(&rig, uri, o->seed, crew);

	if (err == -EOPNOTSUPP) {
		printf("ok %u # SKIP %s\n", ++tests, pimdimm_errmsg());
		return;
	}
	if (err) {
		printf("# open %s: %s\n", uri, pimdimm_errmsg());
		report(false, &rig, "open", "", 0);
		return;
	}
	rig.tile_ends = o->tile_ends;
	rig.parts = o->parts;
	all_collectives(&rig, o);
	report(rig_check_all(&rig), &rig, "every byte of the windows at the end",
	       "", rig.calls);
	rig_close(&rig);
}

struct run {
	const struct options *o;
	const char *uri;
};

static bool run_host(struct crew *crew, const void *ctx)
{
	const struct run *run = ctx;
	unsigned before = failures;
	char uri[256];

	userops_create();
	crew_uri(crew, run->uri, uri, sizeof(uri));
	if (crew_join(crew)) {
		printf("# host %u: %s\n", crew->host, pimdimm_errmsg());
		return false;
	}
	run_rig(run->o, uri, crew);
	pimdimm_hosts_leave(crew->hosts);
	userops_free();
	return failures == before;
}

static void run_uri(const struct options *o, const char *uri)
{
	const struct run run = { o, uri };
	struct crew crew;
	bool ok;

	if (!o->hosts) {
		run_rig(o, uri, NULL);
		return;
	}
	crew_make(&crew, o->hosts, o->machines, o->apart);
	crew_run(&crew, run_host, &run, &ok);
	failures += !ok;
	printf("%sok %u - %u hosts ended well\n", ok ? "" : "not ", ++tests, o->hosts);
}

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: conformance [options]\n"
		"  --uri URI         the system, several times for several\n"
		"  --profile NAME    normal (2 ranks of 64 KiB), big (1,024 PEs; 4 MiB\n"
		"                    of MRAM)\n"
		"  --cases N         random cases on each system\n"
		"  --seed S          of the random numbers; the time if absent\n"
		"  --algorithm A     direct, conventional, auto, ...; random: each in turn\n"
		"  --collective C    this one alone; refusal: calls that are refused\n"
		"  --tile-ends       sizes about where tiles end alone\n"
		"  --parts           hypercubes on parts of the system\n"
		"  --hosts N         hypercubes over N processes; the URI is without ranks=\n"
		"  --machines M      of hosts on so many machines, which are this one\n"
		"  --apart           of hosts that cannot map each other's MRAM\n"
		"  --case K          only case K, with --collective and --algorithm\n");
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (end == text || *end) {
		fprintf(stderr, "conformance: %s is no number\n", text);
		exit(1);
	}
	return value;
}

static int collective_of(const char *name)
{
	for (int i = 0; i <= REFUSAL; i++)
		if (!strcmp(collective_name(i), name))
			return i;
	fprintf(stderr, "conformance: %s is no collective\n", name);
	exit(1);
}

static void set_uris(struct options *o, const char *const uris[], unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		o->uris[o->nr_uris++] = uris[i];
}

static void set_profile(struct options *o, const char *name)
{
	if (!strcmp(name, "big"))
		set_uris(o, big_uris, 4);
	else if (!strcmp(name, "normal"))
		set_uris(o, normal_uris, 2);
	else if (!strcmp(name, "hosts"))
		set_uris(o, hosts_uris, 2);
	else
		usage(stderr), exit(1);
}

static void parse(int argc, char **argv, struct options *o)
{
	static const struct option names[] = {
		{ "uri", 1, NULL, 'u' }, { "profile", 1, NULL, 'p' },
		{ "cases", 1, NULL, 'n' }, { "seed", 1, NULL, 's' },
		{ "algorithm", 1, NULL, 'a' }, { "collective", 1, NULL, 'c' },
		{ "case", 1, NULL, 'k' }, { "help", 0, NULL, 'h' },
		{ "tile-ends", 0, NULL, 't' }, { "parts", 0, NULL, 'P' },
		{ "hosts", 1, NULL, 'H' }, { "apart", 0, NULL, 'A' },
		{ "machines", 1, NULL, 'M' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (c) {
		case 'u':
			if (o->nr_uris < MAX_URIS - 4)
				o->uris[o->nr_uris++] = optarg;
			break;
		case 'p': set_profile(o, optarg); break;
		case 'n': o->cases = number(optarg); break;
		case 's': o->seed = number(optarg); break;
		case 'a':
			o->algorithm = strcmp(optarg, "random") ? optarg : NULL;
			break;
		case 'c': o->collective = collective_of(optarg); break;
		case 'k': o->only = number(optarg); o->one_case = true; break;
		case 't': o->tile_ends = true; break;
		case 'P': o->parts = true; break;
		case 'A': o->apart = true; break;
		case 'M': o->machines = (uint32_t)number(optarg); break;
		case 'H': o->hosts = (uint32_t)number(optarg); break;
		case 'h': usage(stdout); exit(0);
		default: usage(stderr); exit(1);
		}
	}
	if (o->hosts > CREW_MOST || o->machines > o->hosts)
		usage(stderr), exit(1);
	if (!o->nr_uris)
		set_profile(o, o->hosts ? "hosts" : "normal");
}

int main(int argc, char **argv)
{
	struct options o = {
		.cases = 2000, .collective = -1, .seed = (uint64_t)time(NULL),
	};

	parse(argc, argv, &o);
	crash_watch();
	printf("# pimdimm %s, seed %" PRIu64 "\n", pimdimm_version(), o.seed);
	if (!o.hosts)
		userops_create();
	for (unsigned i = 0; i < o.nr_uris; i++)
		run_uri(&o, o.uris[i]);
	if (!o.hosts)
		userops_free();
	printf("1..%u\n", tests);
	return failures != 0;
}

// SPDX-License-Identifier: MIT
/* Compares collectives on hosts' buffers with those of MPI libraries, in turns. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/inside.h"
#include "tools/perf/suites/hosts/opponents.h"
#include "tools/perf/suites/hosts/runs.h"

#define ROUNDS	3u

/* bound to none: processes are more than processors, or share them with others */
#define OPENMPI "OMPI_MCA_rmaps_base_oversubscribe=1" \
		" PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1"

struct opponent {
	const char *name, *launcher, *variables;
	const char *component;	/* of Open MPI's collectives, which not every version has; or NULL */
	bool spins;	/* it never yields: as many processes as processors at most */
};

static const struct opponent opponents[HOSTS_OPPONENTS] = {
	{ "Open MPI", "mpirun.openmpi", OPENMPI, NULL, false },
	{ "Open MPI without CMA", "mpirun.openmpi",
	  OPENMPI " OMPI_MCA_btl_vader_single_copy_mechanism=none", NULL, false },
	{ "Open MPI coll/sm", "mpirun.openmpi", OPENMPI " OMPI_MCA_coll_sm_priority=100", "sm",
	  false },
	{ "Open MPI coll/xhc", "mpirun.openmpi", OPENMPI " OMPI_MCA_coll_xhc_priority=100", "xhc",
	  false },
	{ "Open MPI UCC", "mpirun.openmpi",
	  OPENMPI " OMPI_MCA_coll_ucc_enable=1 OMPI_MCA_coll_ucc_priority=100", "ucc", false },
	{ "MPICH", "mpirun.mpich", "", NULL, true },
};

static const char *const collectives[HOSTS_COLLECTIVES] = {
	"allreduce", "reduce_scatter", "reduce", "broadcast", "allgather",
};

const char *hosts_collective_name(enum hosts_collective c)
{
	return collectives[c];
}

const char *hosts_opponent_name(unsigned int at)
{
	return at < HOSTS_OPPONENTS ? opponents[at].name : NULL;
}

static bool is_installed(const struct opponent *o)
{
	const bool openmpi = strstr(o->launcher, "openmpi");

	/* hosts meet through the library of that MPI */
	return hosts_run_works("%s %s -n 2 %s perf --host-buffers -a mpi -n 1 -w 0 -b 64 allreduce",
			       openmpi ? OPENMPI : "", o->launcher, hosts_run_tool());
}

static bool is_there(unsigned int at)
{
	static int known[HOSTS_OPPONENTS];

	if (!known[at])
		known[at] = at && !strcmp(opponents[at].launcher, opponents[at - 1].launcher) ?
			    1 + is_there(at - 1) : 1 + is_installed(&opponents[at]);
	return known[at] == 2;
}

bool hosts_has_component(const char *name)
{
	return hosts_run_works("ompi_info --parsable | grep -q '^mca:coll:%s:'", name);
}

static bool has_component(unsigned int at)
{
	static int known[HOSTS_OPPONENTS];

	if (!opponents[at].component)
		return true;
	if (!known[at])
		known[at] = 1 + hosts_has_component(opponents[at].component);
	return known[at] == 2;
}

/* Why an opponent does not play with so many hosts; NULL: it does. */
static const char *why_absent(unsigned int at, uint32_t hosts)
{
	static char text[64];

	if (!is_there(at))
		return "it is not installed, or starts nothing here";
	if (opponents[at].spins && hosts > pd_affinity_cpus())
		return "it spins where processes outnumber processors";
	if (has_component(at))
		return NULL;
	snprintf(text, sizeof(text), "this Open MPI has no component coll/%s",
		 opponents[at].component);
	return text;
}

const char *hosts_launcher(void)
{
	static char line[512];

	for (unsigned int i = 0; i < HOSTS_OPPONENTS; i++) {
		if (!is_there(i))
			continue;
		snprintf(line, sizeof(line), "%s %s", opponents[i].variables,
			 opponents[i].launcher);
		return line;
	}
	return NULL;
}

/* times of one opponent, round by round */
struct match_times {
	double ours[HOSTS_COLLECTIVES][HOSTS_SIZES][ROUNDS];
	double mpi[HOSTS_COLLECTIVES][HOSTS_SIZES][ROUNDS];
	double roofline[HOSTS_SIZES][ROUNDS];
	unsigned int count[HOSTS_COLLECTIVES][HOSTS_SIZES];
};

static const char *ours_of(const struct hosts_match *match)
{
	return match->algorithm ? match->algorithm : "auto";
}

static void take_rows(const struct hosts_match *match, const struct hosts_run *run,
		      struct match_times *t)
{
	unsigned int size = 0;

	for (uint64_t bytes = match->begin; bytes <= match->end && size < HOSTS_SIZES;
	     bytes *= match->factor, size++) {
		for (unsigned int c = 0; c < HOSTS_COLLECTIVES; c++) {
			const struct hosts_run_row *ours, *mpi, *plain, *stream;
			unsigned int *n = &t->count[c][size];

			ours = hosts_run_find(run, collectives[c], bytes, ours_of(match));
			mpi = hosts_run_find(run, collectives[c], bytes, "mpi");
			if (!ours || *n == ROUNDS)
				continue;
			plain = hosts_run_find(run, collectives[c], bytes, "roofline:t-copy");
			stream = hosts_run_find(run, collectives[c], bytes, "roofline:nt-copy");
			if (plain && stream)
				t->roofline[size][*n] = fmin(plain->ns, stream->ns);
			t->ours[c][size][*n] = ours->ns;
			t->mpi[c][size][*n] = mpi ? mpi->ns : NAN;
			(*n)++;
		}
	}
}

static int match_once(const struct perf_suite *suite, const struct hosts_match *match,
		      const char *before, bool mpi, struct match_times *t)
{
	static struct hosts_run run;
	char words[128] = "";
	int ret;

	for (unsigned int c = 0; c < HOSTS_COLLECTIVES; c++) {
		if (match->collectives & 1u << c) {
			strcat(words, " ");
			strcat(words, collectives[c]);
		}
	}
	ret = hosts_run(&run, before,
			"--host-buffers%s --hosts %u -d %s -a %s%s%s -b %llu -e %llu -f %u -n %u%s",
			match->mapped ? " --mapped" : "", match->hosts,
			match->floats ? "f32" : "i32", ours_of(match), mpi ? ",mpi" : "",
			match->mapped ? ",roofline:t-copy,roofline:nt-copy" : "",
			(unsigned long long)match->begin, (unsigned long long)match->end,
			match->factor, suite->how.iters, words);
	if (!ret)
		take_rows(match, &run, t);
	return ret;
}

static void settle(const struct hosts_match *match, struct match_times t[HOSTS_OPPONENTS],
		   struct hosts_scores *scores)
{
	scores->sizes = 0;
	for (uint64_t bytes = match->begin; bytes <= match->end && scores->sizes < HOSTS_SIZES;
	     bytes *= match->factor) {
		unsigned int size = scores->sizes++;

		for (unsigned int c = 0; c < HOSTS_COLLECTIVES; c++) {
			struct hosts_score *s = &scores->at[c][size];

			*s = (struct hosts_score){ .bytes = bytes, .roofline = NAN };
			for (unsigned int o = 0; o < HOSTS_OPPONENTS; o++) {
				unsigned int n = t[o].count[c][size];

				s->ours[o] = hosts_median(t[o].ours[c][size], n);
				s->mpi[o] = n && !isnan(*t[o].mpi[c][size]) ?
					    hosts_median(t[o].mpi[c][size], n) : NAN;
				if (n && match->mapped)
					s->roofline = fmin(s->roofline, hosts_median(
						t[o].roofline[size], n));
			}
		}
	}
}

/* Once for each reason. */
static void tell_absent(struct perf_suite *suite, unsigned int at, const char *why)
{
	static char told[HOSTS_OPPONENTS][64];

	if (!strcmp(told[at], why))
		return;
	snprintf(told[at], sizeof(told[at]), "%s", why);
	perf_report_absent(&suite->report, opponents[at].name, why);
}

/* Rounds of all opponents, so that what disturbs the machine for a while meets all. */
int hosts_match(struct perf_suite *suite, const struct hosts_match *match,
		struct hosts_scores *scores)
{
	static struct match_times times[HOSTS_OPPONENTS];
	unsigned int measured = 0;
	char before[512];
	int ret = 0;

	memset(times, 0, sizeof(times));
	for (unsigned int round = 0; round < (match->rounds ? match->rounds : ROUNDS); round++) {
		for (unsigned int o = 0; o < HOSTS_OPPONENTS && !ret; o++) {
			const char *why = why_absent(o, match->hosts);

			if (why) {
				tell_absent(suite, o, why);
				continue;
			}
			snprintf(before, sizeof(before), "%s %s -n %u", opponents[o].variables,
				 opponents[o].launcher, match->hosts);
			ret = match_once(suite, match, before, true, &times[o]);
			measured++;
		}
		if (!measured && !ret)
			ret = match_once(suite, match, "", false, &times[0]);
	}
	if (!ret)
		settle(match, times, scores);
	return ret;
}

double hosts_ratio(const struct hosts_score *s)
{
	double better = NAN;

	for (unsigned int o = 0; o < HOSTS_OPPONENTS; o++) {
		if (!isnan(s->mpi[o]))
			better = fmin(better, s->mpi[o] / s->ours[o]);
	}
	return better;
}

double hosts_ours(const struct hosts_score *s)
{
	double ours[HOSTS_OPPONENTS];
	unsigned int n = 0;

	for (unsigned int o = 0; o < HOSTS_OPPONENTS; o++) {
		if (!isnan(s->ours[o]))
			ours[n++] = s->ours[o];
	}
	return hosts_median(ours, n);
}

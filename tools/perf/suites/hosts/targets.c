// SPDX-License-Identifier: MIT
/*
 * `--suite hosts-targets`: what processes that work together must reach beside one process,
 * MPI libraries and memory, and between machines, and whether they do.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tools/perf/suites/hosts/between.h"
#include "tools/perf/suites/hosts/cubes.h"
#include "tools/perf/suites/hosts/opponents.h"
#include "tools/perf/suites/hosts/rows.h"
#include "tools/perf/suites/hosts/runs.h"
#include "tools/perf/suites/suites.h"
#include "tools/tool.h"

#define KIB(n)	(UINT64_C(n) << 10)
#define MIB(n)	(UINT64_C(n) << 20)

static void put_score(struct perf_suite *suite, const struct hosts_match *m, const char *kind,
		      const struct hosts_score *s)
{
	for (unsigned int o = 0; o < HOSTS_OPPONENTS; o++) {
		if (!isnan(s->ours[o]) && !isnan(s->mpi[o]))
			hosts_beside_put(&suite->report, &(struct hosts_beside){
				.collective = kind, .where = m->mapped ? "mapped" : "private",
				.opponent = hosts_opponent_name(o), .bytes = s->bytes,
				.hosts = m->hosts, .ours = s->ours[o], .its = s->mpi[o] });
	}
	if (!isnan(s->roofline))
		hosts_beside_put(&suite->report, &(struct hosts_beside){
			.collective = kind, .where = "mapped", .opponent = "the roofline",
			.bytes = s->bytes, .hosts = m->hosts, .ours = hosts_ours(s),
			.its = s->roofline });
}

/* Of the sizes that are asked for, those of a target. */
static bool bound_match(const struct perf_suite *suite, struct hosts_match *m)
{
	const struct perf_args *args = suite->args;

	while (args->given_sizes && m->begin < args->begin)
		m->begin *= m->factor;
	if (args->given_sizes && m->end > args->end)
		m->end = args->end;
	return m->begin <= m->end;
}

/* Measures a match and prints its rows; false: it failed, or no size is asked for. */
static bool play(struct perf_targets *t, struct hosts_match *m, struct hosts_scores *scores)
{
	struct perf_suite *suite = t->suite;

	scores->sizes = 0;
	if (suite->status || !bound_match(suite, m))
		return false;
	suite->status = hosts_match(suite, m, scores);
	for (unsigned int c = 0; c < HOSTS_COLLECTIVES && !suite->status; c++) {
		for (unsigned int i = 0; i < scores->sizes && m->collectives & 1u << c; i++)
			put_score(suite, m, hosts_collective_name(c), &scores->at[c][i]);
	}
	return !suite->status;
}

/* The geometric mean over sizes of the better MPI's time by ours, and the least. */
static double mean_of(const struct hosts_scores *scores, enum hosts_collective c, double *low)
{
	unsigned int n = 0;
	double logs = 0;

	*low = NAN;
	for (unsigned int i = 0; i < scores->sizes; i++) {
		double ratio = hosts_ratio(&scores->at[c][i]);

		if (isnan(ratio))
			continue;
		logs += log(ratio);
		n++;
		*low = fmin(*low, ratio);
	}
	return n ? exp(logs / n) : NAN;
}

static void mapped_target(struct perf_targets *t, uint32_t hosts, uint64_t end, double goal)
{
	struct hosts_match m = { .hosts = hosts, .begin = KIB(64), .end = end, .factor = 4,
				 .mapped = true, .collectives = 1u << HOSTS_ALLREDUCE };
	static struct hosts_scores scores;
	double low = NAN, mean = NAN, share = NAN;

	if (play(t, &m, &scores))
		mean = mean_of(&scores, HOSTS_ALLREDUCE, &low);
	for (unsigned int i = 0; i < scores.sizes; i++) {
		const struct hosts_score *s = &scores.at[HOSTS_ALLREDUCE][i];

		if (s->bytes >= MIB(16))
			share = fmin(share, s->roofline / hosts_ours(s));
	}
	perf_target_add(t, goal, mean, "allreduce, alloc()ed, %u hosts: MPI by ours, mean%s", hosts,
			hosts_outnumber(hosts));
	if (hosts > 2)
		return;
	perf_target_add(t, 4, low, "the same, the least size");
	perf_target_add(t, 0.85, share, "the same from 16 MiB: share of the roofline");
}

static void mapped_targets(struct perf_targets *t)
{
	mapped_target(t, 2, MIB(64), 6);
	mapped_target(t, 4, MIB(16), 4);
}

static void private_targets(struct perf_targets *t)
{
	static const double goals[HOSTS_COLLECTIVES] = { 3, 3, 2.5, 1.2, 1.5 };
	struct hosts_match m = { .hosts = 2, .begin = KIB(64), .end = MIB(64), .factor = 4,
				 .collectives = (1u << HOSTS_COLLECTIVES) - 1 };
	static struct hosts_scores scores;
	bool played = play(t, &m, &scores);

	for (unsigned int c = 0; c < HOSTS_COLLECTIVES; c++) {
		double low = NAN, mean = played ? mean_of(&scores, c, &low) : NAN;

		perf_target_add(t, goals[c], mean, "%s, private, 2 hosts: MPI by ours, mean",
				hosts_collective_name(c));
		perf_target_add(t, 1, low, "the same, the least size");
	}
}

static void small_target(struct perf_targets *t)
{
	struct hosts_match m = { .hosts = 2, .begin = 8, .end = KIB(4), .factor = 8,
				 .collectives = 1u << HOSTS_ALLREDUCE };
	static struct hosts_scores scores;
	double most = NAN;

	if (play(t, &m, &scores)) {
		for (unsigned int i = 0; i < scores.sizes; i++) {
			double ratio = hosts_ratio(&scores.at[HOSTS_ALLREDUCE][i]);

			if (!isnan(ratio))
				most = fmax(most, 1 / ratio);
		}
	}
	perf_target_add(t, 1, most, "allreduce of 8 B to 4 KiB, 2 hosts: ours by MPI, most");
	perf_target_at_most(t);
}

static void measure_targets(struct perf_suite *suite)
{
	static void (*const parts[])(struct perf_targets *t) = {
		hosts_cubes_targets, mapped_targets, private_targets, small_target,
		hosts_between_targets,
	};
	static struct perf_targets t;

	if (hosts_report_begin(suite))
		return;
	hosts_beside_head(&suite->report);
	t = (struct perf_targets){ .suite = suite };
	for (size_t i = 0; i < TOOL_COUNT(parts) && !suite->status; i++)
		parts[i](&t);
	if (!suite->status)
		perf_targets_print(&t);
}

static int check_targets(const struct command *self, struct perf_args *args)
{
	if (!args->given_sizes)
		return TOOL_OK;
	if ((args->begin & (args->begin - 1)) || args->end > MIB(256))
		return tool_usage(self, "sizes of --suite hosts-targets from %" PRIu64 " to %" PRIu64 ", expected a power of two to begin with and at most %" PRIu64,
				  args->begin, args->end, MIB(256));
	return TOOL_OK;
}

const struct perf_suite_kind perf_suite_hosts_targets = {
	.name = "hosts-targets",
	.meaning =
	"hosts beside one process, MPI libraries, memory, the network: whether targets are met",
	.measure = measure_targets,
	.check = check_targets,
};

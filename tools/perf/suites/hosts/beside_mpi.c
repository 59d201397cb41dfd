// SPDX-License-Identifier: MIT
/*
 * YHCCL's figures 15, 16b and 18: collectives on hosts' private buffers beside those of MPI
 * libraries, on one machine and on emulated ones.
 */
#include <math.h>
#include <string.h>

#include "tools/perf/runners/buffers.h"
#include "tools/perf/suites/hosts/beside_mpi.h"
#include "tools/perf/suites/hosts/emulated.h"
#include "tools/perf/suites/hosts/figures.h"
#include "tools/perf/suites/hosts/opponents.h"
#include "tools/tool.h"

#define HOSTS		2u
#define RATE		"10gbit"
/* what Horovod gathers gradients into */
#define FUSED		(UINT64_C(64) << 20)
#define MOST_ROUNDS	3u

static unsigned int rounds_of(const struct perf_suite *suite)
{
	return suite->how.iters < MOST_ROUNDS ? suite->how.iters : MOST_ROUNDS;
}

/* A row of each opponent's and one of ours in the same processes, with which it took turns. */
static void put_score(struct perf_suite *suite, const char *figure, const char *collective,
		      const struct hosts_match *m, const struct hosts_score *s)
{
	struct hosts_row row = { .figure = figure, .collective = collective, .where = "private",
				 .type = m->floats ? "f32" : "i32", .op = "sum",
				 .bytes = s->bytes, .hosts = m->hosts,
				 .machines = 1, .least = NAN, .touched = NAN, .sent = NAN };

	for (unsigned int o = 0; o < HOSTS_OPPONENTS; o++) {
		char beside[64];

		if (isnan(s->mpi[o]))
			continue;
		snprintf(beside, sizeof(beside), "%s beside %s", m->algorithm ? m->algorithm : "auto",
			 hosts_opponent_name(o));
		row.algorithm = beside;
		row.ns = s->ours[o];
		hosts_row_put(suite, &row);
		row.algorithm = hosts_opponent_name(o);
		row.ns = s->mpi[o];
		hosts_row_put(suite, &row);
	}
}

/* Figure 15 as two: averages over sizes of the opponents' times by ours. */
static double averages[HOSTS_COLLECTIVES][HOSTS_OPPONENTS];
static bool averaged;

static void average_all(struct perf_suite *suite, const char *figure)
{
	const struct hosts_match match = { .hosts = HOSTS, .begin = suite->args->begin,
					   .end = suite->args->end, .factor = HOSTS_FACTOR,
					   .rounds = rounds_of(suite),
					   .collectives = (1u << HOSTS_COLLECTIVES) - 1 };
	static struct hosts_scores scores;

	if (averaged)
		return;
	suite->status = hosts_match(suite, &match, &scores);
	for (unsigned int c = 0; c < HOSTS_COLLECTIVES && !suite->status; c++) {
		struct hosts_mean means[HOSTS_OPPONENTS] = { 0 };

		for (unsigned int i = 0; i < scores.sizes; i++) {
			const struct hosts_score *s = &scores.at[c][i];

			put_score(suite, figure, hosts_collective_name(c), &match, s);
			for (unsigned int o = 0; o < HOSTS_OPPONENTS; o++)
				hosts_mean_add(&means[o], s->mpi[o] / s->ours[o]);
		}
		for (unsigned int o = 0; o < HOSTS_OPPONENTS; o++)
			averages[c][o] = hosts_mean_of(&means[o]);
	}
	averaged = !suite->status;
}

/* One that is not here has no series, and the report says why. */
static void add_opponent(struct perf_figure *figure, const char *x, unsigned int o, double ratio)
{
	if (!isnan(ratio))
		perf_figure_add(figure, x, hosts_opponent_name(o), ratio, NAN);
}

static bool any_opponent(void)
{
	for (unsigned int o = 0; o < HOSTS_OPPONENTS; o++) {
		if (!isnan(averages[HOSTS_ALLREDUCE][o]))
			return true;
	}
	return false;
}

void hosts_figure_y15(struct perf_suite *suite, struct perf_figure *figure)
{
	/* averages over all of the paper's opponents, the least and the most */
	static const double papers[HOSTS_COLLECTIVES][2] = {
		[HOSTS_ALLREDUCE] = { 1.4, 5.2 }, [HOSTS_REDUCE_SCATTER] = { 1.9, 5.0 },
		[HOSTS_REDUCE] = { 2.0, 6.4 }, [HOSTS_BROADCAST] = { 1.4, 4.5 },
		[HOSTS_ALLGATHER] = { 1.2, 2.2 },
	};

	average_all(suite, figure->number);
	for (unsigned int c = 0; c < HOSTS_COLLECTIVES && !suite->status && any_opponent(); c++) {
		const char *x = hosts_collective_name(c);
		double least = NAN, most = NAN;

		for (unsigned int o = 0; o < HOSTS_OPPONENTS; o++) {
			least = fmin(least, averages[c][o]);
			most = fmax(most, averages[c][o]);
			add_opponent(figure, x, o, averages[c][o]);
		}
		perf_figure_add(figure, x, "least", least, papers[c][0]);
		perf_figure_add(figure, x, "most", most, papers[c][1]);
	}
}

/* Times of allreduce by the library's own algorithms, by auto's: averages. */
static void average_own(struct perf_suite *suite, const char *figure, double own[2])
{
	static const char *const names[] = { "auto", "dpml", "rg" };
	struct hosts_mean means[2] = { 0 };
	static struct perf_args args;

	args = *suite->args;
	args.how.iters = suite->how.iters;
	args.hosts = HOSTS;
	args.nr_names = TOOL_COUNT(names);
	for (unsigned int i = 0; i < TOOL_COUNT(names); i++)
		snprintf(args.names[i], sizeof(args.names[i]), "%s", names[i]);
	for (uint64_t bytes = args.begin; bytes <= args.end && !suite->status;
	     bytes *= HOSTS_FACTOR) {
		struct perf_buffers_row rows[PERF_MAX_NAMES];

		suite->status = perf_buffers_rows(&args, "allreduce", bytes, rows);
		for (unsigned int i = 0; i < TOOL_COUNT(names) && !suite->status; i++)
			hosts_row_put(suite, &(struct hosts_row){
				.figure = figure, .collective = "allreduce", .algorithm = names[i],
				.where = "private", .type = "i32", .op = "sum", .bytes = bytes,
				.hosts = HOSTS, .machines = 1, .ns = rows[i].ns,
				.least = rows[i].least, .touched = (double)rows[i].touched,
				.sent = NAN, .wrong = rows[i].wrong });
		for (unsigned int i = 1; i < TOOL_COUNT(names) && !suite->status; i++)
			hosts_mean_add(&means[i - 1], rows[i].ns / rows[0].ns);
	}
	own[0] = hosts_mean_of(&means[0]);
	own[1] = hosts_mean_of(&means[1]);
}

static double average_of(const char *opponent)
{
	for (unsigned int o = 0; o < HOSTS_OPPONENTS; o++) {
		if (!strcmp(hosts_opponent_name(o), opponent))
			return averages[HOSTS_ALLREDUCE][o];
	}
	return NAN;
}

/* Those that are not here stand with the paper's number alone. */
void hosts_figure_y15_by_opponent(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct {
		const char *name;
		double paper;
	} mpi[] = { { "Open MPI", 4.60 }, { "MPICH", 5.21 }, { "Intel MPI", 1.83 },
		    { "MVAPICH2", 1.73 }, { "XPMEM", 2.00 } };
	double own[2];

	average_all(suite, figure->number);
	if (suite->status)
		return;
	average_own(suite, figure->number, own);
	for (size_t i = 0; i < TOOL_COUNT(mpi) && !suite->status; i++)
		perf_figure_add(figure, mpi[i].name, "time by ours", average_of(mpi[i].name),
				mpi[i].paper);
	if (suite->status)
		return;
	perf_figure_add(figure, "DPML", "time by ours", own[0], 2.38);
	perf_figure_add(figure, "RG", "time by ours", own[1], 1.40);
}

void hosts_beside_add(struct perf_suite *suite, struct perf_figure *figure, uint32_t hosts,
		      double most[HOSTS_OPPONENTS])
{
	const struct hosts_match match = { .hosts = hosts, .begin = suite->args->end,
					   .end = suite->args->end, .factor = HOSTS_FACTOR,
					   .rounds = rounds_of(suite),
					   .collectives = 1u << HOSTS_ALLREDUCE,
					   .algorithm = "ma+socket" };
	static struct hosts_scores scores;
	const struct hosts_score *s = &scores.at[HOSTS_ALLREDUCE][0];
	char x[16];

	suite->status = hosts_match(suite, &match, &scores);
	if (suite->status)
		return;
	put_score(suite, figure->number, "allreduce", &match, s);
	snprintf(x, sizeof(x), "%u", hosts);
	for (unsigned int o = 0; o < HOSTS_OPPONENTS; o++) {
		add_opponent(figure, x, o, s->mpi[o] / s->ours[o]);
		most[o] = fmax(most[o], s->mpi[o] / s->ours[o]);
	}
}

void hosts_beside_largest(struct perf_figure *figure, const char *x,
			  const double most[HOSTS_OPPONENTS])
{
	static const struct {
		const char *name;
		double paper;
	} papers[] = { { "Open MPI", 4.5 }, { "MPICH", 10.1 }, { "Intel MPI", 2.8 },
		       { "MVAPICH2", 2.8 }, { "XPMEM", 1.5 } };

	for (size_t i = 0; i < TOOL_COUNT(papers); i++) {
		double ours = NAN;

		for (unsigned int o = 0; o < HOSTS_OPPONENTS; o++) {
			if (!strcmp(hosts_opponent_name(o), papers[i].name))
				ours = most[o];
		}
		perf_figure_add(figure, x, papers[i].name, ours, papers[i].paper);
	}
}

/* the series of figure 16b, by the first one: of a run, each beside the others of it */
static const struct {
	const char *algorithm, *name;
} over_machines[] = { { "leader", "leader" }, { "chain", "chain" }, { "mpi", "Open MPI" } };

/* Sizes of a run over machines: times by that of leaders, the least and the most of MPI's. */
static void add_sizes(struct perf_suite *suite, struct perf_figure *figure,
		      const struct hosts_scene *scene, const struct hosts_run *run,
		      double *least, double *most)
{
	const struct perf_args *args = suite->args;

	*least = *most = NAN;
	for (uint64_t bytes = args->begin; bytes <= args->end; bytes *= HOSTS_FACTOR) {
		const uint64_t whole = bytes / 4 * 4;
		double first = hosts_row_take(suite, scene, run, "allreduce", whole, "leaders");

		for (size_t i = 0; i < TOOL_COUNT(over_machines); i++) {
			const bool mpi = !strcmp(over_machines[i].algorithm, "mpi");
			double ratio = hosts_row_take(suite, scene, run, "allreduce", whole,
						      over_machines[i].algorithm) / first;

			if (isnan(ratio))
				continue;
			perf_figure_add(figure, tool_size(bytes),
					mpi && scene->mpi ? scene->mpi : over_machines[i].name,
					ratio, NAN);
			if (mpi) {
				*least = fmin(*least, ratio);
				*most = fmax(*most, ratio);
			}
		}
	}
}

static void run_sizes(struct perf_suite *suite, struct perf_figure *figure,
		      const struct hosts_scene *scene, const char *before, const char *names,
		      double *least, double *most)
{
	static struct hosts_run run;

	*least = *most = NAN;
	suite->status = hosts_run(&run, before,
				  "--host-buffers -a %s -n %u -w 1 -b %llu -e %llu -f %u allreduce",
				  names, suite->how.iters,
				  (unsigned long long)suite->args->begin,
				  (unsigned long long)suite->args->end, HOSTS_FACTOR);
	if (!suite->status)
		add_sizes(suite, figure, scene, &run, least, most);
}

/* What goes over the network by all hosts of a machine, as in the paper; others by that. */
void hosts_figure_y16b(struct perf_suite *suite, struct perf_figure *figure)
{
	struct hosts_scene scene = { .figure = figure->number, .where = "private", .hosts = 4,
				     .machines = 2 };
	char before[512], with_han[640];
	double least = NAN, most = NAN, unused;
	const char *han;

	if (!hosts_emulated(suite, figure))
		return;
	hosts_title(figure, scene.hosts);
	hosts_emulated_before(before, sizeof(before), 2, 2, RATE);
	scene.rate = hosts_emulated_rate(suite, &scene, before, RATE);
	if (!suite->status)
		run_sizes(suite, figure, &scene, before, "leaders,leader,chain,mpi", &least, &most);
	han = suite->status ? NULL : hosts_emulated_han(suite);
	if (han) {
		scene.mpi = HOSTS_HAN;
		snprintf(with_han, sizeof(with_han), "%s %s", han, before);
		run_sizes(suite, figure, &scene, with_han, "leaders,mpi", &unused, &unused);
	}
	if (suite->status)
		return;
	/* of 1,024 processes on 16 nodes, large vectors */
	perf_figure_add(figure, "least", "Open MPI", least, 1.4);
	perf_figure_add(figure, "most", "Open MPI", most, 8.8);
}

/* networks that are trained in floats, and what a step of the paper's training gains */
static const struct hosts_network {
	const char *name;
	uint64_t parameters;
	double paper;
} networks[] = { { "ResNet-50", 25557032, 1.94 }, { "VGG-16", 138357544, 1.80 } };

/* Calls of one size, as few as none is above what gradients are gathered into. */
static uint64_t calls_of(const struct perf_suite *suite, const struct hosts_network *n,
			 uint64_t *bytes)
{
	const struct perf_args *args = suite->args;
	const uint64_t most = args->given_sizes && args->end < FUSED ? args->end : FUSED;
	const uint64_t calls = (n->parameters * 4 + most - 1) / most;

	*bytes = (n->parameters + calls - 1) / calls * 4;
	return calls;
}

void hosts_figure_y18(struct perf_suite *suite, struct perf_figure *figure)
{
	for (size_t i = 0; i < TOOL_COUNT(networks) && !suite->status; i++) {
		const struct hosts_network *n = &networks[i];
		static struct hosts_scores scores;
		struct hosts_match match = { .hosts = HOSTS, .factor = HOSTS_FACTOR,
					     .rounds = rounds_of(suite), .floats = true,
					     .collectives = 1u << HOSTS_ALLREDUCE };
		const struct hosts_score *s = &scores.at[HOSTS_ALLREDUCE][0];
		char x[32];

		snprintf(x, sizeof(x), "%s, %llu calls", n->name,
			 (unsigned long long)calls_of(suite, n, &match.begin));
		match.end = match.begin;
		suite->status = hosts_match(suite, &match, &scores);
		if (suite->status)
			return;
		put_score(suite, figure->number, "allreduce", &match, s);
		if (isnan(hosts_ratio(s)))
			return;
		for (unsigned int o = 0; o < HOSTS_OPPONENTS; o++)
			add_opponent(figure, x, o, s->mpi[o] / s->ours[o]);
		perf_figure_add(figure, x, "the better one", hosts_ratio(s), n->paper);
	}
}

// SPDX-License-Identifier: MIT
/*
 * Figures 5b, 5c, 6 and 7 of Chen et al.: one leader of each machine, or all its hosts, speak to
 * other machines. These are emulated, and two networks whose rates are 4 to 1 as those of the
 * paper's clusters.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/perf/suites/hosts/emulated.h"
#include "tools/perf/suites/hosts/figures.h"
#include "tools/perf/suites/hosts/opponents.h"
#include "tools/tool.h"

#define ON_EACH		2u	/* hosts of a machine */
#define ACES		"10gbit"
#define STAMPEDE	"2500mbit"
#define VECTOR		(UINT64_C(64) << 20)
#define PART		16u	/* the small vector of figure 7: 64 MB of 1 GB */
#define MOST_CALLS	3u
#define MOST_CASES	8u

/* what was measured, for whichever figures show it */
struct network_case {
	unsigned int machines;
	const char *rate;
	uint64_t bytes;
	double direct, leader, leaders, mpi;	/* ns */
	double han, beside_han;		/* Open MPI's coll/han, and leaders in turns with it */
	double leader_sent, leaders_sent;	/* bytes, counted, of the one that sends most */
};

static uint64_t vector_of(const struct perf_suite *suite)
{
	const struct perf_args *args = suite->args;
	uint64_t bytes = VECTOR;

	while (args->given_sizes && bytes > args->end && bytes > 64 * PART)
		bytes /= 2;
	return bytes;
}

static void put_launcher(char *text, size_t bytes, const struct network_case *c)
{
	if (c->machines == 1)
		snprintf(text, bytes, "%s -n %u", hosts_launcher(), ON_EACH);
	else
		hosts_emulated_before(text, bytes, c->machines, ON_EACH, c->rate);
}

static void measure_han(struct perf_suite *suite, const struct hosts_scene *like,
			const char *before, unsigned int calls, struct network_case *c)
{
	const char *variables = hosts_emulated_han(suite);
	struct hosts_scene scene = *like;
	static struct hosts_run run;
	char own[700];

	c->han = c->beside_han = NAN;
	if (!variables)
		return;
	scene.mpi = HOSTS_HAN;
	snprintf(own, sizeof(own), "%s %s", variables, before);
	suite->status = hosts_run(&run, own, "--host-buffers --mapped -a leaders,mpi -n %u -w 1 -b %llu allreduce",
				  calls, (unsigned long long)c->bytes);
	if (suite->status)
		return;
	c->beside_han = hosts_row_take(suite, &scene, &run, "allreduce", c->bytes, "leaders");
	c->han = hosts_row_take(suite, &scene, &run, "allreduce", c->bytes, "mpi");
}

static void take_case(struct perf_suite *suite, const struct hosts_scene *scene,
		      const struct hosts_run *run, struct network_case *c)
{
	const struct hosts_run_row *row;

	c->direct = hosts_row_take(suite, scene, run, "allreduce", c->bytes, "auto");
	c->leader = hosts_row_take(suite, scene, run, "allreduce", c->bytes, "leader");
	c->leaders = hosts_row_take(suite, scene, run, "allreduce", c->bytes, "leaders");
	c->mpi = hosts_row_take(suite, scene, run, "allreduce", c->bytes, "mpi");
	row = hosts_run_find(run, "allreduce", c->bytes, "leader");
	c->leader_sent = row ? (double)row->sent : NAN;
	row = hosts_run_find(run, "allreduce", c->bytes, "leaders");
	c->leaders_sent = row ? (double)row->sent : NAN;
}

static void measure_case(struct perf_suite *suite, const char *figure, struct network_case *c)
{
	struct hosts_scene scene = { .figure = figure, .where = "mapped",
				     .hosts = c->machines * ON_EACH, .machines = c->machines };
	const unsigned int calls = suite->how.iters < MOST_CALLS ? suite->how.iters : MOST_CALLS;
	static struct hosts_run run;
	char before[600];

	put_launcher(before, sizeof(before), c);
	if (c->machines > 1)
		scene.rate = hosts_emulated_rate(suite, &scene, before, c->rate);
	if (suite->status)
		return;
	suite->status = hosts_run(&run, before, "--host-buffers --mapped -a %s,mpi -n %u -w 1 -b %llu allreduce",
				  c->machines == 1 ? "auto" : "leader,leaders", calls,
				  (unsigned long long)c->bytes);
	if (suite->status)
		return;
	take_case(suite, &scene, &run, c);
	if (c->machines > 1)
		measure_han(suite, &scene, before, calls, c);
}

/* Measured once; NULL after a failure. */
static const struct network_case *case_of(struct perf_suite *suite, const char *figure,
					  unsigned int machines, const char *rate, uint64_t bytes)
{
	static struct network_case cases[MOST_CASES];
	static unsigned int count;

	for (unsigned int i = 0; i < count; i++) {
		if (cases[i].machines == machines && !strcmp(cases[i].rate, rate) &&
		    cases[i].bytes == bytes)
			return &cases[i];
	}
	cases[count] = (struct network_case){ .machines = machines, .rate = rate, .bytes = bytes };
	measure_case(suite, figure, &cases[count]);
	return suite->status ? NULL : &cases[count++];
}

static const struct network_case *two_machines(struct perf_suite *suite,
					       const struct perf_figure *figure)
{
	if (!hosts_emulated(suite, figure))
		return NULL;
	return case_of(suite, figure->number, 2, ACES, vector_of(suite));
}

void hosts_figure_g5b(struct perf_suite *suite, struct perf_figure *figure)
{
	const struct network_case *c = two_machines(suite, figure);

	hosts_title(figure, 2 * ON_EACH);
	if (c)
		perf_figure_add(figure, "2 machines", "leaders by leader", c->leaders / c->leader,
				0.68);
}

/* There, four of a node share what the leader alone would send. */
void hosts_figure_g5c(struct perf_suite *suite, struct perf_figure *figure)
{
	const struct network_case *c = two_machines(suite, figure);

	if (c)
		perf_figure_add(figure, "2 machines", "leaders by leader",
				c->leaders_sent / c->leader_sent, 0.25);
}

/* positions of figures 6 and 7: the paper's times in ms, by Intel MPI, a leader, leaders */
struct network_position {
	const char *x;
	unsigned int machines, part;
	double mpi, leader, leaders;	/* of one machine: `leaders` is its kernel */
};

static void draw_positions(struct perf_suite *suite, struct perf_figure *figure, const char *rate,
			   const struct network_position *positions, unsigned int count)
{
	if (!hosts_emulated(suite, figure))
		return;
	hosts_title(figure, positions[count - 1].machines * ON_EACH);
	for (unsigned int i = 0; i < count; i++) {
		const struct network_position *p = &positions[i];
		const struct network_case *c = case_of(suite, figure->number, p->machines,
						       p->machines == 1 ? "" : rate,
						       vector_of(suite) / p->part);

		if (!c)
			return;
		if (p->machines == 1) {
			perf_figure_add(figure, p->x, "direct", c->mpi / c->direct,
					p->mpi / p->leaders);
			continue;
		}
		perf_figure_add(figure, p->x, "leader", c->mpi / c->leader, p->mpi / p->leader);
		perf_figure_add(figure, p->x, "leaders", c->mpi / c->leaders, p->mpi / p->leaders);
		if (!isnan(c->han))
			perf_figure_add(figure, p->x, "leaders, by coll/han",
					c->han / c->beside_han, NAN);
	}
}

void hosts_figure_g6(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct network_position positions[] = {
		{ "1 machine", 1, 1, 150.7, NAN, 9.5 },
		{ "2 machines", 2, 1, 152.9, 122.4, 80.9 },
		{ "4 machines", 4, 1, 237.9, 192.6, 121.5 },
	};

	draw_positions(suite, figure, ACES, positions, TOOL_COUNT(positions));
}

void hosts_figure_g7(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct network_position positions[] = {
		{ "1 machine", 1, 1, 392.9, NAN, 31.8 },
		{ "2 machines", 2, 1, 503.3, 314.4, 232.5 },
		{ "4 machines", 4, 1, 558.8, 486.6, 323.5 },
		{ "4 machines, a 16th", 4, PART, 32.2, 36.6, 21.0 },
	};

	draw_positions(suite, figure, STAMPEDE, positions, TOOL_COUNT(positions));
}

// SPDX-License-Identifier: MIT
/*
 * PID-Comm's figure 23b, a hypercube over machines, by `pimdimm machines`. MPICH is none of its
 * launchers: processes of MPICH 4.0 do not always come out of MPI_Finalize() over TCP, as those
 * that are through with it no longer answer others.
 */
#include <math.h>
#include <stdio.h>

#include "tools/perf/suites/hosts/emulated.h"
#include "tools/perf/suites/hosts/figures.h"
#include "tools/perf/suites/hosts/opponents.h"
#include "tools/tool.h"

#define LAUNCHER	"mpirun.openmpi"
#define PES_A_MACHINE	256u
#define RATE		"10gbit"
#define LARGEST		(UINT64_C(2) << 20)
/* bytes that each machine sends to measure the rate: many times what a bucket holds */
#define STREAM_BYTES	(UINT64_C(32) << 20)
#define MOST_CALLS	3u
#define MOST_MACHINES	4u

/* what both figures show */
struct machines_case {
	const char *collective;
	unsigned int machines;
	double paper;			/* bytes of its PEs for each byte that a machine sends */
	double ours, conventional;	/* ns */
	double sent;			/* bytes, by the host of a machine that sends most */
};

/*
 * The paper's text: allreduce sends a 256th of the data, alltoall the part that is for other
 * machines, (N - 1) / N of it.
 */
static struct machines_case cases[] = {
	{ .collective = "allreduce", .machines = 2, .paper = 256 },
	{ .collective = "allreduce", .machines = 4, .paper = 256 },
	{ .collective = "alltoall", .machines = 2, .paper = 2 },
	{ .collective = "alltoall", .machines = 4, .paper = 4 / 3.0 },
};
static bool measured;

bool hosts_emulated(struct perf_suite *suite, const struct perf_figure *figure)
{
	static int works;
	const char *why = NULL;

	if (!works)
		works = !hosts_run_works("%s -n 2 %s perf --host-buffers -a mpi -n 1 -w 0 -b 64 allreduce",
					 LAUNCHER, hosts_run_tool()) ? 1 :
			!hosts_run_works("%s machines -n 2 --rate 1gbit -- true",
					 hosts_run_tool()) ? 2 : 3;
	if (works == 1)
		why = "it is started by Open MPI, which is not installed";
	if (works == 2)
		why = "the kernel refuses namespaces, see pimdimm machines";
	if (why)
		hosts_absent(suite, figure, why);
	return !why;
}

void hosts_emulated_before(char *text, size_t bytes, unsigned int machines,
			   unsigned int on_each, const char *rate)
{
	snprintf(text, bytes, "%s machines -n %u --slots %u --rate %s -- " LAUNCHER " -n %u",
		 hosts_run_tool(), machines, on_each, rate, machines * on_each);
}

struct hosts_rate hosts_emulated_rate(struct perf_suite *suite, const struct hosts_scene *scene,
				      const char *before, const char *rate)
{
	const unsigned int calls = suite->how.iters < MOST_CALLS ? suite->how.iters : MOST_CALLS;
	struct hosts_rate got = hosts_rate_of(rate);
	struct hosts_scene there = *scene;
	const struct hosts_run_row *row;
	static struct hosts_run run;

	suite->status = hosts_run(&run, before, "--host-buffers -a stream -n %u -w 1 -b %llu allgather",
				  calls, (unsigned long long)STREAM_BYTES);
	row = suite->status ? NULL : hosts_run_find(&run, "allgather", STREAM_BYTES, "stream");
	if (!row)
		return got;
	got.measured = (double)STREAM_BYTES / row->ns * 8;
	there.rate = got;
	hosts_row_take(suite, &there, &run, "allgather", STREAM_BYTES, "stream");
	if (suite->report.format == PERF_TEXT)
		fprintf(suite->report.out, "# %u machines, nominal %s: MPI's streams get %.2f Gb/s\n",
			scene->machines, rate, got.measured);
	return got;
}

const char *hosts_emulated_han(struct perf_suite *suite)
{
	static int known;

	if (!known) {
		known = 1 + hosts_has_component("han");
		if (known == 1)
			perf_report_absent(&suite->report, HOSTS_HAN,
					   "this Open MPI has no component coll/han");
	}
	return known == 2 ? "OMPI_MCA_coll_han_priority=100" : NULL;
}

/* Of a PE: a word for each of the PEs at least. */
static uint64_t bytes_of(const struct perf_suite *suite)
{
	const struct perf_args *args = suite->args;
	const uint64_t least = 8 * MOST_MACHINES * PES_A_MACHINE;
	uint64_t bytes = LARGEST;

	while (args->given_sizes && bytes > args->end && bytes > least)
		bytes /= 2;
	return bytes;
}

static void measure_machines(struct perf_suite *suite, const char *figure, unsigned int machines)
{
	struct hosts_scene scene = { .figure = figure, .where = "machines", .hosts = machines,
				     .machines = machines };
	const unsigned int calls = suite->how.iters < MOST_CALLS ? suite->how.iters : MOST_CALLS;
	const uint64_t bytes = bytes_of(suite);
	static struct hosts_run run;
	char before[512];

	hosts_emulated_before(before, sizeof(before), machines, 1, RATE);
	scene.rate = hosts_emulated_rate(suite, &scene, before, RATE);
	if (suite->status)
		return;
	suite->status = hosts_run(&run, before,
				  "--hosts %u --no-baseline -a auto,conventional -s %u -x 1 -n %u -w 1 -b %llu allreduce alltoall",
				  machines, machines * PES_A_MACHINE, calls,
				  (unsigned long long)bytes);
	for (size_t i = 0; i < TOOL_COUNT(cases) && !suite->status; i++) {
		struct machines_case *c = &cases[i];
		const struct hosts_run_row *row;

		if (c->machines != machines)
			continue;
		c->ours = hosts_row_take(suite, &scene, &run, c->collective, bytes, "auto");
		c->conventional = hosts_row_take(suite, &scene, &run, c->collective, bytes,
						 "conventional");
		row = hosts_run_find(&run, c->collective, bytes, "auto");
		c->sent = row ? (double)row->sent : NAN;
	}
}

/* For both figures once. */
static bool measure_all(struct perf_suite *suite, const struct perf_figure *figure)
{
	if (!hosts_emulated(suite, figure))
		return false;
	for (unsigned int machines = 2; machines <= MOST_MACHINES && !measured; machines *= 2) {
		if (!suite->status)
			measure_machines(suite, figure->number, machines);
	}
	measured = !suite->status;
	return measured;
}

static const char *label(char text[32], const struct machines_case *c)
{
	snprintf(text, 32, "%s, %u machines", c->collective, c->machines);
	return text;
}

void hosts_figure_23b(struct perf_suite *suite, struct perf_figure *figure)
{
	char x[32];

	if (!measure_all(suite, figure))
		return;
	hosts_title(figure, MOST_MACHINES);
	for (size_t i = 0; i < TOOL_COUNT(cases); i++) {
		const struct machines_case *c = &cases[i];
		const double all = (double)bytes_of(suite) * PES_A_MACHINE * c->machines;

		perf_figure_add(figure, label(x, c), "ours", all / c->ours, NAN);
		perf_figure_add(figure, x, "conventional", all / c->conventional, NAN);
	}
}

void hosts_figure_23b_sent(struct perf_suite *suite, struct perf_figure *figure)
{
	char x[32];

	if (!measure_all(suite, figure))
		return;
	for (size_t i = 0; i < TOOL_COUNT(cases); i++) {
		const struct machines_case *c = &cases[i];
		const double own = (double)bytes_of(suite) * PES_A_MACHINE;

		perf_figure_add(figure, label(x, c), "bytes of its PEs", own / c->sent,
				c->paper);
	}
}

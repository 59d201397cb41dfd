// SPDX-License-Identifier: MIT
/*
 * `--suite hosts`: its figures, and those of Peng et al., "Optimizing MPI Collectives on Shared
 * Memory Multi-Cores" (SC 2023), that compare the library's own algorithms.
 */
#include <math.h>
#include <string.h>

#include "tools/perf/measure.h"
#include "tools/perf/runners/buffers.h"
#include "tools/perf/suites/hosts/beside_mpi.h"
#include "tools/perf/suites/hosts/figures.h"
#include "tools/perf/suites/hosts/rows.h"
#include "tools/perf/suites/hosts/runs.h"
#include "tools/perf/suites/suites.h"
#include "tools/tool.h"

#define USUAL_HOSTS	2u
#define AVERAGE		"average"

/* an algorithm, as figures call it, and the paper's average against the first one; or NAN */
struct hosts_series {
	const char *algorithm, *name;
	double paper;
};

static const struct hosts_series reduce_scatters[] = {
	{ "ma+socket", "socket-aware MA", NAN },
	{ "ma", "MA", NAN },
	{ "dpml", "DPML", 4.18 },
	{ "ring", "ring", 3.8 },
	{ "rabenseifner", "Rabenseifner", 3.6 },
}, reduces[] = {
	{ "ma+socket", "socket-aware MA", NAN },
	{ "ma", "MA", NAN },
	{ "dpml", "DPML", NAN },
	{ "rg", "RG", NAN },
}, allreduces[] = {
	{ "ma+socket", "socket-aware MA", NAN },
	{ "ma", "MA", NAN },
	{ "ring", "ring", 1.50 },
	{ "dpml", "DPML", 2.20 },
	{ "rg", "RG", 2.08 },
	{ "rabenseifner", "Rabenseifner", 2.37 },
}, scaled[] = {
	/* the largest ratios of figure 16a */
	{ "ma+socket", "socket-aware MA", NAN },
	{ "dpml", "DPML", 2.5 },
	{ "rg", "RG", 2.6 },
}, stores[] = {
	{ "ma:adaptive", "adaptive", NAN },
	{ "ma:t-copy", "t-copy", NAN },
	{ "ma:nt-copy", "nt-copy", NAN },
	{ "ma:memmove", "memmove", NAN },
}, pipelined_stores[] = {
	{ "pipelined:adaptive", "adaptive", NAN },
	{ "pipelined:t-copy", "t-copy", NAN },
	{ "pipelined:nt-copy", "nt-copy", NAN },
	{ "pipelined:memmove", "memmove", NAN },
};

/* a collective by several algorithms, at one size */
struct hosts_case {
	const char *figure, *kind;
	uint32_t hosts;
	uint64_t bytes;
	const struct hosts_series *series;
	unsigned int count;
	struct perf_buffers_row rows[PERF_MAX_NAMES];
};

static void put_row(struct perf_suite *suite, const struct hosts_case *c, unsigned int i)
{
	const struct perf_buffers_row *row = &c->rows[i];

	hosts_row_put(suite, &(struct hosts_row){
		.figure = c->figure, .collective = c->kind, .algorithm = c->series[i].algorithm,
		.where = "private", .type = "i32", .op = "sum", .bytes = c->bytes,
		.hosts = c->hosts, .machines = 1, .ns = row->ns, .least = row->least,
		.touched = (double)row->touched, .sent = NAN, .wrong = row->wrong });
}

/* One size: all its algorithms in turns, whose rows are printed. */
static void measure_case(struct perf_suite *suite, struct hosts_case *c)
{
	static struct perf_args own;

	own = *suite->args;
	own.how.iters = suite->how.iters;
	own.hosts = c->hosts;
	own.nr_names = c->count;
	for (unsigned int i = 0; i < c->count; i++)
		snprintf(own.names[i], sizeof(own.names[i]), "%s", c->series[i].algorithm);
	suite->status = perf_interrupted() ? tool_error("interrupted") :
					     perf_buffers_rows(&own, c->kind, c->bytes, c->rows);
	for (unsigned int i = 0; i < c->count && !suite->status; i++)
		put_row(suite, c, i);
}

/* Times by the first algorithm's, over sizes, and the average beside the paper's. */
static void draw_ratios(struct perf_suite *suite, struct perf_figure *figure, const char *kind,
			const struct hosts_series *series, unsigned int count)
{
	double logs[PERF_MAX_NAMES] = { 0 };
	unsigned int sizes = 0;

	for (uint64_t bytes = suite->args->begin; bytes <= suite->args->end; bytes *= HOSTS_FACTOR) {
		struct hosts_case c = { .figure = figure->number, .kind = kind,
					.hosts = USUAL_HOSTS, .bytes = bytes,
					.series = series, .count = count };

		measure_case(suite, &c);
		if (suite->status)
			return;
		sizes++;
		for (unsigned int i = 1; i < count; i++) {
			double ratio = c.rows[i].ns / c.rows[0].ns;

			logs[i] += log(ratio);
			perf_figure_add(figure, tool_size(bytes), series[i].name, ratio, NAN);
		}
	}
	for (unsigned int i = 1; i < count && sizes; i++)
		perf_figure_add(figure, AVERAGE, series[i].name, exp(logs[i] / sizes),
				series[i].paper);
}

/* Bytes touched by time, in GB/s: what the paper calls bandwidth. */
static void draw_rates(struct perf_suite *suite, struct perf_figure *figure, const char *kind,
		       const struct hosts_series *series, unsigned int count)
{
	for (uint64_t bytes = suite->args->begin; bytes <= suite->args->end; bytes *= HOSTS_FACTOR) {
		struct hosts_case c = { .figure = figure->number, .kind = kind,
					.hosts = USUAL_HOSTS, .bytes = bytes,
					.series = series, .count = count };

		measure_case(suite, &c);
		for (unsigned int i = 0; i < count && !suite->status; i++)
			perf_figure_add(figure, tool_size(bytes), series[i].name,
					(double)c.rows[i].touched / c.rows[i].ns, NAN);
		if (suite->status)
			return;
	}
}

static void draw_9(struct perf_suite *suite, struct perf_figure *figure)
{
	draw_ratios(suite, figure, "reduce_scatter", reduce_scatters,
		    TOOL_COUNT(reduce_scatters));
}

static void draw_10(struct perf_suite *suite, struct perf_figure *figure)
{
	draw_ratios(suite, figure, "reduce", reduces, TOOL_COUNT(reduces));
}

static void draw_11(struct perf_suite *suite, struct perf_figure *figure)
{
	draw_ratios(suite, figure, "allreduce", allreduces, TOOL_COUNT(allreduces));
}

/* Of 256 MB there, on two machines of other sizes than this one, by adaptive stores and before. */
static void draw_12(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct {
		const char *x;
		double before, adaptive;
	} papers[] = { { "256 MB, 64 cores (A)", 314.7, 416.2 },
		       { "256 MB, 48 cores (B)", 281.8, 374.7 } };

	draw_rates(suite, figure, "allreduce", stores, TOOL_COUNT(stores));
	for (size_t i = 0; i < TOOL_COUNT(papers) && !suite->status; i++) {
		perf_figure_add(figure, papers[i].x, "adaptive", NAN, papers[i].adaptive);
		perf_figure_add(figure, papers[i].x, "not adaptive", NAN, papers[i].before);
	}
}

static void draw_13(struct perf_suite *suite, struct perf_figure *figure)
{
	draw_rates(suite, figure, "broadcast", pipelined_stores, TOOL_COUNT(pipelined_stores));
}

static void draw_14(struct perf_suite *suite, struct perf_figure *figure)
{
	draw_rates(suite, figure, "allgather", pipelined_stores, TOOL_COUNT(pipelined_stores));
}

static void draw_16a(struct perf_suite *suite, struct perf_figure *figure)
{
	double most[TOOL_COUNT(scaled)], by_mpi[HOSTS_OPPONENTS];

	for (unsigned int i = 0; i < TOOL_COUNT(scaled); i++)
		most[i] = NAN;
	for (unsigned int o = 0; o < HOSTS_OPPONENTS; o++)
		by_mpi[o] = NAN;
	for (uint32_t hosts = 2; hosts <= 8; hosts *= 2) {
		struct hosts_case c = { .figure = figure->number, .kind = "allreduce",
					.hosts = hosts, .bytes = suite->args->end,
					.series = scaled, .count = TOOL_COUNT(scaled) };
		char x[16];

		measure_case(suite, &c);
		snprintf(x, sizeof(x), "%u", hosts);
		for (unsigned int i = 1; i < TOOL_COUNT(scaled) && !suite->status; i++) {
			const double ratio = c.rows[i].ns / c.rows[0].ns;

			perf_figure_add(figure, x, scaled[i].name, ratio, NAN);
			most[i] = fmax(most[i], ratio);
		}
		if (!suite->status)
			hosts_beside_add(suite, figure, hosts, by_mpi);
		if (suite->status)
			return;
	}
	for (unsigned int i = 1; i < TOOL_COUNT(scaled); i++)
		perf_figure_add(figure, "largest", scaled[i].name, most[i], scaled[i].paper);
	hosts_beside_largest(figure, "largest", by_mpi);
}

#define BY_FIRST "time by socket-aware MA's"

static const struct perf_drawing drawings[] = {
	{ "Y3", "copies out of shared memory by 2 hosts", "bytes of a slice",
	  "bytes loaded and stored, GB/s", NULL, PERF_BARS, hosts_figure_y3 },
	{ "Y9", "reduce_scatter by 2 hosts", "bytes of a host's vector", BY_FIRST, NULL,
	  PERF_RATIO, draw_9 },
	{ "Y10", "reduce by 2 hosts", "bytes of a host's vector", BY_FIRST, NULL, PERF_RATIO,
	  draw_10 },
	{ "Y11", "allreduce by 2 hosts", "bytes of a host's vector", BY_FIRST, NULL, PERF_RATIO,
	  draw_11 },
	{ "Y12", "allreduce by 2 hosts, by how results are stored", "bytes of a host's vector",
	  "bytes touched, GB/s", NULL, PERF_BARS, draw_12 },
	{ "Y13", "broadcast by 2 hosts, by how results are stored", "bytes",
	  "bytes touched, GB/s", NULL, PERF_BARS, draw_13 },
	{ "Y14", "allgather by 2 hosts, by how results are stored", "bytes of a host",
	  "bytes touched, GB/s", NULL, PERF_BARS, draw_14 },
	{ "Y16a", "allreduce by more hosts than processors, too", "hosts", BY_FIRST, NULL,
	  PERF_RATIO, draw_16a },
	{ "Y15", "collectives by 2 hosts, averages over sizes", "collective",
	  "time by ours", NULL, PERF_RATIO,
	  hosts_figure_y15 },
	{ "Y15b", "allreduce by 2 hosts, averages over sizes", "opponent", "time by ours", NULL,
	  PERF_RATIO, hosts_figure_y15_by_opponent },
	{ "Y16b", "allreduce over 2 machines of 2 hosts", "bytes of a host's vector",
	  "time by that of leaders", NULL, PERF_RATIO, hosts_figure_y16b },
	{ "Y18", "allreduces of a training step, floats, 2 hosts", "network", "time by ours", NULL,
	  PERF_RATIO, hosts_figure_y18 },
	{ "YT4", "table 4, copies by 2 hosts; the paper's by 64 cores", "bytes of a slice",
	  "rate by memmove's", NULL, PERF_RATIO, hosts_table_y4 },
	{ "YT5", "table 5, copies by the kernel, 2 hosts", "messages",
	  "time by that through shared memory", NULL, PERF_RATIO, hosts_table_y5 },
	{ "G3", "operations, allreduce in MRAM by 2 hosts", "operation", "least time by the sum's",
	  NULL, PERF_RATIO, hosts_figure_g3 },
	{ "G4", "types, allreduce in MRAM by 2 hosts", "type", "least time by i32's", NULL,
	  PERF_RATIO, hosts_figure_g4 },
	{ "G5a", "costs of an allreduce in MRAM, 2 hosts", "bytes of a host's vector", "us", NULL, PERF_BARS, hosts_figure_g5a },
	{ "G5b", "allreduce by all hosts of a machine", "machines of 2 hosts",
	  "time by a leader's", NULL, PERF_RATIO, hosts_figure_g5b },
	{ "G5c", "what one of 2 hosts sends, counted; the paper's of 4",
	  "machines of 2 hosts", "bytes by a leader's", NULL, PERF_RATIO, hosts_figure_g5c },
	{ "G6", "allreduce, 10 Gb/s nominal", "machines of 2 hosts, the paper's of 4 GPUs",
	  "MPI's time by ours", NULL, PERF_RATIO, hosts_figure_g6 },
	{ "G7", "allreduce, 2.5 Gb/s nominal", "machines of 2 hosts, the paper's of 8 GPUs",
	  "MPI's time by ours", NULL, PERF_RATIO, hosts_figure_g7 },
	{ "G8", "reductions in memory that 2 hosts map; the paper's of 4", "collective",
	  "MPI's time by ours", NULL, PERF_RATIO, hosts_figure_g8 },
	{ "23b", "over machines of 256 PEs, 10 Gb/s", "collective",
	  "GB/s of all PEs, larger side", NULL, PERF_BARS, hosts_figure_23b },
	{ "23b-sent", "what machines of 256 PEs send, counted", "collective",
	  "bytes of a machine's PEs for each byte that it sends", NULL, PERF_BARS,
	  hosts_figure_23b_sent },
};

static int check_hosts(const struct command *self, struct perf_args *args)
{
	if (!args->given_sizes) {
		args->begin = 64u << 10;
		args->end = 16u << 20;
	}
	if (args->begin < 64 || args->end > UINT64_C(256) << 20)
		return tool_usage(self, "--suite hosts takes sizes of 64 bytes to 256M");
	return TOOL_OK;
}

static void measure_hosts(struct perf_suite *suite)
{
	if (hosts_report_begin(suite))
		return;
	hosts_rows_head(&suite->report);
	perf_suite_draw(suite, drawings, TOOL_COUNT(drawings));
}

const struct perf_suite_kind perf_suite_hosts = {
	.name = "hosts",
	.meaning =
	"collectives of processes and machines: figures of YHCCL, of Intel's GPUs, PID-Comm's 23b",
	.measure = measure_hosts,
	.check = check_hosts,
	.draws = true,
};

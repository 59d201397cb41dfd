// SPDX-License-Identifier: MIT
/*
 * `--suite paper`: the figures on primitives of Noh et al., "PID-Comm: A Fast and
 * Flexible Collective Communication Framework for Commodity Processing-in-DIMM
 * Devices", ISCA 2024, at a scale that fits the machine. Ours is an emulator on
 * the host's memory, the paper's a machine with UPMEM DIMMs: ratios compare,
 * bandwidths do not.
 */
#include <math.h>
#include <string.h>

#include "tools/perf/suites/ablation.h"
#include "tools/perf/suites/draw.h"
#include "tools/perf/suites/suites.h"
#include "tools/tool.h"

#define MAX_SHOWN 4

/* those that the paper sweeps */
static const enum pc_collective swept[MAX_SHOWN] = {
	PC_ALLTOALL, PC_REDUCE_SCATTER, PC_ALLREDUCE, PC_ALLGATHER,
};

/* over the baseline; the paper's text names no others */
static const double paper_speedup[PC_NR_COLLECTIVES] = {
	[PC_ALLTOALL] = 5.19, [PC_REDUCE_SCATTER] = 4.46,
	[PC_ALLREDUCE] = 4.23,
};

static void figure_14(struct perf_suite *suite, struct perf_figure *figure)
{
	static const char *const names[] = { "direct", "conventional", "sdk" };
	double sum_sdk = 0, sum_conventional = 0;

	for (unsigned int id = 0; id < PC_NR_COLLECTIVES; id++) {
		struct perf_case c = perf_suite_case(suite, id);
		const char *x = pc_collective_name(id);
		struct perf_row rows[3];
		double sdk, conventional;

		perf_suite_measure(suite, &c, names, 3, rows);
		sdk = rows[2].median / rows[0].median;
		conventional = rows[1].median / rows[0].median;
		sum_sdk += log(sdk);
		sum_conventional += log(conventional);
		perf_figure_add(figure, x, "over sdk", sdk,
				paper_speedup[id] > 0 ? paper_speedup[id] :
							NAN);
		perf_figure_add(figure, x, "over conventional", conventional,
				NAN);
	}
	perf_figure_add(figure, "geometric mean", "over sdk",
			exp(sum_sdk / PC_NR_COLLECTIVES), 2.83);
	perf_figure_add(figure, "geometric mean", "over conventional",
			exp(sum_conventional / PC_NR_COLLECTIVES), NAN);
}

/* the paper's throughput: bytes of all PEs, on the larger side, a nanosecond */
static double throughput(const struct perf_case *c, double ns)
{
	return (double)perf_nr_pes(c) * (double)c->bytes / ns;
}

/*
 * Where nothing but the bus of the paper's machine would take time: each byte of MRAM
 * that a call reads or writes crosses it once.
 */
static double bound_of(const struct perf_case *c)
{
	const struct pc_traits *traits = &pc_traits[c->id];
	uint32_t groups, members;
	uint64_t bytes, ns;

	perf_groups(c, &groups, &members);
	bytes = pc_amount_bytes(traits->src, c->bytes, members) +
		pc_amount_bytes(traits->dst, c->bytes, members);
	ns = pd_bus_collective_ns(bytes * groups * members);
	return throughput(c, ns ? (double)ns : 1);
}

/* of the swept collectives at one position */
static void add_bandwidths(struct perf_suite *suite, struct perf_figure *figure,
			   const struct perf_case *like, const char *x,
			   double best[MAX_SHOWN])
{
	static const char *const direct[] = { "direct" };

	for (size_t i = 0; i < MAX_SHOWN; i++) {
		struct perf_case c = *like;
		struct perf_row row;
		double rate;

		c.id = swept[i];
		perf_suite_measure(suite, &c, direct, 1, &row);
		rate = throughput(&c, row.median);
		if (best && rate > best[i])
			best[i] = rate;
		perf_figure_add(figure, x, pc_collective_name(c.id), rate, NAN);
		perf_figure_bound(figure, bound_of(&c));
	}
}

static void figure_18(struct perf_suite *suite, struct perf_figure *figure)
{
	struct perf_case c = perf_suite_case(suite, PC_ALLTOALL);

	while (c.bytes && !suite->status) {
		add_bandwidths(suite, figure, &c, tool_size(c.bytes), NULL);
		c.bytes = perf_suite_next(suite, &c, 2);
	}
}

static void figure_19(struct perf_suite *suite, struct perf_figure *figure)
{
	struct perf_case c = perf_suite_case(suite, PC_ALLTOALL);
	uint32_t most = perf_nr_pes(&c);

	for (uint32_t pes = 64; pes <= most && !suite->status; pes *= 2) {
		perf_suite_square(&c, pes);
		add_bandwidths(suite, figure, &c, tool_count(pes), NULL);
	}
}

/* the paper's text has the best of all shapes, and no others */
static void figure_20(struct perf_suite *suite, struct perf_figure *figure)
{
	static const double paper_best[MAX_SHOWN] = { 20.6, 17.8, 12.2, 36.1 };
	struct perf_case c = perf_suite_case(suite, PC_ALLTOALL);
	uint32_t pes = perf_nr_pes(&c);
	double best[MAX_SHOWN] = { 0 };

	perf_suite_axes(&c, "100");
	c.ndims = 3;
	for (uint32_t x = 4; x <= pes / 4 && !suite->status; x *= 2) {
		char shape[128];

		c.dims[0] = x;
		for (c.dims[1] = 2; c.dims[1] * c.dims[1] < pes / x;)
			c.dims[1] *= 2;
		c.dims[2] = pes / x / c.dims[1];
		add_bandwidths(suite, figure, &c, perf_shape(&c, shape), best);
	}
	for (size_t i = 0; i < MAX_SHOWN && *best > 0; i++)
		perf_figure_add(figure, "best", pc_collective_name(swept[i]),
				best[i], paper_best[i]);
}

static void figure_23a(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct {
		const char *name;
		double paper;
	} all[] = { { "direct", 1 }, { "ring", 2.05 }, { "tree", 7.89 } };
	struct perf_case c = perf_suite_case(suite, PC_ALLREDUCE);
	const char *names[TOOL_COUNT(all)];
	struct perf_row rows[TOOL_COUNT(all)];
	unsigned int n = 0;

	for (size_t i = 0; i < TOOL_COUNT(all); i++) {
		if (perf_serves(&c, all[i].name))
			names[n++] = all[i].name;
	}
	/* direct alone shows nothing */
	if (n < 2)
		return;
	perf_suite_measure(suite, &c, names, n, rows);
	for (unsigned int i = 0, k = 0; i < n; i++, k++) {
		while (strcmp(all[k].name, names[i]))
			k++;
		perf_figure_add(figure, names[i], "allreduce",
				rows[i].median / rows[0].median, all[k].paper);
	}
}

#define THROUGHPUT	"GB/s of all PEs, larger side"

static const struct perf_drawing figures[] = {
	{ "14", "the eight primitives", "collective",
	  "speed-up of direct over the baseline", NULL, PERF_RATIO, figure_14 },
	{ "16", "steps of optimisation", "collective",
	  "speed-up over conventional", NULL, PERF_RATIO, perf_figure_16 },
	{ "16c", "gains of steps of optimisation", "step",
	  "speed-up over the step before", NULL, PERF_RATIO, perf_figure_16c },
	{ "18", "message sizes", "bytes a PE", THROUGHPUT, NULL, PERF_BARS,
	  figure_18 },
	{ "19", "numbers of PEs", "PEs", THROUGHPUT, NULL, PERF_BARS,
	  figure_19 },
	{ "20", "hypercube shapes of three axes, groups along x", "shape",
	  THROUGHPUT, NULL, PERF_BARS, figure_20 },
	{ "23a", "topologies", "algorithm", "time, that of direct being 1",
	  NULL, PERF_RATIO, figure_23a },
};

static void measure_paper(struct perf_suite *suite)
{
	perf_suite_draw(suite, figures, TOOL_COUNT(figures));
}

const struct perf_suite_kind perf_suite_paper = {
	.name = "paper",
	.meaning =
	"PID-Comm's figures 14, 16, 18, 19, 20, 23a, ours beside the paper's; -s and -e bound PEs and sizes",
	.measure = measure_paper,
	.check = perf_suite_check_scale,
	.draws = true,
};

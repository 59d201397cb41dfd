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
#include <time.h>

#include <json-c/json.h>

#include "tools/perf/machine.h"
#include "tools/perf/suites/suite.h"

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

/* algbw, as the rows have it, of the swept collectives at one position */
static void add_bandwidths(struct perf_suite *suite, struct perf_figure *figure,
			   const struct perf_case *like, const char *x)
{
	static const char *const direct[] = { "direct" };

	for (size_t i = 0; i < MAX_SHOWN; i++) {
		struct perf_case c = *like;
		struct perf_row row;

		c.id = swept[i];
		perf_suite_measure(suite, &c, direct, 1, &row);
		perf_figure_add(figure, x, pc_collective_name(c.id),
				(double)perf_total_bytes(&c) / row.median, NAN);
	}
}

static void figure_18(struct perf_suite *suite, struct perf_figure *figure)
{
	struct perf_case c = perf_suite_case(suite, PC_ALLTOALL);

	while (c.bytes && !suite->status) {
		add_bandwidths(suite, figure, &c, tool_size(c.bytes));
		c.bytes = perf_suite_next(suite, &c, 2);
	}
}

static void figure_19(struct perf_suite *suite, struct perf_figure *figure)
{
	struct perf_case c = perf_suite_case(suite, PC_ALLTOALL);
	uint32_t pes = perf_nr_pes(&c);

	for (uint32_t x = 4; x < pes && !suite->status; x *= 2) {
		char shape[128];

		c.dims[0] = x;
		c.dims[1] = pes / x;
		add_bandwidths(suite, figure, &c, perf_shape(&c, shape));
	}
}

static void figure_20(struct perf_suite *suite, struct perf_figure *figure)
{
	struct perf_case c = perf_suite_case(suite, PC_ALLTOALL);
	uint32_t most = perf_nr_pes(&c);

	for (uint32_t pes = 64; pes <= most && !suite->status; pes *= 2) {
		perf_suite_square(&c, pes);
		add_bandwidths(suite, figure, &c, tool_count(pes));
	}
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

static const struct perf_drawing figures[] = {
	{ "14", "the eight primitives", "collective",
	  "speed-up of direct over the baseline", NULL, PERF_RATIO, figure_14 },
	{ "16", "steps of optimisation", "collective",
	  "speed-up over conventional", NULL, PERF_RATIO, perf_figure_16 },
	{ "16c", "gains of steps of optimisation", "step",
	  "speed-up over the step before", NULL, PERF_RATIO, perf_figure_16c },
	{ "18", "message sizes", "bytes a PE", "algbw (GB/s)", NULL, PERF_BARS,
	  figure_18 },
	{ "19", "hypercube shapes, groups along x", "shape", "algbw (GB/s)",
	  NULL, PERF_BARS, figure_19 },
	{ "20", "numbers of PEs", "PEs", "algbw (GB/s)", NULL, PERF_BARS,
	  figure_20 },
	{ "23a", "topologies", "algorithm", "time, that of direct being 1",
	  NULL, PERF_RATIO, figure_23a },
};

/* tables at the end, where they stand together */
static void show_all(struct perf_suite *suite, const struct perf_figure *drawn,
		     unsigned int count)
{
	struct json_object *array = NULL;

	perf_report_clear(&suite->report);
	if (suite->report.format == PERF_JSON)
		array = json_object_new_array();
	for (unsigned int i = 0; i < count; i++) {
		if (suite->report.format == PERF_TEXT)
			perf_figure_print(&drawn[i], suite->report.out);
		if (array)
			json_object_array_add(array,
					      perf_figure_json(&drawn[i]));
	}
	if (array)
		perf_report_json(&suite->report, "figures", array);
}

/* what was measured, in a line below the picture */
static void tell_machine(const struct perf_suite *suite, char *text,
			 size_t bytes)
{
	struct perf_machine machine;
	time_t now = time(NULL);
	struct tm day;
	char date[16];

	*text = '\0';
	if (!suite->rig.sys)
		return;
	perf_machine_read(&machine, &suite->rig);
	strftime(date, sizeof(date), "%Y-%m-%d", gmtime_r(&now, &day));
	snprintf(text, bytes, "%s, %u threads, %s, layout %s, %s; pimdimm %s, %s",
		 machine.cpu, machine.threads, machine.tier, machine.layout,
		 machine.machine, machine.library, date);
}

void perf_suite_draw(struct perf_suite *suite,
		     const struct perf_drawing *drawings, unsigned int count)
{
	static struct perf_figure drawn[PERF_MAX_DRAWINGS];
	const char *folder = suite->args->plot;
	char note[512];

	for (unsigned int i = 0; i < count && !suite->status; i++) {
		drawn[i] = (struct perf_figure){
			.number = drawings[i].number,
			.title = drawings[i].title,
			.xlabel = drawings[i].xlabel,
			.ylabel = drawings[i].ylabel,
			.mark = drawings[i].mark,
			.look = drawings[i].look,
			.note = note,
		};
		drawings[i].measure(suite, &drawn[i]);
	}
	tell_machine(suite, note, sizeof(note));
	for (unsigned int i = 0; i < count && folder && !suite->status; i++)
		suite->status = perf_plot(&drawn[i], folder);
	if (!suite->status)
		show_all(suite, drawn, count);
}

void perf_suite_paper(struct perf_suite *suite)
{
	perf_suite_draw(suite, figures, TOOL_COUNT(figures));
}

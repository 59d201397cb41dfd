// SPDX-License-Identifier: MIT
/* Figures of what messages take, by R03's numbers, and its text's beside ours. */
#include <math.h>

#include "tools/perf/suites/draw.h"
#include "tools/perf/suites/messages/copies.h"
#include "tools/perf/suites/messages/eager.h"
#include "tools/perf/suites/messages/figures.h"
#include "tools/perf/suites/messages/r03.h"
#include "tools/perf/suites/messages/routines.h"
#include "tools/perf/suites/messages/rows.h"
#include "tools/tool.h"

/* of each of the first methods, by its name behind the path's and `more` */
static void draw(struct perf_figure *figure, unsigned int nr_methods, unsigned int size,
		 const char *more, double (*value)(const struct messages_row *row))
{
	for (unsigned int m = 0; m < nr_methods; m++) {
		char series[64];

		if (!messages_measured(m))
			continue;
		snprintf(series, sizeof(series), "%s%s%s", messages_paths[size].name, more,
			 exchange_methods[m].series);
		for (unsigned int share = 0; share < MESSAGE_SHARES; share++) {
			char x[8];

			snprintf(x, sizeof(x), "%u", 10 * share);
			perf_figure_add(figure, x, series, value(messages_row_of(m, size, share)), NAN);
		}
	}
}

static double instructions_of(const struct messages_row *row)
{
	return row->instructions;
}

static double references_of(const struct messages_row *row)
{
	return row->references;
}

static double open_of(const struct messages_row *row)
{
	return messages_r03_cycles(row, R03_OPEN);
}

static double closed_of(const struct messages_row *row)
{
	return messages_r03_cycles(row, R03_CLOSED);
}

static double copying_of(const struct messages_row *row)
{
	return row->of.cycles;
}

static void draw_paths(struct perf_figure *figure, unsigned int nr_methods,
		       double (*value)(const struct messages_row *row))
{
	for (unsigned int i = 0; i < MESSAGE_PATHS; i++)
		draw(figure, nr_methods, i, "", value);
}

static void draw_instructions(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_paths(figure, METHODS, instructions_of);
}

static void draw_references(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_paths(figure, METHODS, references_of);
}

static void draw_r03(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	for (unsigned int i = 0; i < MESSAGE_PATHS; i++) {
		draw(figure, EXCHANGE_METHODS, i, ", pages open", open_of);
		draw(figure, EXCHANGE_METHODS, i, ", closed", closed_of);
	}
}

static void draw_sorts_of(struct perf_figure *figure, const struct messages_row *row,
			  const double sorts[MESSAGE_SORTS])
{
	char x[64];

	snprintf(x, sizeof(x), "%s %u %%%s", messages_paths[row->path].name, row->posted,
		 exchange_methods[row->method].series);
	for (unsigned int s = 0; s <= MESSAGE_JUGGLING; s++)
		perf_figure_add(figure, x, message_sort_names[s], sorts[s], NAN);
}

/* none, half and all of the receives posted */
static void draw_sorts(struct perf_figure *figure,
		       const double *(*sorts)(const struct messages_row *row))
{
	for (unsigned int i = 0; i < MESSAGE_PATHS; i++)
		for (unsigned int share = 0; share < MESSAGE_SHARES; share += 5)
			for (unsigned int m = 0; m < METHODS; m++) {
				const struct messages_row *row = messages_row_of(m, i, share);

				if (row)
					draw_sorts_of(figure, row, sorts(row));
			}
}

static void draw_instruction_sorts(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_sorts(figure, messages_instructions);
}

static void draw_reference_sorts(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_sorts(figure, messages_references);
}

/* the least and the most of a path over all shares, % of overhead */
static void draw_juggling_of(struct perf_figure *figure, unsigned int m, unsigned int path)
{
	double least = INFINITY, most = -INFINITY;
	char x[32];

	for (unsigned int share = 0; share < MESSAGE_SHARES; share++) {
		const struct messages_row *row = messages_row_of(m, path, share);
		double of = 100 * row->of.instructions[MESSAGE_JUGGLING] / row->instructions;

		least = fmin(least, of);
		most = fmax(most, of);
	}
	snprintf(x, sizeof(x), "%s, %s", exchange_methods[m].name, messages_paths[path].name);
	perf_figure_add(figure, x, "least", least, NAN);
	perf_figure_add(figure, x, "most", most, NAN);
}

/* What MPI libraries of today do between two requests is progress of their network. */
static void draw_juggling(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct {
		const char *name;
		double least, most;
	} papers[] = { { "R03's PIM", 0, 0 }, { "MPICH 1.2.5", 18, 23 }, { "LAM 6.5.9", 14, 60 } };

	(void)suite;
	for (unsigned int m = 0; m < METHOD_MPICH; m++)
		for (unsigned int path = 0; path < MESSAGE_PATHS && messages_measured(m); path++)
			draw_juggling_of(figure, m, path);
	for (size_t i = 0; i < TOOL_COUNT(papers); i++) {
		perf_figure_add(figure, papers[i].name, "least", NAN, papers[i].least);
		perf_figure_add(figure, papers[i].name, "most", NAN, papers[i].most);
	}
}

static void draw_copying(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_paths(figure, EXCHANGE_METHODS, copying_of);
}

/* the mean over all shares of the travelling engine's cycles by the conventional one's */
static double mean_cycles(unsigned int size, double reference)
{
	double sum = 0;

	for (unsigned int share = 0; share < MESSAGE_SHARES; share++)
		sum += messages_r03_cycles(messages_row_of(EXCHANGE_TRAVELLING, size, share), reference) /
		       messages_r03_cycles(messages_row_of(EXCHANGE_CONVENTIONAL, size, share), reference);
	return sum / MESSAGE_SHARES;
}

/* Whom its PIM is compared with, R03 has traced on another machine: on none are both. */
static void draw_averages(struct perf_suite *suite, struct perf_figure *figure)
{
	static const double mpich[] = { 0.55, 0.58 }, lam[] = { 0.74, 0.30 };

	(void)suite;
	for (unsigned int i = 0; i < MESSAGE_PATHS; i++) {
		const struct {
			const char *name;
			double open, closed, paper;
		} by[] = {
			{ "conventional", mean_cycles(i, R03_OPEN), mean_cycles(i, R03_CLOSED), NAN },
			{ "MPICH 1.2.5", NAN, NAN, mpich[i] },
			{ "LAM 6.5.9", NAN, NAN, lam[i] },
		};

		for (size_t b = 0; b < TOOL_COUNT(by); b++) {
			char x[32];

			snprintf(x, sizeof(x), "%s, %s", messages_paths[i].name, by[b].name);
			perf_figure_add(figure, x, "pages open", by[b].open, NAN);
			perf_figure_add(figure, x, "pages closed", by[b].closed, by[b].paper);
		}
	}
}

/*
 * An eager message is copied into its parcel and out of it, and into the pool between if it is
 * unexpected; another one twice.
 */
static double with_copies(const struct messages_row *row, double (*copy)(double bytes))
{
	double unexpected = row->bytes < EXCHANGE_EAGER ? 1 - row->posted / 100.0 : 0;

	return messages_r03_cycles(row, R03_OPEN) + (2 + unexpected) * copy(row->bytes);
}

static void draw_improved(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	for (unsigned int share = 0; share < MESSAGE_SHARES; share++) {
		for (unsigned int i = 0; i < MESSAGE_PATHS; i++) {
			const struct messages_row *row = messages_row_of(EXCHANGE_TRAVELLING, i, share);
			char x[8], series[32];

			snprintf(x, sizeof(x), "%u", 10 * share);
			snprintf(series, sizeof(series), "%s, by word", messages_paths[i].name);
			perf_figure_add(figure, x, series, with_copies(row, copies_by_word), NAN);
			snprintf(series, sizeof(series), "%s, by row", messages_paths[i].name);
			perf_figure_add(figure, x, series, with_copies(row, copies_by_row), NAN);
		}
	}
}

static const struct perf_drawing drawings[] = {
	{ "R03-6ab", "overhead instructions of a message", "receives posted, %",
	  "instructions of a DPU or of the host, counted", NULL, PERF_BARS, draw_instructions },
	{ "R03-6cd", "memory references of a message", "receives posted, %",
	  "loads and stores, counted", NULL, PERF_BARS, draw_references },
	{ "R03-7ab", "cycles of a message's overhead", "receives posted, %",
	  "cycles of R03's PIM, modelled", NULL, PERF_BARS, draw_r03 },
	{ "R03-7", "cycles of overhead by another's, mean of all shares", "path, and whose",
	  "ratio of modelled cycles", NULL, PERF_RATIO, draw_averages },
	{ "R03-8", "what overhead is for", "receives posted",
	  "instructions of a DPU or of the host, counted", NULL, PERF_STACKED,
	  draw_instruction_sorts },
	{ "R03-8-memory", "what references of overhead are for", "receives posted",
	  "loads and stores, counted", NULL, PERF_STACKED, draw_reference_sorts },
	{ "R03-8-juggling", "juggling: from one outstanding request to another", "whose, and path",
	  "% of overhead instructions, counted", NULL, PERF_BARS, draw_juggling },
	{ "R03-8-cycles", "overhead by routine, half of the receives posted", "call",
	  "cycles of R03's PIM, pages closed, modelled", NULL, PERF_STACKED, routines_draw_cycles },
	{ "R03-8-instructions", "overhead by routine, half of the receives posted", "call",
	  "instructions of a DPU or of the host, counted", NULL, PERF_STACKED,
	  routines_draw_instructions },
	{ "R03-8-references", "overhead by routine, half of the receives posted", "call",
	  "loads and stores, counted", NULL, PERF_STACKED, routines_draw_references },
	{ "R03-9", "cycles of a message, copies included", "receives posted, %",
	  "cycles of a DPU, modelled", NULL, PERF_BARS, draw_copying },
	{ "R03-9abc", "the same on R03's PIM, memcpy and improved memcpy", "receives posted, %",
	  "cycles of R03's PIM, pages open, modelled", NULL, PERF_BARS, draw_improved },
	{ "R03-9-copy", "a copy of 80 KiB", "threads", "cycles of a DPU, modelled", NULL, PERF_BARS,
	  copies_draw_dpu },
	{ "R03-9-copy-PIM", "a copy of 80 KiB", "threads", "cycles of R03's PIM, modelled", NULL,
	  PERF_BARS, copies_draw_r03 },
	{ "R03-9d", "instructions a cycle of a copy (the paper: of its G4's memcpy)", "bytes",
	  "of a DPU, counted by modelled", NULL, PERF_BARS, copies_draw_rate },
	{ "switch-instructions", "around the eager switch: overhead of a message", "bytes",
	  "instructions of a DPU, counted", NULL, PERF_BARS, eager_draw_instructions },
	{ "switch-cycles", "around the eager switch: a message, copies included", "bytes",
	  "cycles of a DPU, modelled", NULL, PERF_BARS, eager_draw_cycles },
	{ "switch-ns", "around the eager switch: one way between resident kernels", "bytes",
	  "ns, measured", NULL, PERF_BARS, eager_draw_times },
};

void messages_figures_draw(struct perf_suite *suite)
{
	perf_suite_draw(suite, drawings, TOOL_COUNT(drawings));
}

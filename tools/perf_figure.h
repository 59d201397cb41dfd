/* SPDX-License-Identifier: MIT */
/* A figure: named values over a few positions, as a table and as a drawing. */
#ifndef PIMDIMM_PERF_FIGURE_H
#define PIMDIMM_PERF_FIGURE_H

#include <stdio.h>

#define PERF_MAX_POINTS 128

struct perf_point {
	char x[32], series[32];
	double ours, paper;	/* NAN: the paper tells none */
};

struct perf_figure {
	const char *number, *title, *xlabel, *ylabel;
	struct perf_point points[PERF_MAX_POINTS];
	unsigned int count;
};

void perf_figure_add(struct perf_figure *figure, const char *x,
		     const char *series, double ours, double paper);
void perf_figure_print(const struct perf_figure *figure, FILE *out);
struct json_object *perf_figure_json(const struct perf_figure *figure);

/* perf_plot.c: is there gnuplot, and may files be made in the folder? 0 or
 * TOOL_USAGE after a message */
int perf_plot_check(const char *folder);
/* FOLDER/figureNUMBER.svg, whole or not at all; 0 or TOOL_FAILED */
int perf_plot(const struct perf_figure *figure, const char *folder);

#endif /* PIMDIMM_PERF_FIGURE_H */

/* SPDX-License-Identifier: MIT */
/* A figure: named values over a few positions, as a table and as a drawing. */
#ifndef PIMDIMM_PERF_FIGURE_H
#define PIMDIMM_PERF_FIGURE_H

#include <stdbool.h>
#include <stdio.h>

#define PERF_MAX_POINTS 256
#define PERF_MAX_X	64
#define PERF_MAX_COLUMNS 24

struct perf_point {
	char x[32], series[32];
	double ours, paper;	/* NAN: there is none */
	double bound;		/* on the paper's machine, modelled; NAN */
};

enum perf_look {
	PERF_BARS,
	PERF_RATIO,		/* with a line at 1 */
	PERF_STACKED,
};

struct tool_head;

struct perf_figure {
	const char *number, *title, *xlabel, *ylabel;
	const char *note;	/* what it was measured on, and when */
	const struct tool_head *head;	/* the same, for its values */
	const char *mark;	/* a series that is no part of the stack; or NULL */
	enum perf_look look;
	struct perf_point points[PERF_MAX_POINTS];
	unsigned int count;
};

/* its points as a table: a row a position, a column a series or the paper's of it */
struct perf_column {
	const char *series;
	bool paper, mark;
};

struct perf_grid {
	const struct perf_figure *figure;
	const char *x[PERF_MAX_X];
	struct perf_column columns[PERF_MAX_COLUMNS];
	unsigned int nr_x, nr_columns;
};

void perf_figure_add(struct perf_figure *figure, const char *x,
		     const char *series, double ours, double paper);
/* What the last point could be at most on the paper's machine: modelled, not drawn. */
void perf_figure_bound(struct perf_figure *figure, double bound);
void perf_figure_print(const struct perf_figure *figure, FILE *out);
struct json_object *perf_figure_json(const struct perf_figure *figure);

/* positions and series in the order in which they come first; where the paper alone has a
 * series, it has no column of ours */
void perf_grid_make(struct perf_grid *grid, const struct perf_figure *figure);
/* NAN where there is no such point */
double perf_grid_value(const struct perf_grid *grid, unsigned int x,
		       unsigned int column);
void perf_figure_csv(const struct perf_figure *figure,
		     const struct perf_grid *grid, FILE *out);

#endif /* PIMDIMM_PERF_FIGURE_H */

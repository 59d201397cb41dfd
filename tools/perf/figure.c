// SPDX-License-Identifier: MIT
/* Figures as they are collected, and as text, JSON and CSV. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/csv.h"
#include "tools/perf/figure.h"
#include "tools/tool.h"

void perf_figure_add(struct perf_figure *figure, const char *x,
		     const char *series, double ours, double paper)
{
	struct perf_point *point = &figure->points[figure->count];

	/* more than any figure has: a mistake of this program's */
	if (figure->count == PERF_MAX_POINTS)
		abort();
	figure->count++;
	snprintf(point->x, sizeof(point->x), "%s", x);
	snprintf(point->series, sizeof(point->series), "%s", series);
	point->ours = ours;
	point->paper = paper;
	point->bound = NAN;
}

void perf_figure_bound(struct perf_figure *figure, double bound)
{
	figure->points[figure->count - 1].bound = bound;
}

static bool has_bound(const struct perf_figure *figure)
{
	for (unsigned int i = 0; i < figure->count; i++) {
		if (isfinite(figure->points[i].bound))
			return true;
	}
	return false;
}

static bool has_paper(const struct perf_figure *figure, const char *series)
{
	for (unsigned int i = 0; i < figure->count; i++) {
		if ((!series || !strcmp(figure->points[i].series, series)) &&
		    isfinite(figure->points[i].paper))
			return true;
	}
	return false;
}

static bool has_ours(const struct perf_figure *figure, const char *series)
{
	for (unsigned int i = 0; i < figure->count; i++) {
		const struct perf_point *point = &figure->points[i];

		if (!strcmp(point->series, series) &&
		    (isfinite(point->ours) || isfinite(point->bound)))
			return true;
	}
	return false;
}

/* points come position by position, each with its series in the same order */
void perf_figure_print(const struct perf_figure *figure, FILE *out)
{
	const char *last = "";

	fprintf(out, "#\n# Figure %s: %s\n# %s over %s%s\n", figure->number,
		figure->title, figure->ylabel, figure->xlabel,
		has_paper(figure, NULL) ? "; the paper's in brackets" : "");
	if (has_bound(figure))
		fputs("# [on the paper's machine: at most, by the bytes on its bus, modelled]\n",
		      out);
	for (unsigned int i = 0; i < figure->count; i++) {
		const struct perf_point *point = &figure->points[i];

		if (strcmp(point->x, last))
			fprintf(out, "%s#   %-16s", *last ? "\n" : "",
				point->x);
		last = point->x;
		if (isfinite(point->ours))
			fprintf(out, "  %s %.2f", point->series, point->ours);
		else
			fprintf(out, "  %s -", point->series);
		if (isfinite(point->paper))
			fprintf(out, " (%.2f)", point->paper);
		if (isfinite(point->bound))
			fprintf(out, " [%.2f]", point->bound);
	}
	fputs(figure->count ? "\n" : "#   nothing to show\n", out);
}

struct json_object *perf_figure_json(const struct perf_figure *figure)
{
	struct json_object *o = json_object_new_object();
	struct json_object *points = json_object_new_array();

	tool_json_add(o, "figure", tool_json_string(figure->number));
	tool_json_add(o, "title", tool_json_string(figure->title));
	tool_json_add(o, "x", tool_json_string(figure->xlabel));
	tool_json_add(o, "y", tool_json_string(figure->ylabel));
	tool_json_add(o, "points", points);
	for (unsigned int i = 0; i < figure->count; i++) {
		const struct perf_point *point = &figure->points[i];
		struct json_object *p = json_object_new_object();

		tool_json_add(p, "x", tool_json_string(point->x));
		tool_json_add(p, "series", tool_json_string(point->series));
		/* json-c's null is NULL: not tool_json_add() */
		json_object_object_add(p, "ours", isfinite(point->ours) ?
				json_object_new_double(point->ours) : NULL);
		json_object_object_add(p, "paper", isfinite(point->paper) ?
				json_object_new_double(point->paper) : NULL);
		json_object_object_add(p, "bound", isfinite(point->bound) ?
				json_object_new_double(point->bound) : NULL);
		json_object_array_add(points, p);
	}
	return o;
}

static void add_x(struct perf_grid *grid, const char *x)
{
	for (unsigned int i = 0; i < grid->nr_x; i++) {
		if (!strcmp(grid->x[i], x))
			return;
	}
	if (grid->nr_x == PERF_MAX_X)
		abort();
	grid->x[grid->nr_x++] = x;
}

static void add_column(struct perf_grid *grid, const char *series, bool paper)
{
	const char *mark = grid->figure->mark;

	for (unsigned int i = 0; i < grid->nr_columns; i++) {
		if (!strcmp(grid->columns[i].series, series) &&
		    grid->columns[i].paper == paper)
			return;
	}
	if (grid->nr_columns == PERF_MAX_COLUMNS)
		abort();
	grid->columns[grid->nr_columns++] = (struct perf_column){
		.series = series,
		.paper = paper,
		.mark = mark && !strcmp(mark, series),
	};
}

void perf_grid_make(struct perf_grid *grid, const struct perf_figure *figure)
{
	*grid = (struct perf_grid){ .figure = figure };
	for (unsigned int i = 0; i < figure->count; i++) {
		const char *series = figure->points[i].series;
		const bool paper = has_paper(figure, series);

		add_x(grid, figure->points[i].x);
		if (!paper || has_ours(figure, series))
			add_column(grid, series, false);
		if (paper)
			add_column(grid, series, true);
	}
}

double perf_grid_value(const struct perf_grid *grid, unsigned int x,
		       unsigned int column)
{
	const struct perf_column *c = &grid->columns[column];

	for (unsigned int i = 0; i < grid->figure->count; i++) {
		const struct perf_point *point = &grid->figure->points[i];

		if (!strcmp(point->x, grid->x[x]) &&
		    !strcmp(point->series, c->series))
			return c->paper ? point->paper : point->ours;
	}
	return NAN;
}

/* of a series at a position; NAN: there is none */
static double bound_of(const struct perf_figure *figure, const char *x,
		       const char *series)
{
	for (unsigned int i = 0; i < figure->count; i++) {
		const struct perf_point *point = &figure->points[i];

		if (!strcmp(point->x, x) && !strcmp(point->series, series))
			return point->bound;
	}
	return NAN;
}

static void put_name(FILE *out, const char *series, const char *what)
{
	char name[sizeof(((struct perf_point *)NULL)->series) + 48];

	snprintf(name, sizeof(name), "%s%s", series, what);
	fputc(',', out);
	tool_csv_text(out, name);
}

static void put_bounds(const struct perf_grid *grid, const char *x, FILE *out)
{
	for (unsigned int s = 0; s < grid->nr_columns; s++) {
		const struct perf_column *column = &grid->columns[s];
		double bound;

		if (column->paper || !has_bound(grid->figure))
			continue;
		if (!x) {
			put_name(out, column->series, " (on the paper's machine, modelled)");
			continue;
		}
		bound = bound_of(grid->figure, x, column->series);
		fputc(',', out);
		if (isfinite(bound))
			fprintf(out, "%.6g", bound);
	}
}

void perf_figure_csv(const struct perf_figure *figure,
		     const struct perf_grid *grid, FILE *out)
{
	if (figure->head)
		tool_head_csv(figure->head, out);
	fprintf(out, "# Figure %s: %s\n# values: %s, by %s\n# measured on: %s\n",
		figure->number, figure->title, figure->ylabel, figure->xlabel,
		figure->note);
	tool_csv_text(out, figure->xlabel);
	for (unsigned int s = 0; s < grid->nr_columns; s++)
		put_name(out, grid->columns[s].series,
			 grid->columns[s].paper ? " (paper)" : "");
	put_bounds(grid, NULL, out);
	fputc('\n', out);
	for (unsigned int x = 0; x < grid->nr_x; x++) {
		tool_csv_text(out, grid->x[x]);
		for (unsigned int s = 0; s < grid->nr_columns; s++) {
			double value = perf_grid_value(grid, x, s);

			fputc(',', out);
			if (isfinite(value))
				fprintf(out, "%.6g", value);
		}
		put_bounds(grid, grid->x[x], out);
		fputc('\n', out);
	}
}

// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <json-c/json.h>

#include "perf_figure.h"
#include "tool.h"

void perf_figure_add(struct perf_figure *figure, const char *x,
		     const char *series, double ours, double paper)
{
	struct perf_point *point = &figure->points[figure->count];

	if (figure->count == PERF_MAX_POINTS)
		return;
	figure->count++;
	snprintf(point->x, sizeof(point->x), "%s", x);
	snprintf(point->series, sizeof(point->series), "%s", series);
	point->ours = ours;
	point->paper = paper;
}

/* points come position by position, each with its series in the same order */
void perf_figure_print(const struct perf_figure *figure, FILE *out)
{
	const char *last = "";

	fprintf(out, "#\n# Figure %s: %s\n# %s over %s; the paper's in brackets\n",
		figure->number, figure->title, figure->ylabel, figure->xlabel);
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
		json_object_array_add(points, p);
	}
	return o;
}

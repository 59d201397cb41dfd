// SPDX-License-Identifier: MIT
/* Adds targets to the table of a suite, and prints which are met. */
#include <math.h>
#include <stdarg.h>

#include <json-c/json.h>

#include "tools/perf/suites/targets_table.h"
#include "tools/tool.h"

void perf_target_add(struct perf_targets *t, double goal, double figure,
		     const char *name, ...)
{
	struct perf_target *target = &t->list[t->count];
	va_list args;

	if (t->count == TOOL_COUNT(t->list))
		return;
	t->count++;
	*target = (struct perf_target){ .goal = goal, .figure = figure,
					.measured = isfinite(figure) };
	va_start(args, name);
	vsnprintf(target->name, sizeof(target->name), name, args);
	va_end(args);
}

void perf_target_at_most(struct perf_targets *t)
{
	t->list[t->count - 1].at_most = true;
}

void perf_target_at_roofline(struct perf_targets *t, double figure)
{
	t->list[t->count - 1].at_roofline = isfinite(figure) ? figure : 0;
}

static bool target_met(const struct perf_target *target)
{
	return target->measured && (target->at_most ?
					    target->figure <= target->goal :
					    target->figure >= target->goal);
}

static const char *verdict(const struct perf_target *target)
{
	if (!target->measured)
		return "not measured";
	return target_met(target) ? "met" : "not met";
}

static struct json_object *target_json(const struct perf_target *target)
{
	struct json_object *o = json_object_new_object();

	tool_json_add(o, "name", tool_json_string(target->name));
	tool_json_add(o, "goal", json_object_new_double(target->goal));
	tool_json_add(o, "at_most", json_object_new_boolean(target->at_most));
	/* json-c's null is NULL: not tool_json_add() */
	json_object_object_add(o, "figure", target->measured ?
			json_object_new_double(target->figure) : NULL);
	tool_json_add(o, "met", json_object_new_boolean(target_met(target)));
	json_object_object_add(o, "at_roofline", target->at_roofline ?
			json_object_new_double(target->at_roofline) : NULL);
	return o;
}

void perf_targets_print(struct perf_targets *t)
{
	struct perf_report *report = &t->suite->report;
	struct json_object *array;
	unsigned int reached = 0;

	perf_report_clear(report);
	if (report->format == PERF_JSON) {
		array = json_object_new_array();
		for (unsigned int i = 0; i < t->count; i++)
			json_object_array_add(array, target_json(&t->list[i]));
		perf_report_json(report, "targets", array);
	}
	if (report->format != PERF_TEXT)
		return;
	fprintf(report->out, "#\n# %-58s %9s %9s\n", "figure", "target",
		"measured");
	for (unsigned int i = 0; i < t->count; i++) {
		const struct perf_target *target = &t->list[i];

		reached += target_met(target);
		fprintf(report->out, "# %-58s %s%7.2f %9.3f  %s",
			target->name, target->at_most ? "<=" : ">=",
			target->goal, target->figure, verdict(target));
		if (target->at_roofline)
			fprintf(report->out, "; at the roofline %.2f",
				target->at_roofline);
		fputc('\n', report->out);
	}
	fprintf(report->out, "# %u of %u met\n", reached, t->count);
}

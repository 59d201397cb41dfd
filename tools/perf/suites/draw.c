// SPDX-License-Identifier: MIT
/* Measures the figures of a suite, draws them where asked, and prints their tables. */
#include <string.h>

#include <json-c/json.h>

#include "tools/perf/machine.h"
#include "tools/perf/plot.h"
#include "tools/perf/suites/draw.h"
#include "tools/tool.h"

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

void perf_suite_note(struct perf_suite *suite, const struct perf_rig *rig)
{
	struct perf_machine machine;

	perf_machine_read(&machine, rig);
	suite->head = machine.head;
	snprintf(suite->note, sizeof(suite->note),
		 "%s, %u threads, %s, layout %s, %s; pimdimm %s%s%s, %.10s",
		 machine.cpu, machine.threads, machine.tier, machine.layout,
		 machine.machine, machine.library,
		 *machine.commit ? " at " : "", machine.commit, machine.head.date);
}

/* One of the items of "13,15", or any where there is no list. */
bool perf_suite_draws(const struct perf_suite *suite, const char *number)
{
	const char *list = suite->args->figures;
	size_t length = strlen(number);

	for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',') {
		if (!strncmp(at, number, length) && strchr(",", at[length]))
			return true;
	}
	return !list;
}

/* "4, 13 or 15" */
static void tell_numbers(const struct perf_drawing *drawings, unsigned int count,
			 char *text, size_t bytes)
{
	size_t at = 0;

	for (unsigned int i = 0; i < count && at < bytes; i++)
		at += (size_t)snprintf(text + at, bytes - at, "%s%s",
				       !i ? "" : i + 1 < count ? ", " : " or ",
				       drawings[i].number);
}

/* Refuses a list with a number that no figure has. */
static int check_list(const struct perf_suite *suite,
		      const struct perf_drawing *drawings, unsigned int count)
{
	char known[256];
	const char *list = suite->args->figures;
	size_t length;

	for (; list && *list; list += length, list += *list == ',') {
		char one[32];
		unsigned int i = 0;

		length = strcspn(list, ",");
		snprintf(one, sizeof(one), "%.*s", (int)length, list);
		while (i < count && strcmp(drawings[i].number, one))
			i++;
		if (i < count)
			continue;
		tell_numbers(drawings, count, known, sizeof(known));
		return tool_usage(suite->self, "--figures: no figure %s, expected %s",
				  one, known);
	}
	return TOOL_OK;
}

static void measure_drawing(struct perf_suite *suite, const struct perf_drawing *drawing,
			    struct perf_figure *figure)
{
	*figure = (struct perf_figure){
		.number = drawing->number,
		.title = drawing->title,
		.xlabel = drawing->xlabel,
		.ylabel = drawing->ylabel,
		.mark = drawing->mark,
		.look = drawing->look,
		.note = suite->note,
		.head = &suite->head,
	};
	drawing->measure(suite, figure);
}

static void tell_none(struct perf_suite *suite, const struct perf_drawing *drawing)
{
	char what[256];

	if (suite->status)
		return;
	snprintf(what, sizeof(what), "Figure %s, %s", drawing->number, drawing->title);
	perf_report_absent(&suite->report, what, "none of its rows was");
}

void perf_suite_draw(struct perf_suite *suite,
		     const struct perf_drawing *drawings, unsigned int count)
{
	static struct perf_figure drawn[PERF_MAX_DRAWINGS];
	const char *folder = suite->args->plot;
	unsigned int shown = 0;

	suite->status = check_list(suite, drawings, count);
	for (unsigned int i = 0; i < count && !suite->status; i++) {
		if (!perf_suite_draws(suite, drawings[i].number))
			continue;
		measure_drawing(suite, &drawings[i], &drawn[shown]);
		if (drawn[shown].count)
			shown++;
		else
			tell_none(suite, &drawings[i]);
	}
	if (suite->rig.sys)
		perf_suite_note(suite, &suite->rig);
	for (unsigned int i = 0; i < shown && folder && !suite->status; i++)
		suite->status = perf_plot(&drawn[i], folder);
	if (!suite->status)
		show_all(suite, drawn, shown);
}

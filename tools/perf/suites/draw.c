// SPDX-License-Identifier: MIT
/* Measures the figures of a suite, draws them where asked, and prints their tables. */
#include <string.h>
#include <time.h>

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

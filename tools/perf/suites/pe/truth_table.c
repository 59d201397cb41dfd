// SPDX-License-Identifier: MIT
/* Prints the rows of `--suite truth` as they come, and at the end how true they are. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/csv.h"
#include "tools/inside.h"
#include "tools/perf/suites/pe/truth_table.h"
#include "tools/perf/suites/targets_table.h"
#include "tools/tool.h"

/* An error up to this is a near one. */
#define NEAR 0.15

static struct {
	const char *name;
	double worst_goal;		/* 0: its mean and near ones have goals */
	unsigned int rows, near;
	double sum, worst;
	char worst_name[48];
} groups[TRUTH_GROUPS] = {
	[TRUTH_ARITHMETIC] = { "arithmetic", 0.05 },
	[TRUTH_STREAMS] = { "streams in WRAM", 0.05 },
	[TRUTH_MRAM] = { "MRAM", 0.1 },
	[TRUTH_PROGRAMS] = { "kernel times of programs", 0 },
};

void truth_table_begin(struct perf_suite *suite, struct pe_rig *rig)
{
	struct perf_report *r = &suite->report;
	struct perf_rig whole = { .sys = rig->sys };

	r->own_columns = true;
	perf_report_header(r, &whole, &suite->how);
	if (r->format == PERF_CSV)
		fputs("figure,group,unit,hardware,modelled,error,calibrated,source,wrong\n",
		      r->out);
	if (r->format == PERF_TEXT)
		fprintf(r->out, "# cost model: set %s; %d tasklets\n#%-29s %10s %10s %-6s %7s %-10s %6s  %s\n",
			pd_cost_set(), PE_TASKLETS, "figure", "hardware", "modelled", "unit",
			"error", "calibrated", "#wrong", "source");
}

static double error_of(const struct truth_row *row)
{
	return row->modelled / row->hardware - 1;
}

static void put_truth_json(struct perf_report *r, const struct truth_row *row)
{
	struct json_object *o = json_object_new_object();

	tool_json_add(o, "figure", tool_json_string(row->name));
	tool_json_add(o, "group", tool_json_string(groups[row->group].name));
	tool_json_add(o, "unit", tool_json_string(row->unit));
	perf_report_json_number(o, "hardware", row->hardware);
	perf_report_json_number(o, "modelled", row->modelled);
	perf_report_json_number(o, "error", error_of(row));
	tool_json_add(o, "calibrated", json_object_new_boolean(row->calibrated));
	tool_json_add(o, "source", tool_json_string(row->source));
	tool_json_add(o, "wrong", json_object_new_uint64(row->wrong));
	perf_report_json_row(r, o);
}

static void put_truth_csv(FILE *out, const struct truth_row *row)
{
	tool_csv_text(out, row->name);
	fprintf(out, ",%s,%s,%.6g,", groups[row->group].name, row->unit, row->hardware);
	if (isfinite(row->modelled))
		fprintf(out, "%.6g,%.4f", row->modelled, error_of(row));
	else
		fputc(',', out);
	fprintf(out, ",%d,", row->calibrated);
	tool_csv_text(out, row->source);
	fprintf(out, ",%" PRIu64 "\n", row->wrong);
}

static void put_truth_text(FILE *out, const struct truth_row *row)
{
	fprintf(out, " %-29s %10.4g ", row->name, row->hardware);
	if (isfinite(row->modelled))
		fprintf(out, "%10.4g %-6s %+6.1f%%", row->modelled, row->unit,
			100 * error_of(row));
	else
		fprintf(out, "%10s %-6s %7s", "-", row->unit, "");
	fprintf(out, " %-10s %6" PRIu64 "  %s%s\n", row->calibrated ? "yes" : "no",
		row->wrong, row->source, isfinite(row->modelled) ? "" : "; not measured");
}

static void count_row(const struct truth_row *row)
{
	double error = fabs(error_of(row));

	if (!isfinite(error))
		return;
	groups[row->group].rows++;
	groups[row->group].sum += error;
	groups[row->group].near += error <= NEAR;
	if (error < groups[row->group].worst)
		return;
	groups[row->group].worst = error;
	snprintf(groups[row->group].worst_name, sizeof(groups[0].worst_name), "%s",
		 row->name);
}

void truth_table_add(struct perf_suite *suite, const struct truth_row *row,
		     struct perf_figure *figure, const char *series)
{
	struct perf_report *r = &suite->report;

	if (r->format == PERF_JSON)
		put_truth_json(r, row);
	else if (r->format == PERF_CSV)
		put_truth_csv(r->out, row);
	else
		put_truth_text(r->out, row);
	perf_report_row_end(r, row->wrong);
	count_row(row);
	if (figure)
		perf_figure_add(figure, row->name, series, row->modelled / row->hardware,
				NAN);
}

static void add_targets(struct perf_targets *t, unsigned int g)
{
	unsigned int rows = groups[g].rows;
	double mean = rows ? groups[g].sum / rows : NAN;

	if (groups[g].worst_goal > 0) {
		perf_target_add(t, 100 * groups[g].worst_goal,
				rows ? 100 * groups[g].worst : NAN,
				"%s: worst error of %u, %%%s%s", groups[g].name, rows,
				rows ? ": " : "", groups[g].worst_name);
		perf_target_at_most(t);
		return;
	}
	perf_target_add(t, 8, 100 * mean, "%s: mean error of %u, %%", groups[g].name, rows);
	perf_target_at_most(t);
	perf_target_add(t, 85, rows ? 100.0 * groups[g].near / rows : NAN,
			"%s: within 15 %%, %%", groups[g].name);
}

void truth_table_end(struct perf_suite *suite)
{
	static struct perf_targets targets;
	struct perf_report *r = &suite->report;

	targets = (struct perf_targets){ .suite = suite };
	if (r->format == PERF_TEXT)
		fputs("#\n", r->out);
	for (unsigned int g = 0; g < TRUTH_GROUPS; g++) {
		unsigned int rows = groups[g].rows;

		if (rows && r->format == PERF_TEXT)
			fprintf(r->out, "# %s: mean error of %u %.1f %%, %u within 15 %%, worst %.1f %%, %s\n",
				groups[g].name, rows, 100 * groups[g].sum / rows,
				groups[g].near, 100 * groups[g].worst,
				groups[g].worst_name);
		add_targets(&targets, g);
	}
	perf_targets_print(&targets);
}

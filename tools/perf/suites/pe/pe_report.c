// SPDX-License-Identifier: MIT
/* Rows of `--suite pe`: measured, emulation's part of it, and modelled. */
#include <inttypes.h>
#include <math.h>

#include <json-c/json.h>

#include "tools/perf/suites/pe/pe_report.h"
#include "tools/tool.h"

void pe_report_begin(struct perf_suite *suite, struct pe_rig *rig)
{
	struct perf_report *r = &suite->report;
	struct perf_rig whole = { .sys = rig->sys };

	r->own_columns = true;
	perf_report_header(r, &whole, &suite->how);
	if (r->format == PERF_CSV)
		fputs("measurement,pes,tasklets,work,unit,measured_ns,emulation_ns,modelled_ns,figure,figure_unit,wrong\n",
		      r->out);
	if (r->format == PERF_TEXT)
		fprintf(r->out, "# medians of %u launches, %d tasklets; emulation is part of what is measured\n#%-23s %5s %11s %-9s %13s %14s %13s %10s %-12s %6s\n",
			suite->how.iters, PE_TASKLETS, "measurement", "PEs",
			"work", "of", "measured(us)", "emulation(us)",
			"modelled(us)", "figure", "unit", "#wrong");
}

static void put_pe_json(struct perf_report *r, const struct pe_row *row)
{
	struct json_object *o = json_object_new_object();

	tool_json_add(o, "measurement", tool_json_string(row->name));
	tool_json_add(o, "pes", json_object_new_uint64(row->nr_pes));
	tool_json_add(o, "tasklets", json_object_new_uint64(PE_TASKLETS));
	tool_json_add(o, "work", json_object_new_uint64(row->work));
	tool_json_add(o, "unit", tool_json_string(row->work_unit));
	perf_report_json_number(o, "measured_ns", row->measured);
	perf_report_json_number(o, "emulation_ns", row->emulation);
	perf_report_json_number(o, "modelled_ns", row->modelled);
	perf_report_json_number(o, "figure", row->figure);
	tool_json_add(o, "figure_unit", tool_json_string(row->figure_unit));
	tool_json_add(o, "wrong", json_object_new_uint64(row->wrong));
	perf_report_json_row(r, o);
}

static void put_pe_csv(FILE *out, const struct pe_row *row)
{
	const double numbers[] = { row->measured, row->emulation,
				   row->modelled, row->figure };

	fprintf(out, "%s,%u,%d,%" PRIu64 ",%s", row->name, row->nr_pes,
		PE_TASKLETS, row->work, row->work_unit);
	for (size_t i = 0; i < TOOL_COUNT(numbers); i++) {
		putc(',', out);
		if (isfinite(numbers[i]))
			fprintf(out, "%.4f", numbers[i]);
	}
	fprintf(out, ",%s,%" PRIu64 "\n", row->figure_unit, row->wrong);
}

static void put_pe_number(FILE *out, int width, double value)
{
	if (isfinite(value))
		fprintf(out, " %*.3f", width, value);
	else
		fprintf(out, " %*s", width, "-");
}

static void put_pe_text(FILE *out, const struct pe_row *row)
{
	fprintf(out, " %-23s %5u %11" PRIu64 " %-9s", row->name, row->nr_pes,
		row->work, row->work_unit);
	put_pe_number(out, 13, row->measured / 1e3);
	put_pe_number(out, 14, row->emulation / 1e3);
	put_pe_number(out, 13, row->modelled / 1e3);
	put_pe_number(out, 10, row->figure);
	fprintf(out, " %-12s %6" PRIu64 "\n", row->figure_unit, row->wrong);
}

void pe_report_row(struct perf_suite *suite, const struct pe_row *row)
{
	struct perf_report *r = &suite->report;

	if (r->format == PERF_JSON)
		put_pe_json(r, row);
	else if (r->format == PERF_CSV)
		put_pe_csv(r->out, row);
	else
		put_pe_text(r->out, row);
	perf_report_row_end(r, row->wrong);
}

// SPDX-License-Identifier: MIT
/* Rows of `--suite dev`: what goes through the module, and what it is set against. */
#include <inttypes.h>

#include <json-c/json.h>

#include "tools/perf/suites/dev/dev_report.h"
#include "tools/tool.h"

void dev_report_begin(struct perf_suite *suite, const struct perf_rig *rig)
{
	struct perf_report *r = &suite->report;

	r->own_columns = true;
	perf_report_header(r, rig, &suite->how);
	if (r->format == PERF_CSV)
		fputs("measurement,against,pes,size_bytes,time_ns,against_ns,gbs,against_gbs,ratio,wrong\n",
		      r->out);
	if (r->format == PERF_TEXT)
		fprintf(r->out, "# medians of %u repetitions; GB/s of all PEs' bytes on the larger side\n#%-15s %-7s %5s %9s %12s %12s %8s %8s %7s %6s\n",
			suite->how.iters, "measurement", "against", "PEs",
			"size", "time(us)", "its(us)", "GB/s", "its GB/s",
			"ratio", "#wrong");
}

static double dev_report_rate(const struct dev_row *row, double ns)
{
	return ns > 0 ? (double)row->nr_pes * (double)row->bytes / ns : 0;
}

double dev_ratio(const struct dev_row *row)
{
	return row->ns > 0 ? row->against_ns / row->ns : 0;
}

static void put_dev_json(struct perf_report *r, const struct dev_row *row)
{
	struct json_object *o = json_object_new_object();

	tool_json_add(o, "measurement", tool_json_string(row->name));
	tool_json_add(o, "against", tool_json_string(row->against));
	tool_json_add(o, "pes", json_object_new_uint64(row->nr_pes));
	tool_json_add(o, "size", json_object_new_uint64(row->bytes));
	perf_report_json_number(o, "time_ns", row->ns);
	perf_report_json_number(o, "against_ns", row->against_ns);
	perf_report_json_number(o, "gbs", dev_report_rate(row, row->ns));
	perf_report_json_number(o, "against_gbs", dev_report_rate(row, row->against_ns));
	perf_report_json_number(o, "ratio", dev_ratio(row));
	tool_json_add(o, "wrong", json_object_new_uint64(row->wrong));
	perf_report_json_row(r, o);
}

static void put_dev_csv(FILE *out, const struct dev_row *row)
{
	fprintf(out, "%s,%s,%u,%" PRIu64 ",%.0f,%.0f,%.4f,%.4f,%.4f,%" PRIu64 "\n",
		row->name, row->against, row->nr_pes, row->bytes, row->ns,
		row->against_ns, dev_report_rate(row, row->ns),
		dev_report_rate(row, row->against_ns), dev_ratio(row), row->wrong);
}

static void put_dev_text(FILE *out, const struct dev_row *row)
{
	fprintf(out, " %-15s %-7s %5u %9s %12.1f %12.1f %8.2f %8.2f %7.3f %6" PRIu64 "\n",
		row->name, row->against, row->nr_pes, tool_size(row->bytes),
		row->ns / 1e3, row->against_ns / 1e3, dev_report_rate(row, row->ns),
		dev_report_rate(row, row->against_ns), dev_ratio(row), row->wrong);
}

void dev_report_row(struct perf_suite *suite, const struct dev_row *row)
{
	struct perf_report *r = &suite->report;

	perf_report_clear(r);
	if (r->format == PERF_JSON)
		put_dev_json(r, row);
	else if (r->format == PERF_CSV)
		put_dev_csv(r->out, row);
	else
		put_dev_text(r->out, row);
	perf_report_row_end(r, row->wrong);
}

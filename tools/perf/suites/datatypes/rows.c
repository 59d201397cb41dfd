// SPDX-License-Identifier: MIT
/* What is printed of each way. */
#include <inttypes.h>
#include <math.h>

#include <json-c/json.h>

#include "tools/perf/suites/datatypes/results.h"
#include "tools/perf/suites/datatypes/rows.h"
#include "tools/tool.h"

void ddt_rows_begin(struct perf_suite *suite)
{
	struct perf_report *r = &suite->report;

	r->own_columns = true;
	if (r->format == PERF_CSV)
		fputs("context,operation,kernel,set,bytes,blocks,method,time_ns,min_ns,first_ns,make_ns,gbs,ratio,wrong\n",
		      r->out);
	if (r->format == PERF_TEXT)
		fprintf(r->out, "# times of one thread's loops (plain, blocks) and of typed calls (typed) or others, measured: medians\n"
			"# of %u turns, us; first is the first use, make the types in it; ratio is by plain's time\n"
			"#%-6s %-9s %-19s %-22s %9s %7s %-7s %10s %10s %9s %7s %6s %6s\n",
			suite->how.iters, "where", "what", "kernel", "set", "bytes", "blocks",
			"method", "time", "first", "make", "GB/s", "ratio", "#wrong");
}

static void put_json(struct perf_report *r, const struct ddt_turns *t, const struct ddt_way *way,
		     double ratio)
{
	struct json_object *o = json_object_new_object();

	tool_json_add(o, "context", tool_json_string(t->context));
	tool_json_add(o, "operation", tool_json_string(t->operation));
	tool_json_add(o, "kernel", tool_json_string(t->kernel->name));
	tool_json_add(o, "set", tool_json_string(t->kernel->set));
	tool_json_add(o, "bytes", json_object_new_uint64(t->bytes));
	tool_json_add(o, "blocks", json_object_new_uint64(t->kernel->blocks));
	tool_json_add(o, "method", tool_json_string(way->name));
	perf_report_json_number(o, "time_ns", way->median);
	perf_report_json_number(o, "min_ns", way->min);
	perf_report_json_number(o, "first_ns", way->first);
	perf_report_json_number(o, "make_ns", way->made);
	perf_report_json_number(o, "gbs", (double)t->bytes / way->median);
	perf_report_json_number(o, "ratio", ratio);
	tool_json_add(o, "wrong", json_object_new_uint64(way->wrong));
	perf_report_json_row(r, o);
}

static void put_csv(FILE *out, const struct ddt_turns *t, const struct ddt_way *way, double ratio)
{
	fprintf(out, "%s,%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%s,%.1f,%.1f,%.1f,%.1f,%.3f,", t->context,
		t->operation, t->kernel->name, t->kernel->set, t->bytes, t->kernel->blocks,
		way->name, way->median, way->min, way->first, way->made,
		(double)t->bytes / way->median);
	if (isfinite(ratio))
		fprintf(out, "%.3f", ratio);
	fprintf(out, ",%" PRIu64 "\n", way->wrong);
}

static void put_text(FILE *out, const struct ddt_turns *t, const struct ddt_way *way, double ratio)
{
	fprintf(out, " %-6s %-9s %-19s %-22s %9" PRIu64 " %7" PRIu64 " %-7s %10.2f %10.2f %9.2f %7.2f ",
		t->context, t->operation, t->kernel->name, t->kernel->set, t->bytes,
		t->kernel->blocks, way->name, way->median / 1e3, way->first / 1e3,
		way->made / 1e3, (double)t->bytes / way->median);
	if (isfinite(ratio))
		fprintf(out, "%6.2f", ratio);
	else
		fprintf(out, "%6s", "-");
	fprintf(out, " %6" PRIu64 "\n", way->wrong);
}

void ddt_row_put(struct perf_suite *suite, const struct ddt_turns *turns, unsigned int at)
{
	const struct ddt_way *way = &turns->ways[at];
	double ratio = ddt_turns_ratio(turns, at);
	struct perf_report *r = &suite->report;

	perf_report_clear(r);
	if (r->format == PERF_JSON)
		put_json(r, turns, way, ratio);
	else if (r->format == PERF_CSV)
		put_csv(r->out, turns, way, ratio);
	else
		put_text(r->out, turns, way, ratio);
	ddt_results_add(turns, way);
	perf_report_row_end(r, way->wrong);
}

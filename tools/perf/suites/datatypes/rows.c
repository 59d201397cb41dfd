// SPDX-License-Identifier: MIT
/* What is printed of each way, and the figures that collect them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/perf/suites/datatypes/rows.h"
#include "tools/perf/suites/draw.h"
#include "tools/tool.h"

/* a kernel's ratios in one operation, of all its sets */
struct ddt_mean {
	const char *context, *operation, *kernel;
	double logs;
	unsigned int count;
};

#define MOST_MEANS	256
static struct ddt_mean means[MOST_MEANS];
static unsigned int nr_means;

static void add_mean(const struct ddt_turns *t, const char *operation, double ratio)
{
	struct ddt_mean *m = means;

	while (m < means + nr_means &&
	       (strcmp(m->context, t->context) || strcmp(m->operation, operation) ||
		strcmp(m->kernel, t->kernel->name)))
		m++;
	if (m == means + MOST_MEANS || !isfinite(ratio))
		return;
	if (m == means + nr_means) {
		nr_means++;
		*m = (struct ddt_mean){ t->context, operation, t->kernel->name, 0, 0 };
	}
	m->logs += log(ratio);
	m->count++;
}

void ddt_rows_begin(struct perf_suite *suite)
{
	struct perf_report *r = &suite->report;

	nr_means = 0;
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
	/* what others take by what this library takes, or the other way round */
	if (turns->order && at && !strcmp(turns->operation, "latency"))
		add_mean(turns, way->name, way->median / turns->ways[0].median);
	else if (!turns->order && !strcmp(way->name, "typed"))
		add_mean(turns, turns->operation, ratio);
	perf_report_row_end(r, way->wrong);
}

static void draw_context(struct perf_figure *figure, const char *context)
{
	for (unsigned int i = 0; i < nr_means; i++) {
		const struct ddt_mean *m = &means[i];

		if (!strcmp(m->context, context) || (*context == 'm' && *m->context == 'h' &&
						     !strcmp(m->context, "halo")))
			perf_figure_add(figure, m->kernel, m->operation,
					exp(m->logs / m->count), NAN);
	}
}

static void draw_host(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_context(figure, "host");
}

static void draw_mram(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_context(figure, "mram");
}

/* The paper's text has these of 2 processes, over Open MPI. */
static double paper_of(const struct ddt_mean *m)
{
	if (strcmp(m->operation, "openmpi"))
		return NAN;
	if (!strcmp(m->kernel, "MILC_su3_zd"))
		return 1.31;
	return !strcmp(m->kernel, "WRF_y_vec") ? 2.1 : NAN;
}

static void draw_pair(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	for (unsigned int i = 0; i < nr_means; i++) {
		const struct ddt_mean *m = &means[i];

		if (!strcmp(m->context, "pair"))
			perf_figure_add(figure, m->kernel, m->operation,
					exp(m->logs / m->count), paper_of(m));
	}
}

static const struct perf_drawing drawings[] = {
	{ "DDT-host", "DDTBench's kernels in host memory, typed", "kernel, mean of its sets",
	  "time by a plain loop's, measured", NULL, PERF_RATIO, draw_host },
	{ "DDT-mram", "DDTBench's kernels in MRAM, typed", "kernel, mean of its sets",
	  "time by a plain loop's, measured", NULL, PERF_RATIO, draw_mram },
	{ "DDT-pair", "latency of DDTBench's kernels between two processes",
	  "kernel, mean of its sets", "another's time by ours, measured", NULL, PERF_RATIO,
	  draw_pair },
};

void ddt_rows_draw(struct perf_suite *suite)
{
	perf_suite_draw(suite, drawings, TOOL_COUNT(drawings));
}

// SPDX-License-Identifier: MIT
/* Prints rows of `--suite hosts`. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/inside.h"
#include "tools/perf/suites/hosts/rows.h"
#include "tools/tool.h"

#define TITLES		8u	/* figures whose titles say more, at one time */

void hosts_rows_head(struct perf_report *r)
{
	if (r->format == PERF_CSV)
		fputs("figure,collective,bytes,hosts,algorithm,time_ns,least_ns,touched_counted,wrong,where,machines,type,op,sent_counted,nominal_gbps,measured_gbps\n",
		      r->out);
	if (r->format == PERF_TEXT)
		fprintf(r->out, "# times are measured; bytes that all hosts touch, and the most that one sends to other machines, counted\n"
			"#%-8s %-14s %10s %5s %-20s %11s %11s %12s %6s %-8s %4s %-4s %-4s %10s\n",
			"figure", "collective", "bytes", "hosts", "algorithm", "time(ns)",
			"least(ns)", "touched", "#wrong", "where", "mach", "type", "op", "sent");
}

static void put_json(struct perf_report *r, const struct hosts_row *row)
{
	struct json_object *o = json_object_new_object();

	tool_json_add(o, "figure", tool_json_string(row->figure));
	tool_json_add(o, "collective", tool_json_string(row->collective));
	tool_json_add(o, "bytes", json_object_new_uint64(row->bytes));
	tool_json_add(o, "hosts", json_object_new_uint64(row->hosts));
	tool_json_add(o, "algorithm", tool_json_string(row->algorithm));
	perf_report_json_number(o, "time_ns", row->ns);
	perf_report_json_number(o, "least_ns", row->least);
	perf_report_json_number(o, "touched_counted", row->touched);
	tool_json_add(o, "wrong", json_object_new_uint64(row->wrong));
	tool_json_add(o, "where", tool_json_string(row->where));
	tool_json_add(o, "machines", json_object_new_uint64(row->machines));
	tool_json_add(o, "type", tool_json_string(row->type));
	tool_json_add(o, "op", tool_json_string(row->op));
	perf_report_json_number(o, "sent_counted", row->sent);
	hosts_rate_json(o, &row->rate);
	perf_report_json_row(r, o);
}

/* A number, or nothing. */
static const char *cell(char text[32], double number, bool csv)
{
	if (isfinite(number))
		snprintf(text, 32, "%.0f", number);
	else
		strcpy(text, csv ? "" : "-");
	return text;
}

void hosts_row_put(struct perf_suite *suite, const struct hosts_row *row)
{
	struct perf_report *r = &suite->report;
	const bool csv = r->format == PERF_CSV;
	char ns[32], least[32], touched[32], sent[32], rates[64] = "";

	if (csv)
		hosts_rate_csv(rates, sizeof(rates), &row->rate);
	if (r->format == PERF_JSON)
		put_json(r, row);
	else
		fprintf(r->out, csv ?
			"%s,%s,%" PRIu64 ",%u,%s,%s,%s,%s,%" PRIu64 ",%s,%u,%s,%s,%s%s\n" :
			" %-8s %-14s %10" PRIu64 " %5u %-20s %11s %11s %12s %6" PRIu64 " %-8s %4u %-4s %-4s %10s%s\n",
			row->figure, row->collective, row->bytes, row->hosts, row->algorithm,
			cell(ns, row->ns, csv), cell(least, row->least, csv),
			cell(touched, row->touched, csv), row->wrong, row->where, row->machines,
			row->type, row->op, cell(sent, row->sent, csv), rates);
	perf_report_row_end(r, row->wrong);
}

double hosts_row_take(struct perf_suite *suite, const struct hosts_scene *scene,
		      const struct hosts_run *run, const char *collective, uint64_t bytes,
		      const char *algorithm)
{
	const struct hosts_run_row *from = hosts_run_find(run, collective, bytes, algorithm);
	/* what is not the library's counts nothing */
	const bool counts = strncmp(algorithm, "mpi", 3) && strcmp(algorithm, "stream");
	char name[64];

	if (!from)
		return NAN;
	snprintf(name, sizeof(name), counts && scene->mpi ? "%s beside %s" : "%s",
		 !counts && scene->mpi ? scene->mpi : algorithm, scene->mpi);
	hosts_row_put(suite, &(struct hosts_row){
		.figure = scene->figure, .collective = collective, .algorithm = name,
		.where = scene->where, .type = *from->type ? from->type : "i32",
		.op = *from->op ? from->op : "sum", .bytes = bytes, .hosts = scene->hosts,
		.machines = scene->machines, .ns = from->ns, .least = from->least,
		.touched = NAN, .sent = counts ? (double)from->sent : NAN, .rate = scene->rate });
	return from->ns;
}

const char *hosts_outnumber(uint32_t hosts)
{
	const unsigned int cpus = pd_affinity_cpus();
	static char text[48];

	*text = '\0';
	if (hosts > cpus)
		snprintf(text, sizeof(text), " (%u hosts on %u processor%s)", hosts, cpus,
			 cpus == 1 ? "" : "s");
	return text;
}

void hosts_title(struct perf_figure *figure, uint32_t hosts)
{
	static char titles[TITLES][160];
	static unsigned int next;
	const char *more = hosts_outnumber(hosts);

	if (!*more)
		return;
	next = (next + 1) % TITLES;
	snprintf(titles[next], sizeof(*titles), "%s%s", figure->title, more);
	figure->title = titles[next];
}

void hosts_absent(struct perf_suite *suite, const struct perf_figure *figure, const char *why)
{
	char what[32];

	snprintf(what, sizeof(what), "Figure %s", figure->number);
	perf_report_absent(&suite->report, what, why);
}

void hosts_mean_add(struct hosts_mean *mean, double value)
{
	if (!isfinite(value) || value <= 0)
		return;
	mean->logs += log(value);
	mean->count++;
}

double hosts_mean_of(const struct hosts_mean *mean)
{
	return mean->count ? exp(mean->logs / mean->count) : NAN;
}

// SPDX-License-Identifier: MIT
/* Runs this tool in a shell, and reads the rows that it prints. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>
#include <pimdimm/pimdimm.h>

#include "tools/inside.h"
#include "tools/perf/measure.h"
#include "tools/perf/suites/draw.h"
#include "tools/perf/suites/hosts/runs.h"
#include "tools/tool.h"

#define MOST_COLUMNS	24
#define MOST_COMMAND	(2 * PATH_MAX)

/* of a line */
struct fields {
	char *at[MOST_COLUMNS];
	unsigned int count;
};

const char *hosts_run_tool(void)
{
	static char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "'%s/pimdimm'", tool_folder());
	return path;
}

static void cut_fields(char *line, struct fields *f)
{
	f->count = 0;
	line[strcspn(line, "\n")] = '\0';
	while (line && f->count < MOST_COLUMNS)
		f->at[f->count++] = strsep(&line, ",");
}

/* The field below a head's word; "" where there is none. */
static const char *field_of(const struct fields *head, const struct fields *f, const char *word)
{
	for (unsigned int i = 0; i < head->count && i < f->count; i++) {
		if (!strcmp(head->at[i], word))
			return f->at[i];
	}
	return "";
}

static void take_row(struct hosts_run *run, const struct fields *head, const struct fields *f,
		     uint64_t *wrong)
{
	struct hosts_run_row *row = &run->rows[run->count];

	if (run->count == HOSTS_RUN_ROWS || f->count < head->count)
		return;
	run->count++;
	snprintf(row->collective, sizeof(row->collective), "%s", field_of(head, f, "collective"));
	snprintf(row->algorithm, sizeof(row->algorithm), "%s", field_of(head, f, "algorithm"));
	snprintf(row->type, sizeof(row->type), "%s", field_of(head, f, "type"));
	snprintf(row->op, sizeof(row->op), "%s", field_of(head, f, "op"));
	row->bytes = strtoull(field_of(head, f, "size_bytes"), NULL, 10);
	row->sent = strtoull(field_of(head, f, "most_sent_bytes"), NULL, 10);
	row->staged = strtoull(field_of(head, f, "most_staged_bytes"), NULL, 10);
	row->ns = strtod(field_of(head, f, "time_ns"), NULL);
	row->least = strtod(field_of(head, f, "min_ns"), NULL);
	*wrong += strtoull(field_of(head, f, "wrong"), NULL, 10);
}

/* Comments, a head, and rows. */
static uint64_t read_rows(struct hosts_run *run, FILE *from)
{
	char head_line[512] = "", line[512];
	struct fields head = { 0 }, f;
	uint64_t wrong = 0;

	while (fgets(line, sizeof(line), from)) {
		if (*line == '#')
			continue;
		if (!*head_line) {
			strcpy(head_line, line);
			cut_fields(head_line, &head);
			continue;
		}
		cut_fields(line, &f);
		take_row(run, &head, &f, &wrong);
	}
	return wrong;
}

/* On a terminal, what is being run, until it has ended. */
static void tell_run(const char *words)
{
	static unsigned int runs;

	if (!isatty(STDERR_FILENO))
		return;
	fputs("\r\033[K", stderr);
	if (words)
		fprintf(stderr, "run %u: perf %s", ++runs, words);
}

int hosts_run(struct hosts_run *run, const char *before, const char *format, ...)
{
	char command[MOST_COMMAND], words[1024];
	va_list args;
	uint64_t wrong;
	FILE *from;
	int ret;

	run->count = 0;
	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	if (perf_interrupted())
		return tool_error("interrupted");
	snprintf(command, sizeof(command), "%s %s perf --csv %s </dev/null", before,
		 hosts_run_tool(), words);
	tell_run(words);
	fflush(NULL);
	from = popen(command, "r");
	if (!from)
		return tool_error("no shell for: %s", command);
	wrong = read_rows(run, from);
	ret = pclose(from);
	tell_run(NULL);
	if (ret)
		return tool_error("this has failed: %s", command);
	return wrong ? tool_error("wrong elements: %s", command) : TOOL_OK;
}

const struct hosts_run_row *hosts_run_find(const struct hosts_run *run, const char *collective,
					   uint64_t bytes, const char *algorithm)
{
	for (unsigned int i = 0; i < run->count; i++) {
		const struct hosts_run_row *row = &run->rows[i];

		if (!strcmp(row->collective, collective) && row->bytes == bytes &&
		    !strcmp(row->algorithm, algorithm))
			return row;
	}
	return NULL;
}

bool hosts_run_works(const char *format, ...)
{
	char command[MOST_COMMAND], words[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	snprintf(command, sizeof(command), "{ %s; } </dev/null >/dev/null 2>&1", words);
	return !system(command);
}

int hosts_report_begin(struct perf_suite *suite)
{
	struct perf_rig rig = { 0 };

	suite->report.own_columns = true;
	if (pimdimm_open("mem:ranks=1", &rig.sys)) {
		suite->status = tool_error("%s", pimdimm_errmsg());
		return suite->status;
	}
	perf_report_header(&suite->report, &rig, &suite->how);
	perf_suite_note(suite, &rig);
	/* hosts are forked, from a process without threads */
	pimdimm_close(rig.sys);
	return TOOL_OK;
}

struct hosts_rate hosts_rate_of(const char *text)
{
	char *unit;
	double number = strtod(text, &unit);

	return (struct hosts_rate){ .nominal = strcmp(unit, "gbit") ? number / 1000 : number };
}

void hosts_rate_json(struct json_object *row, const struct hosts_rate *rate)
{
	perf_report_json_number(row, "nominal_gbps", rate->nominal > 0 ? rate->nominal : NAN);
	perf_report_json_number(row, "measured_gbps", rate->measured > 0 ? rate->measured : NAN);
}

void hosts_rate_csv(char *text, size_t bytes, const struct hosts_rate *rate)
{
	if (rate->nominal > 0)
		snprintf(text, bytes, ",%g,%.2f", rate->nominal, rate->measured);
	else
		snprintf(text, bytes, ",,");
}

void hosts_beside_head(struct perf_report *r)
{
	if (r->format == PERF_CSV)
		fputs("collective,bytes,hosts,where,opponent,ours_ns,opponent_ns,ratio,nominal_gbps,measured_gbps\n",
		      r->out);
	if (r->format == PERF_TEXT)
		fprintf(r->out, "# medians of three rounds, of one where a PE has 1M or more; more hosts than the %u processors take turns on these\n"
			"#%-14s %10s %5s %-8s %-22s %11s %11s %8s\n", pd_affinity_cpus(),
			"collective", "bytes", "hosts", "where", "beside", "ours(ns)",
			"its(ns)", "ratio");
}

static void beside_json(struct perf_report *r, const struct hosts_beside *b)
{
	struct json_object *row = json_object_new_object();

	tool_json_add(row, "collective", tool_json_string(b->collective));
	tool_json_add(row, "bytes", json_object_new_uint64(b->bytes));
	tool_json_add(row, "hosts", json_object_new_uint64(b->hosts));
	tool_json_add(row, "where", tool_json_string(b->where));
	tool_json_add(row, "opponent", tool_json_string(b->opponent));
	perf_report_json_number(row, "ours_ns", b->ours);
	perf_report_json_number(row, "opponent_ns", b->its);
	hosts_rate_json(row, &b->rate);
	perf_report_json_row(r, row);
}

void hosts_beside_put(struct perf_report *r, const struct hosts_beside *b)
{
	char rates[64] = "";

	if (r->format == PERF_CSV)
		hosts_rate_csv(rates, sizeof(rates), &b->rate);
	if (r->format == PERF_JSON)
		beside_json(r, b);
	else
		fprintf(r->out, r->format == PERF_CSV ?
			"%s,%" PRIu64 ",%u,%s,%s,%.0f,%.0f,%.3f%s\n" :
			" %-14s %10" PRIu64 " %5u %-8s %-22s %11.0f %11.0f %8.3f%s\n",
			b->collective, b->bytes, b->hosts, b->where, b->opponent, b->ours,
			b->its, b->its / b->ours, rates);
	perf_report_row_end(r, 0);
	fflush(r->out);
}

double hosts_median(double *numbers, unsigned int count)
{
	if (!count)
		return NAN;
	perf_sort_times(numbers, count);
	return perf_median(numbers, count);
}

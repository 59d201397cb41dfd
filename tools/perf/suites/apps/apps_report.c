// SPDX-License-Identifier: MIT
/* Rows of `--suite apps`: measured, modelled, and what they come to, side by side. */
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/csv.h"
#include "tools/perf/suites/apps/apps_report.h"
#include "tools/perf/suites/draw.h"
#include "tools/tool.h"

static double of_collectives(const struct apps_times *times)
{
	return times->collectives;
}

static double of_transfers(const struct apps_times *times)
{
	return times->transfers;
}

static double of_host(const struct apps_times *times)
{
	return times->collectives + times->transfers;
}

static double of_reordering(const struct apps_times *times)
{
	return times->reordering;
}

static double of_programs(const struct apps_times *times)
{
	return times->programs;
}

static double of_emulation(const struct apps_times *times)
{
	return times->emulation;
}

#define APPS_COLUMNS 7

/* numbers of a row, in nanoseconds, but for each collective's own */
static const struct {
	const char *json, *text;
	double (*of)(const struct apps_times *times);
} columns[APPS_COLUMNS] = {
	{ "collectives_ns", "collectives", of_collectives },
	{ "transfers_ns", "transfers", of_transfers },
	{ "host_ns", "host", of_host },
	{ "reordering_pes_ns", "PEs reorder", of_reordering },
	{ "programs_pes_ns", "PE programs", of_programs },
	{ "composed_ns", "composed", apps_composed },
	{ "emulation_ns", "emulation", of_emulation },
};

static void put_header(struct perf_report *r, const struct perf_suite *suite)
{
	if (r->format == PERF_CSV) {
		fputs("program,pes,algorithm,command", r->out);
		for (unsigned int i = 0; i < APPS_COLUMNS; i++)
			fprintf(r->out, ",%s", columns[i].json);
		for (unsigned int i = 0; i < APPS_COLLECTIVES; i++)
			fprintf(r->out, ",%s_ns", apps_collective_name(i));
		fputs(",wrong,left_out,cpu_ns\n", r->out);
	}
	if (r->format != PERF_TEXT)
		return;
	fprintf(r->out, "# runs without their loading, medians of %u repetitions; us\n# host (collectives and other transfers) is measured, PEs are modelled, composed is their sum;\n# emulation, measured, is in no sum: hardware has none\n#%-9s %5s %-13s",
		suite->how.iters, "program", "PEs", "algorithm");
	for (unsigned int i = 0; i < APPS_COLUMNS; i++)
		fprintf(r->out, " %12s", columns[i].text);
	fputs("  #wrong\n", r->out);
}

void apps_report_header(struct perf_suite *suite, struct pimdimm *sys)
{
	struct perf_rig whole = { .sys = sys };

	if (suite->headed)
		return;
	suite->headed = true;
	suite->report.own_columns = true;
	perf_suite_note(suite, &whole);
	perf_report_header(&suite->report, &whole, &suite->how);
	put_header(&suite->report, suite);
}

static void put_json_row(struct perf_report *r, const char *program,
			 const struct apps_result *result, const char *algorithm,
			 const struct apps_times *times)
{
	struct json_object *o = json_object_new_object();
	struct json_object *each = json_object_new_object();

	tool_json_add(o, "program", tool_json_string(program));
	tool_json_add(o, "command", tool_json_string(result->line));
	tool_json_add(o, "pes", json_object_new_uint64(result->pes));
	/* json-c's null is NULL: not tool_json_add() */
	json_object_object_add(o, "algorithm",
			       times ? tool_json_string(algorithm) : NULL);
	for (unsigned int i = 0; i < APPS_COLUMNS; i++)
		perf_report_json_number(o, columns[i].json,
					times ? columns[i].of(times) : NAN);
	for (unsigned int i = 0; i < APPS_COLLECTIVES; i++)
		perf_report_json_number(each, apps_collective_name(i),
					times ? times->collective[i] : NAN);
	tool_json_add(o, "collective_ns", each);
	json_object_object_add(o, "verdict",
			       times ? tool_json_string(times->verdict) : NULL);
	tool_json_add(o, "wrong", json_object_new_uint64(times ? times->wrong : 0));
	json_object_object_add(o, "left_out", times ? NULL :
			       tool_json_string(result->left_out));
	perf_report_json_row(r, o);
}

static void put_csv_number(FILE *out, const double *value)
{
	putc(',', out);
	if (value && isfinite(*value))
		fprintf(out, "%.1f", *value);
}

static void put_csv_row(FILE *out, const char *program,
			const struct apps_result *result, const char *algorithm,
			const struct apps_times *times)
{
	fprintf(out, "%s,%u,%s,", program, result->pes, times ? algorithm : "");
	tool_csv_text(out, result->line);
	for (unsigned int i = 0; i < APPS_COLUMNS; i++) {
		double value = times ? columns[i].of(times) : NAN;

		put_csv_number(out, &value);
	}
	for (unsigned int i = 0; i < APPS_COLLECTIVES; i++)
		put_csv_number(out, times ? &times->collective[i] : NULL);
	/* and no time of a CPU */
	fprintf(out, ",%" PRIu64 ",", times ? times->wrong : 0);
	tool_csv_text(out, result->left_out);
	fputs(",\n", out);
}

static void put_text_row(FILE *out, const char *program,
			 const struct apps_result *result, const char *algorithm,
			 const struct apps_times *times)
{
	fprintf(out, " %-9s %5u ", program, result->pes);
	if (!times) {
		fprintf(out, "left out: %s\n", result->left_out);
		return;
	}
	fprintf(out, "%-13s", algorithm);
	for (unsigned int i = 0; i < APPS_COLUMNS; i++) {
		double value = columns[i].of(times);

		if (isfinite(value))
			fprintf(out, " %12.1f", value / 1e3);
		else
			fprintf(out, " %12s", "-");
	}
	fprintf(out, " %7" PRIu64 "\n", times->wrong);
}

static void put_row(struct perf_suite *suite, enum apps_program program,
		    const struct apps_result *result, const char *algorithm,
		    const struct apps_times *times)
{
	struct perf_report *r = &suite->report;
	const char *name = apps_program_name(program);

	if (r->format == PERF_JSON)
		put_json_row(r, name, result, algorithm, times);
	else if (r->format == PERF_CSV)
		put_csv_row(r->out, name, result, algorithm, times);
	else
		put_text_row(r->out, name, result, algorithm, times);
	perf_report_row_end(r, times ? times->wrong : 0);
}

static void put_json_cpu(struct perf_report *r, const char *program,
			 const struct apps_result *result, const struct apps_cpu *cpu)
{
	struct json_object *o = json_object_new_object();
	char algorithm[32];

	snprintf(algorithm, sizeof(algorithm), "cpu:%s", cpu->name);
	tool_json_add(o, "program", tool_json_string(program));
	tool_json_add(o, "command", tool_json_string(result->line));
	tool_json_add(o, "algorithm", tool_json_string(algorithm));
	tool_json_add(o, "method", tool_json_string(cpu->method));
	tool_json_add(o, "library", tool_json_string(cpu->library));
	tool_json_add(o, "threads", json_object_new_uint64(result->cpu_threads));
	perf_report_json_number(o, "cpu_ns", *cpu->left_out ? NAN : cpu->ns);
	json_object_object_add(o, "verdict", *cpu->left_out ? NULL :
			       tool_json_string(cpu->verdict));
	tool_json_add(o, "wrong", json_object_new_uint64(cpu->wrong));
	json_object_object_add(o, "left_out", *cpu->left_out ?
			       tool_json_string(cpu->left_out) : NULL);
	perf_report_json_row(r, o);
}

/* The columns that PEs' runs have stay empty. */
static void put_csv_cpu(FILE *out, const char *program,
			const struct apps_result *result, const struct apps_cpu *cpu)
{
	double ns = *cpu->left_out ? NAN : cpu->ns;

	fprintf(out, "%s,,cpu:%s,", program, cpu->name);
	tool_csv_text(out, result->line);
	for (unsigned int i = 0; i < APPS_COLUMNS + APPS_COLLECTIVES; i++)
		put_csv_number(out, NULL);
	fprintf(out, ",%" PRIu64 ",", cpu->wrong);
	tool_csv_text(out, cpu->left_out);
	put_csv_number(out, &ns);
	putc('\n', out);
}

static void put_text_cpu(FILE *out, const char *program, const struct apps_cpu *cpu)
{
	fprintf(out, " %-9s %5s %-13s", program, "CPU", cpu->name);
	if (*cpu->left_out)
		fprintf(out, " left out: %s\n", cpu->left_out);
	else
		fprintf(out, " %12.1f  #wrong %" PRIu64 "; %s; %s\n", cpu->ns / 1e3,
			cpu->wrong, cpu->method, cpu->library);
}

/* What may be said of the fastest beside PEs, each word of it. */
static void put_text_fastest(FILE *out, const struct apps_result *result)
{
	const struct apps_times *direct = &result->times[APPS_DIRECT];
	const struct apps_cpu *fastest = apps_fastest_cpu(result);

	if (!fastest || !result->by[APPS_DIRECT])
		return;
	fprintf(out, "# composed time of direct against the fastest, %s: %.3g times its speed, what ranks in\n# this machine would do; wall time %s, against %s there, is what emulation costs\n",
		fastest->name, fastest->ns / apps_composed(direct),
		tool_seconds((uint64_t)(of_host(direct) + direct->emulation)),
		tool_seconds((uint64_t)fastest->ns));
}

static void put_cpu(struct perf_suite *suite, enum apps_program program,
		    const struct apps_result *result)
{
	struct perf_report *r = &suite->report;
	const char *name = apps_program_name(program);

	if (r->format == PERF_TEXT && result->nr_cpu)
		fprintf(r->out, "# the same on the CPU, %u threads, input in memory\n",
			result->cpu_threads);
	for (unsigned int i = 0; i < result->nr_cpu; i++) {
		const struct apps_cpu *cpu = &result->cpu[i];

		if (r->format == PERF_JSON)
			put_json_cpu(r, name, result, cpu);
		else if (r->format == PERF_CSV)
			put_csv_cpu(r->out, name, result, cpu);
		else
			put_text_cpu(r->out, name, cpu);
		perf_report_row_end(r, cpu->wrong);
	}
	if (r->format == PERF_TEXT)
		put_text_fastest(r->out, result);
}

void apps_report_rows(struct perf_suite *suite, enum apps_program program,
		      const struct apps_result *result)
{
	perf_report_clear(&suite->report);
	if (suite->report.format == PERF_TEXT)
		fprintf(suite->report.out, "# pimdimm app %s\n", result->line);
	if (!result->measured)
		put_row(suite, program, result, NULL, NULL);
	for (unsigned int a = 0; result->measured && a < APPS_ALGORITHMS; a++) {
		if (result->by[a])
			put_row(suite, program, result,
				apps_algorithm_name((enum apps_algorithm)a),
				&result->times[a]);
	}
	if (result->measured)
		put_cpu(suite, program, result);
}

void apps_report_progress(const struct perf_suite *suite,
			  const struct apps_result *result,
			  enum apps_algorithm algorithm)
{
	(void)suite;
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%s, by %s", result->line,
			apps_algorithm_name(algorithm));
}

// SPDX-License-Identifier: MIT
/* Adds up what collectives and PE programs took, and prints it. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/apps/common/report.h"
#include "tools/csv.h"
#include "tools/tool.h"

static const char *const phase_names[APP_NR_PHASES] = {
	[APP_LOADING] = "loading",
	[APP_RUN] = "run",
};

void app_report_begin(struct app_report *report)
{
	memset(report, 0, sizeof(*report));
	pimdimm_report_start();
	for (uint32_t i = 0; i < APP_MAX_ROWS; i++) {
		report->before[i].size = sizeof(report->before[i]);
		if (pimdimm_report_read(i, &report->before[i]))
			break;
	}
	app_report_phase(report, APP_LOADING);
}

static void report_close_phase(struct app_report *report)
{
	if (report->since)
		report->wall_ns[report->phase] += tool_now() - report->since;
	report->since = 0;
}

void app_report_phase(struct app_report *report, enum app_phase phase)
{
	report_close_phase(report);
	report->phase = phase;
	report->since = tool_now();
	pimdimm_report_phase(phase_names[phase]);
}

/* What of a row came since it was like that. */
static void report_subtract(struct pimdimm_report_row *row,
			    const struct pimdimm_report_row *before)
{
	row->calls -= before->calls;
	row->uncounted -= before->uncounted;
	row->mram_bytes -= before->mram_bytes;
	row->host_bytes -= before->host_bytes;
	row->host_ns -= before->host_ns;
	row->pe_ns -= before->pe_ns;
	row->emulation_ns -= before->emulation_ns;
}

static void report_take(struct app_report *report,
			const struct pimdimm_report_row *row)
{
	for (unsigned int phase = 0; phase < APP_NR_PHASES; phase++) {
		if (row->calls && !strcmp(row->phase, phase_names[phase]))
			report->rows[phase][report->nr_rows[phase]++] = *row;
	}
}

void app_report_end(struct app_report *report)
{
	struct pimdimm_report_row row = { .size = sizeof(row) };

	report_close_phase(report);
	pimdimm_report_phase("");
	/* rows stay where they are, and new ones come behind */
	for (uint32_t i = 0; i < APP_MAX_ROWS && !pimdimm_report_read(i, &row); i++) {
		report_subtract(&row, &report->before[i]);
		report_take(report, &row);
	}
}

const struct pimdimm_report_row *app_report_row(const struct app_report *report,
						enum app_phase phase,
						const char *name)
{
	for (unsigned int i = 0; i < report->nr_rows[phase]; i++) {
		if (!strcmp(report->rows[phase][i].name, name))
			return &report->rows[phase][i];
	}
	return NULL;
}

static double row_pes_ns(const struct pimdimm_report_row *row)
{
	return row->uncounted ? NAN : (double)row->pe_ns;
}

static struct app_fact *new_fact(struct app_report *report, const char *key)
{
	if (report->nr_facts == APP_MAX_FACTS)
		abort();
	report->facts[report->nr_facts].key = key;
	return &report->facts[report->nr_facts++];
}

void app_report_number(struct app_report *report, const char *key, double value)
{
	struct app_fact *fact = new_fact(report, key);

	fact->number = true;
	fact->value = value;
}

void app_report_text(struct app_report *report, const char *key,
		     const char *format, ...)
{
	struct app_fact *fact = new_fact(report, key);
	va_list args;

	va_start(args, format);
	vsnprintf(fact->text, sizeof(fact->text), format, args);
	va_end(args);
}

uint64_t app_report_host_ns(const struct app_report *report, enum app_phase phase)
{
	uint64_t ns = 0;

	for (unsigned int i = 0; i < report->nr_rows[phase]; i++)
		ns += report->rows[phase][i].host_ns;
	return ns;
}

double app_report_pes_ns(const struct app_report *report, enum app_phase phase)
{
	double ns = 0;

	for (unsigned int i = 0; i < report->nr_rows[phase]; i++)
		ns += row_pes_ns(&report->rows[phase][i]);
	return ns;
}

uint64_t app_report_emulation_ns(const struct app_report *report,
				 enum app_phase phase)
{
	uint64_t ns = 0;

	for (unsigned int i = 0; i < report->nr_rows[phase]; i++)
		ns += report->rows[phase][i].emulation_ns;
	return ns;
}

uint64_t app_report_of(const struct app_report *report, enum app_phase phase,
		       const char *name)
{
	uint64_t ns = 0;

	for (unsigned int i = 0; i < report->nr_rows[phase]; i++) {
		if (report->rows[phase][i].kind == PIMDIMM_REPORT_COLLECTIVE &&
		    !strcmp(report->rows[phase][i].name, name))
			ns += report->rows[phase][i].host_ns;
	}
	return ns;
}

/* a number, or a dash where there is nothing of the kind */
static const char *some_count(uint64_t n)
{
	return n ? tool_count(n) : "-";
}

static const char *some_time(uint64_t ns)
{
	return ns ? tool_seconds(ns) : "-";
}

/* What a row is called; static. */
static const char *row_name(const struct pimdimm_report_row *row)
{
	static char text[sizeof(row->name) + sizeof("load ")];

	snprintf(text, sizeof(text), "%s%s",
		 row->kind == PIMDIMM_REPORT_LOAD ? "load " : "", row->name);
	return text;
}

static void print_row(const struct pimdimm_report_row *row)
{
	printf("  %-20s %-4s %8s %16s %16s %10s %11s %10s\n", row_name(row),
	       *row->axes ? row->axes : "-", tool_count(row->calls),
	       some_count(row->mram_bytes), some_count(row->host_bytes),
	       some_time(row->host_ns),
	       row->uncounted ? "not counted" : some_time(row->pe_ns),
	       some_time(row->emulation_ns));
}

static void print_phase(const struct app_report *report, enum app_phase phase)
{
	double pes = app_report_pes_ns(report, phase);
	uint64_t host = app_report_host_ns(report, phase);

	printf("%-22s %-4s %8s %16s %16s %10s %11s %10s\n", phase_names[phase],
	       "axes", "calls", "MRAM bytes", "host bytes", "host", "PEs",
	       "emulation");
	for (unsigned int i = 0; i < report->nr_rows[phase]; i++)
		print_row(&report->rows[phase][i]);
	if (isnan(pes))
		printf("  host %s measured; the PEs' programs were not counted, so that there is no composed time\n",
		       tool_seconds(host));
	else
		printf("  composed %s: host %s measured, PEs %s modelled\n",
		       tool_seconds(host + (uint64_t)pes), tool_seconds(host),
		       tool_seconds((uint64_t)pes));
}

/* a count, as nearly all numbers are */
static bool is_count(double value)
{
	return value >= 0 && value < 1e15 && value == floor(value);
}

static void print_fact(const struct app_fact *fact)
{
	if (!fact->number)
		printf("  %s: %s\n", fact->key, fact->text);
	else if (is_count(fact->value))
		printf("  %s: %s\n", fact->key,
		       tool_count((uint64_t)fact->value));
	else
		printf("  %s: %.6g\n", fact->key, fact->value);
}

void app_report_print(const struct app_report *report)
{
	for (unsigned int i = 0; i < report->nr_facts; i++)
		print_fact(&report->facts[i]);
	for (unsigned int phase = 0; phase < APP_NR_PHASES; phase++)
		print_phase(report, phase);
}

static void csv_row(const struct pimdimm_report_row *row)
{
	printf("%s,", row->phase);
	tool_csv_text(stdout, row_name(row));
	printf(",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", row->axes,
	       row->calls, row->mram_bytes, row->host_bytes, row->host_ns);
	if (!row->uncounted)
		printf("%" PRIu64, row->pe_ns);
	printf(",%" PRIu64 "\n", row->emulation_ns);
}

void app_report_csv(const struct app_report *report)
{
	puts("phase,operation,axes,calls,mram_bytes,host_bytes,host_ns,pes_ns,emulation_ns");
	for (unsigned int phase = 0; phase < APP_NR_PHASES; phase++) {
		for (unsigned int i = 0; i < report->nr_rows[phase]; i++)
			csv_row(&report->rows[phase][i]);
	}
}

/* a modelled time, null where there is none */
static struct json_object *modelled_json(double ns)
{
	return isnan(ns) ? NULL : json_object_new_uint64((uint64_t)ns);
}

static void add_modelled(struct json_object *object, const char *key, double ns)
{
	if (json_object_object_add(object, key, modelled_json(ns)))
		exit(tool_error("no memory for the JSON output"));
}

static struct json_object *row_json(const struct pimdimm_report_row *row)
{
	struct json_object *object = json_object_new_object();

	tool_json_add(object, "operation", tool_json_string(row_name(row)));
	tool_json_add(object, "axes", tool_json_string(row->axes));
	tool_json_add(object, "algorithm", tool_json_string(row->algorithm));
	tool_json_add(object, "calls", json_object_new_uint64(row->calls));
	tool_json_add(object, "mram_bytes",
		      json_object_new_uint64(row->mram_bytes));
	tool_json_add(object, "host_bytes",
		      json_object_new_uint64(row->host_bytes));
	tool_json_add(object, "host_ns", json_object_new_uint64(row->host_ns));
	add_modelled(object, "pes_ns", row_pes_ns(row));
	tool_json_add(object, "emulation_ns",
		      json_object_new_uint64(row->emulation_ns));
	return object;
}

static struct json_object *phase_json(const struct app_report *report,
				      enum app_phase phase)
{
	struct json_object *object = json_object_new_object();
	struct json_object *rows = json_object_new_array();
	uint64_t host = app_report_host_ns(report, phase);
	double pes = app_report_pes_ns(report, phase);

	for (unsigned int i = 0; i < report->nr_rows[phase]; i++)
		json_object_array_add(rows, row_json(&report->rows[phase][i]));
	tool_json_add(object, "rows", rows);
	tool_json_add(object, "host_ns", json_object_new_uint64(host));
	add_modelled(object, "pes_ns", pes);
	add_modelled(object, "composed_ns", (double)host + pes);
	tool_json_add(object, "emulation_ns",
		      json_object_new_uint64(
			      app_report_emulation_ns(report, phase)));
	tool_json_add(object, "wall_ns",
		      json_object_new_uint64(report->wall_ns[phase]));
	return object;
}

static struct json_object *fact_json(const struct app_fact *fact)
{
	if (!fact->number)
		return tool_json_string(fact->text);
	return is_count(fact->value) ?
		       json_object_new_uint64((uint64_t)fact->value) :
		       json_object_new_double(fact->value);
}

void app_report_json(const struct app_report *report, struct json_object *object)
{
	for (unsigned int i = 0; i < report->nr_facts; i++) {
		const struct app_fact *fact = &report->facts[i];

		tool_json_add(object, fact->key, fact_json(fact));
	}
	for (unsigned int phase = 0; phase < APP_NR_PHASES; phase++)
		tool_json_add(object, phase_names[phase],
			      phase_json(report, phase));
}

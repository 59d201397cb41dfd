// SPDX-License-Identifier: MIT
/* Adds up what collectives and PE programs took, and prints it. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <pimdimm/pimdimm_layout.h>

#include "tools/apps/common/report.h"
#include "tools/tool.h"

static const char *const phase_names[APP_NR_PHASES] = {
	[APP_LOADING] = "loading",
	[APP_RUN] = "run",
};

void app_report_end(struct app_report *report)
{
	if (report->since)
		report->wall_ns[report->phase] += tool_now() - report->since;
	report->since = 0;
}

void app_report_phase(struct app_report *report, enum app_phase phase)
{
	app_report_end(report);
	report->phase = phase;
	report->since = tool_now();
}

static struct app_row *report_row(struct app_report *report, const char *name,
				  const char *axes)
{
	unsigned int *count = &report->nr_rows[report->phase];
	struct app_row *rows = report->rows[report->phase];

	for (unsigned int i = 0; i < *count; i++) {
		if (!strcmp(rows[i].name, name) && !strcmp(rows[i].axes, axes))
			return &rows[i];
	}
	if (*count == APP_MAX_ROWS)
		abort();
	rows[*count].name = name;
	snprintf(rows[*count].axes, sizeof(rows->axes), "%s", axes);
	return &rows[(*count)++];
}

void app_report_collective(struct app_report *report, const char *name,
			   const char *axes, const struct pidcomm_stats *stats,
			   uint64_t host_ns)
{
	struct app_row *row = report_row(report, name, axes);

	row->calls++;
	row->mram_bytes += PIMDIMM_BLOCK_BYTES * (stats->mram_blocks_read +
						  stats->mram_blocks_written);
	row->host_bytes += stats->host_bytes_read + stats->host_bytes_written;
	row->host_ns += host_ns;
}

void app_report_launch(struct app_report *report, const char *program,
		       const struct pimdimm_run *run)
{
	struct app_row *row = report_row(report, program, "");

	row->calls++;
	row->mram_bytes += run->dma_bytes;
	row->emulation_ns += run->ns;
	row->uncounted |= !run->instructions || !run->clock_hz;
	if (run->clock_hz)
		row->pes_ns += 1e9 * (double)run->cycles / (double)run->clock_hz;
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
		ns += report->rows[phase][i].uncounted ?
			      NAN : report->rows[phase][i].pes_ns;
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
		if (!strcmp(report->rows[phase][i].name, name))
			ns += report->rows[phase][i].host_ns;
	}
	return ns;
}

static const char *modelled_text(double ns)
{
	return isnan(ns) ? "not counted" : tool_seconds((uint64_t)ns);
}

static void print_row(const struct app_row *row)
{
	bool program = !*row->axes;

	printf("  %-16s %-4s %8s %16s %16s %10s %11s %10s\n", row->name,
	       program ? "-" : row->axes, tool_count(row->calls),
	       tool_count(row->mram_bytes),
	       program ? "-" : tool_count(row->host_bytes),
	       program ? "-" : tool_seconds(row->host_ns),
	       !program ? "-" :
			  modelled_text(row->uncounted ? NAN : row->pes_ns),
	       program ? tool_seconds(row->emulation_ns) : "-");
}

static void print_phase(const struct app_report *report, enum app_phase phase)
{
	double pes = app_report_pes_ns(report, phase);
	uint64_t host = app_report_host_ns(report, phase);

	printf("%-18s %-4s %8s %16s %16s %10s %11s %10s\n", phase_names[phase],
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

static void csv_row(const char *phase, const struct app_row *row)
{
	printf("%s,%s,%s,%" PRIu64 ",%" PRIu64 ",", phase, row->name, row->axes,
	       row->calls, row->mram_bytes);
	if (*row->axes)
		printf("%" PRIu64 ",%" PRIu64 ",,\n", row->host_bytes,
		       row->host_ns);
	else if (row->uncounted)
		printf(",,,%" PRIu64 "\n", row->emulation_ns);
	else
		printf(",,%.0f,%" PRIu64 "\n", row->pes_ns, row->emulation_ns);
}

void app_report_csv(const struct app_report *report)
{
	puts("phase,operation,axes,calls,mram_bytes,host_bytes,host_ns,pes_ns,emulation_ns");
	for (unsigned int phase = 0; phase < APP_NR_PHASES; phase++) {
		for (unsigned int i = 0; i < report->nr_rows[phase]; i++)
			csv_row(phase_names[phase], &report->rows[phase][i]);
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

static struct json_object *row_json(const struct app_row *row)
{
	struct json_object *object = json_object_new_object();

	tool_json_add(object, "operation", tool_json_string(row->name));
	tool_json_add(object, "axes", tool_json_string(row->axes));
	tool_json_add(object, "calls", json_object_new_uint64(row->calls));
	tool_json_add(object, "mram_bytes",
		      json_object_new_uint64(row->mram_bytes));
	if (*row->axes) {
		tool_json_add(object, "host_bytes",
			      json_object_new_uint64(row->host_bytes));
		tool_json_add(object, "host_ns",
			      json_object_new_uint64(row->host_ns));
		return object;
	}
	add_modelled(object, "pes_ns", row->uncounted ? NAN : row->pes_ns);
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

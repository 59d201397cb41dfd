// SPDX-License-Identifier: MIT
/* Keeps what was counted of messages, and prints it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/perf/suites/messages/r03.h"
#include "tools/perf/suites/messages/rows.h"
#include "tools/tool.h"

const struct messages_path messages_paths[MESSAGE_PATHS] = {
	{ "eager", 256 },
	{ "rendezvous", MESSAGE_MAX },
};

static struct messages_row rows[METHODS][MESSAGE_PATHS][MESSAGE_SHARES];
static bool measured[METHODS][MESSAGE_PATHS][MESSAGE_SHARES];

void messages_rows_forget(void)
{
	memset(measured, 0, sizeof(measured));
}

struct messages_row *messages_row_begin(unsigned int method, unsigned int path, unsigned int share)
{
	struct messages_row *row = &rows[method][path][share];

	*row = (struct messages_row){ .method = method,
				      .path = path,
				      .bytes = messages_paths[path].bytes,
				      .posted = 10 * share };
	return row;
}

double messages_overhead(const double sorts[MESSAGE_SORTS])
{
	double sum = 0;

	for (unsigned int s = 0; s <= MESSAGE_JUGGLING; s++)
		sum += sorts[s];
	return sum;
}

void messages_row_end(struct messages_row *row)
{
	struct exchange_counts *c = &row->of;

	for (unsigned int s = 0; s < MESSAGE_SORTS; s++) {
		c->instructions[s] /= EXCHANGE_MESSAGES;
		c->references[s] /= EXCHANGE_MESSAGES;
	}
	c->cycles /= EXCHANGE_MESSAGES;
	row->instructions = messages_overhead(c->instructions);
	row->references = messages_overhead(c->references);
	measured[row->method][row->path][row->posted / 10] = true;
}

const struct messages_row *messages_row_of(unsigned int method, unsigned int path,
					   unsigned int share)
{
	return measured[method][path][share] ? &rows[method][path][share] : NULL;
}

bool messages_measured(unsigned int method)
{
	for (unsigned int path = 0; path < MESSAGE_PATHS; path++)
		for (unsigned int share = 0; share < MESSAGE_SHARES; share++)
			if (!measured[method][path][share])
				return false;
	return true;
}

const double *messages_instructions(const struct messages_row *row)
{
	return row->of.instructions;
}

const double *messages_references(const struct messages_row *row)
{
	return row->of.references;
}

double messages_r03_cycles(const struct messages_row *row, double reference)
{
	return R03_ISSUE * row->instructions + reference * row->references;
}

static bool on_host(const struct messages_row *row)
{
	return row->method >= EXCHANGE_METHODS;
}

/* cycles are modelled of DPUs and R03's machine, not of the host */
static double cycles_of(const struct messages_row *row, double cycles)
{
	return on_host(row) ? NAN : cycles;
}

static struct json_object *sorts_json(const double sorts[MESSAGE_SORTS])
{
	struct json_object *o = json_object_new_object();

	for (unsigned int s = 0; s < MESSAGE_SORTS; s++)
		perf_report_json_number(o, message_sort_names[s], sorts[s]);
	return o;
}

static void put_json(struct perf_report *r, const struct messages_row *row)
{
	struct json_object *o = json_object_new_object();

	tool_json_add(o, "method", tool_json_string(exchange_methods[row->method].name));
	tool_json_add(o, "path", tool_json_string(messages_paths[row->path].name));
	tool_json_add(o, "bytes", json_object_new_uint64(row->bytes));
	tool_json_add(o, "posted_percent", json_object_new_uint64(row->posted));
	perf_report_json_number(o, "overhead_instructions", row->instructions);
	perf_report_json_number(o, "overhead_references", row->references);
	tool_json_add(o, "instructions", sorts_json(row->of.instructions));
	tool_json_add(o, "references", sorts_json(row->of.references));
	perf_report_json_number(o, "cycles_modelled", cycles_of(row, row->of.cycles));
	perf_report_json_number(o, "r03_cycles_open",
				cycles_of(row, messages_r03_cycles(row, R03_OPEN)));
	perf_report_json_number(o, "r03_cycles_closed",
				cycles_of(row, messages_r03_cycles(row, R03_CLOSED)));
	tool_json_add(o, "wrong", json_object_new_uint64(row->of.wrong));
	perf_report_json_row(r, o);
}

static void put_sorts(FILE *out, const char *form, const double sorts[MESSAGE_SORTS])
{
	for (unsigned int s = 0; s < MESSAGE_SORTS; s++)
		fprintf(out, form, sorts[s]);
}

static void put_csv(FILE *out, const struct messages_row *row)
{
	fprintf(out, "%s,%s,%u,%u,%.2f,%.2f", exchange_methods[row->method].name, messages_paths[row->path].name,
		row->bytes, row->posted, row->instructions, row->references);
	put_sorts(out, ",%.2f", row->of.instructions);
	put_sorts(out, ",%.2f", row->of.references);
	if (on_host(row))
		fputs(",,,", out);
	else
		fprintf(out, ",%.2f,%.2f,%.2f", row->of.cycles, messages_r03_cycles(row, R03_OPEN),
			messages_r03_cycles(row, R03_CLOSED));
	fprintf(out, ",%" PRIu64 "\n", row->of.wrong);
}

static void put_text(FILE *out, const struct messages_row *row)
{
	fprintf(out, " %-12s %-10s %6u %7u %9.0f %9.0f", exchange_methods[row->method].name, messages_paths[row->path].name,
		row->bytes, row->posted, row->instructions, row->references);
	put_sorts(out, " %9.0f", row->of.instructions);
	if (on_host(row))
		fprintf(out, " %9s %9s %9s", "-", "-", "-");
	else
		fprintf(out, " %9.0f %9.0f %9.0f", row->of.cycles, messages_r03_cycles(row, R03_OPEN),
			messages_r03_cycles(row, R03_CLOSED));
	fprintf(out, " %6" PRIu64 "\n", row->of.wrong);
}

void messages_row_put(struct perf_suite *suite, const struct messages_row *row)
{
	struct perf_report *r = &suite->report;

	if (r->format == PERF_JSON)
		put_json(r, row);
	else if (r->format == PERF_CSV)
		put_csv(r->out, row);
	else
		put_text(r->out, row);
	perf_report_row_end(r, row->of.wrong);
}

static void put_names(FILE *out, const char *form)
{
	for (unsigned int s = 0; s < MESSAGE_SORTS; s++)
		fprintf(out, form, message_sort_names[s]);
}

void messages_rows_head(struct perf_suite *suite)
{
	struct perf_report *r = &suite->report;

	r->own_columns = true;
	if (r->format == PERF_CSV) {
		fputs("method,path,bytes,posted_percent,overhead_instructions,overhead_references",
		      r->out);
		put_names(r->out, ",instructions_%s");
		put_names(r->out, ",references_%s");
		fputs(",cycles_modelled,r03_cycles_open,r03_cycles_closed,wrong\n", r->out);
	}
	if (r->format == PERF_TEXT) {
		fputs("# a message between 2 PEs: instructions of both, counted, as a DPU executes them; of\n"
		      "# resident kernels and of MPI libraries: as the host does, counted by callgrind;\n"
		      "# overhead is state, cleanup, queues and juggling; cycles are modelled: of the launch,\n"
		      "# and of the overhead on R03's PIM, all its pages open or all closed\n", r->out);
		fprintf(r->out, "#%-12s %-10s %6s %7s %9s %9s", "method", "path", "bytes",
			"posted%", "overhead", "refs");
		put_names(r->out, " %9s");
		fprintf(r->out, " %9s %9s %9s %6s\n", "cycles", "R03 open", "closed",
			"#wrong");
	}
}

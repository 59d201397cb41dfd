// SPDX-License-Identifier: MIT
/*
 * `--suite messages`: what messages between PEs take, counted, as Rodrigues et al. (CLUSTER
 * 2003, "R03") measure MPI: by the share of receives that are posted before their messages.
 */
#include <inttypes.h>
#include <math.h>

#include <json-c/json.h>

#include "tools/perf/measure.h"
#include "tools/perf/suites/draw.h"
#include "tools/perf/suites/messages/exchange.h"
#include "tools/perf/suites/pe/pe_rig.h"
#include "tools/perf/suites/suites.h"
#include "tools/tool.h"

/* Table 1 of R03: a PIM's pipeline is 4 deep, and a reference takes 4 to 11 cycles. */
#define R03_ISSUE	4.0
#define R03_OPEN	4.0
#define R03_CLOSED	11.0

#define SHARES	11	/* 0, 10, ... 100 % */

static const struct {
	const char *name;
	uint32_t bytes;
} sizes[] = {
	{ "eager", 256 },
	{ "rendezvous", MESSAGE_MAX },
};

static const struct {
	const char *name, *series;	/* behind a path, in figures */
} methods[EXCHANGE_METHODS] = {
	[EXCHANGE_TRAVELLING] = { "travelling", "" },
	[EXCHANGE_CONVENTIONAL] = { "conventional", ", conventional" },
};

/* of one message: what both PEs do for it */
struct messages_row {
	enum exchange_method method;
	const char *path;
	uint32_t bytes, posted;		/* percent */
	struct exchange_counts of;
	double instructions, references;	/* of R03's categories */
};

static struct messages_row rows[EXCHANGE_METHODS][TOOL_COUNT(sizes)][SHARES];

static double overhead(const double sorts[MESSAGE_SORTS])
{
	double sum = 0;

	for (unsigned int s = 0; s <= MESSAGE_JUGGLING; s++)
		sum += sorts[s];
	return sum;
}

static double r03_cycles(const struct messages_row *row, double reference)
{
	return R03_ISSUE * row->instructions + reference * row->references;
}

static int measure_row(struct messages_row *row)
{
	struct exchange_counts *c = &row->of;
	int ret = exchange_count(row->method, row->bytes, row->posted * MESSAGES / 100, c);

	for (unsigned int s = 0; s < MESSAGE_SORTS; s++) {
		c->instructions[s] /= EXCHANGE_MESSAGES;
		c->references[s] /= EXCHANGE_MESSAGES;
	}
	c->cycles /= EXCHANGE_MESSAGES;
	row->instructions = overhead(c->instructions);
	row->references = overhead(c->references);
	return ret;
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

	tool_json_add(o, "method", tool_json_string(methods[row->method].name));
	tool_json_add(o, "path", tool_json_string(row->path));
	tool_json_add(o, "bytes", json_object_new_uint64(row->bytes));
	tool_json_add(o, "posted_percent", json_object_new_uint64(row->posted));
	perf_report_json_number(o, "overhead_instructions", row->instructions);
	perf_report_json_number(o, "overhead_references", row->references);
	tool_json_add(o, "instructions", sorts_json(row->of.instructions));
	tool_json_add(o, "references", sorts_json(row->of.references));
	perf_report_json_number(o, "cycles_modelled", row->of.cycles);
	perf_report_json_number(o, "r03_cycles_open", r03_cycles(row, R03_OPEN));
	perf_report_json_number(o, "r03_cycles_closed", r03_cycles(row, R03_CLOSED));
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
	fprintf(out, "%s,%s,%u,%u,%.2f,%.2f", methods[row->method].name, row->path,
		row->bytes, row->posted, row->instructions, row->references);
	put_sorts(out, ",%.2f", row->of.instructions);
	put_sorts(out, ",%.2f", row->of.references);
	fprintf(out, ",%.2f,%.2f,%.2f,%" PRIu64 "\n", row->of.cycles,
		r03_cycles(row, R03_OPEN), r03_cycles(row, R03_CLOSED), row->of.wrong);
}

static void put_text(FILE *out, const struct messages_row *row)
{
	fprintf(out, " %-12s %-10s %6u %7u %9.0f %9.0f", methods[row->method].name, row->path,
		row->bytes, row->posted, row->instructions, row->references);
	put_sorts(out, " %9.0f", row->of.instructions);
	fprintf(out, " %9.0f %9.0f %9.0f %6" PRIu64 "\n", row->of.cycles,
		r03_cycles(row, R03_OPEN), r03_cycles(row, R03_CLOSED), row->of.wrong);
}

static void put_row(struct perf_suite *suite, const struct messages_row *row)
{
	struct perf_report *r = &suite->report;

	if (r->format == PERF_JSON)
		put_json(r, row);
	else if (r->format == PERF_CSV)
		put_csv(r->out, row);
	else
		put_text(r->out, row);
	if (row->of.unsorted[0] && r->format == PERF_TEXT)
		fprintf(r->out, "# unsorted: %s\n", row->of.unsorted);
	perf_report_row_end(r, row->of.wrong);
}

static void put_names(FILE *out, const char *form)
{
	for (unsigned int s = 0; s < MESSAGE_SORTS; s++)
		fprintf(out, form, message_sort_names[s]);
}

static void begin_table(struct perf_suite *suite)
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
		fputs("# a message between 2 PEs: instructions of both, counted, as a DPU executes them;\n"
		      "# overhead is state, cleanup, queues and juggling; cycles are modelled: of the launch,\n"
		      "# and of the overhead on R03's PIM, all its pages open or all closed\n", r->out);
		fprintf(r->out, "#%-12s %-10s %6s %7s %9s %9s", "method", "path", "bytes",
			"posted%", "overhead", "refs");
		put_names(r->out, " %9s");
		fprintf(r->out, " %9s %9s %9s %6s\n", "cycles", "R03 open", "closed",
			"#wrong");
	}
}

static void measure_shares(struct perf_suite *suite, enum exchange_method method, size_t size)
{
	for (uint32_t share = 0; share < SHARES && !suite->status; share++) {
		struct messages_row *row = &rows[method][size][share];

		*row = (struct messages_row){ .method = method,
					      .path = sizes[size].name,
					      .bytes = sizes[size].bytes,
					      .posted = 10 * share };
		suite->status = perf_interrupted() ? tool_error("interrupted") :
						     measure_row(row);
		if (!suite->status)
			put_row(suite, row);
	}
}

static void measure_rows(struct perf_suite *suite)
{
	for (unsigned int m = 0; m < EXCHANGE_METHODS; m++)
		for (size_t i = 0; i < TOOL_COUNT(sizes); i++)
			measure_shares(suite, (enum exchange_method)m, i);
}

/* of each method, by its name behind the path's and `more` */
static void draw(struct perf_figure *figure, size_t size, const char *more,
		 double (*value)(const struct messages_row *row))
{
	for (unsigned int m = 0; m < EXCHANGE_METHODS; m++) {
		char series[64];

		snprintf(series, sizeof(series), "%s%s%s", sizes[size].name, more,
			 methods[m].series);
		for (unsigned int share = 0; share < SHARES; share++) {
			char x[8];

			snprintf(x, sizeof(x), "%u", 10 * share);
			perf_figure_add(figure, x, series, value(&rows[m][size][share]), NAN);
		}
	}
}

static double instructions_of(const struct messages_row *row)
{
	return row->instructions;
}

static double references_of(const struct messages_row *row)
{
	return row->references;
}

static double open_of(const struct messages_row *row)
{
	return r03_cycles(row, R03_OPEN);
}

static double closed_of(const struct messages_row *row)
{
	return r03_cycles(row, R03_CLOSED);
}

static double copying_of(const struct messages_row *row)
{
	return row->of.cycles;
}

static void draw_paths(struct perf_figure *figure, double (*value)(const struct messages_row *row))
{
	for (size_t i = 0; i < TOOL_COUNT(sizes); i++)
		draw(figure, i, "", value);
}

static void draw_instructions(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_paths(figure, instructions_of);
}

static void draw_references(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_paths(figure, references_of);
}

static void draw_r03(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	for (size_t i = 0; i < TOOL_COUNT(sizes); i++) {
		draw(figure, i, ", pages open", open_of);
		draw(figure, i, ", closed", closed_of);
	}
}

static void draw_sorts_of(struct perf_figure *figure, const struct messages_row *row)
{
	char x[64];

	snprintf(x, sizeof(x), "%s %u %%%s", row->path, row->posted,
		 methods[row->method].series);
	for (unsigned int s = 0; s <= MESSAGE_JUGGLING; s++)
		perf_figure_add(figure, x, message_sort_names[s], row->of.instructions[s], NAN);
}

static void draw_sorts(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	for (size_t i = 0; i < TOOL_COUNT(sizes); i++)
		for (unsigned int share = 0; share < SHARES; share += 5)
			for (unsigned int m = 0; m < EXCHANGE_METHODS; m++)
				draw_sorts_of(figure, &rows[m][i][share]);
}

static void draw_copying(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_paths(figure, copying_of);
}

static const struct perf_drawing drawings[] = {
	{ "R03-6ab", "overhead instructions of a message", "receives posted, %",
	  "instructions of a DPU, counted", NULL, PERF_BARS, draw_instructions },
	{ "R03-6cd", "memory references of a message", "receives posted, %",
	  "loads and stores, counted", NULL, PERF_BARS, draw_references },
	{ "R03-7ab", "cycles of a message's overhead", "receives posted, %",
	  "cycles of R03's PIM, modelled", NULL, PERF_BARS, draw_r03 },
	{ "R03-8", "what overhead is for", "receives posted",
	  "instructions of a DPU, counted", NULL, PERF_STACKED, draw_sorts },
	{ "R03-9", "cycles of a message, copies included", "receives posted, %",
	  "cycles of a DPU, modelled", NULL, PERF_BARS, draw_copying },
};

static void measure_messages(struct perf_suite *suite)
{
	struct pe_rig rig;

	suite->status = pe_rig_open(&rig, suite, 1, 1);
	if (!suite->status) {
		struct perf_rig whole = { .sys = rig.sys };

		suite->report.own_columns = true;
		perf_report_header(&suite->report, &whole, &suite->how);
		perf_suite_note(suite, &whole);
	}
	pe_rig_close(&rig);
	if (suite->status)
		return;
	begin_table(suite);
	measure_rows(suite);
	if (!suite->status)
		perf_suite_draw(suite, drawings, TOOL_COUNT(drawings));
}

const struct perf_suite_kind perf_suite_messages = {
	.name = "messages",
	.meaning =
	"what a message between PEs takes by the share of posted receives: instructions, references, cycles",
	.measure = measure_messages,
	.draws = true,
	.own_scale = true,
};

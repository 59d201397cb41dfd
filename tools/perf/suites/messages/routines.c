// SPDX-License-Identifier: MIT
/*
 * What Probe, Send and Recv take of a message's overhead, a count of each routine alone: between
 * PE programs by either engine, and of whoever runs on the host, under callgrind. Half of the
 * receives are posted.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/perf/measure.h"
#include "tools/perf/suites/messages/exchange.h"
#include "tools/perf/suites/messages/r03.h"
#include "tools/perf/suites/messages/routines.h"
#include "tools/perf/suites/messages/rows.h"
#include "tools/tool.h"

#define POSTED	(MESSAGES / 2)
#define PATHS	MESSAGE_PATHS

static const char *const routines[ROUTINES] = {
	[ROUTINE_PROBE] = "Probe", [ROUTINE_SEND] = "Send", [ROUTINE_RECV] = "Recv",
};

/* of a call */
static struct exchange_counts counts[PATHS][METHODS][ROUTINES];
static bool measured[METHODS];

static const struct exchange_counts *counts_of(size_t path, unsigned int method,
					       unsigned int routine)
{
	return &counts[path][method][routine];
}

static double calls_of(enum exchange_routine routine)
{
	return routine == ROUTINE_PROBE ? 2 * (MESSAGES - POSTED) : EXCHANGE_MESSAGES;
}

/* of what a round has, to what a call has */
static void count_calls(size_t path, unsigned int method, enum exchange_routine routine)
{
	struct exchange_counts *c = &counts[path][method][routine];

	for (unsigned int s = 0; s < MESSAGE_SORTS; s++) {
		c->instructions[s] /= calls_of(routine);
		c->references[s] /= calls_of(routine);
	}
}

void routines_forget(void)
{
	memset(measured, 0, sizeof(measured));
}

void routines_take(unsigned int method, const struct counted *of)
{
	for (size_t path = 0; path < PATHS; path++) {
		for (unsigned int r = ROUTINE_PROBE; r < ROUTINES; r++) {
			counts[path][method][r] = of->routines[path][r];
			count_calls(path, method, (enum exchange_routine)r);
		}
	}
	measured[method] = true;
}

static int count(size_t path, unsigned int method, enum exchange_routine routine)
{
	const struct exchange_case c = {
		.method = (enum exchange_method)method,
		.bytes = messages_paths[path].bytes,
		.posted = POSTED,
		.eager = EXCHANGE_EAGER,
		.routine = routine,
	};
	int ret = exchange_count(&c, &counts[path][method][routine]);

	count_calls(path, method, routine);
	return ret;
}

/* between PE programs */
static int count_all(void)
{
	int ret = TOOL_OK;

	for (unsigned int m = 0; m < EXCHANGE_METHODS; m++) {
		for (size_t path = 0; path < PATHS; path++)
			for (unsigned int r = ROUTINE_PROBE; r < ROUTINES && !ret; r++)
				ret = perf_interrupted() ?
					      tool_error("interrupted") :
					      count(path, m, (enum exchange_routine)r);
		measured[m] = !ret;
	}
	return ret;
}

static double cycles_of(const struct exchange_counts *c, unsigned int sort)
{
	return R03_ISSUE * c->instructions[sort] + R03_CLOSED * c->references[sort];
}

/* of each method that was counted, path and routine */
static void each_row(void (*put)(void *ctx, size_t path, unsigned int m, unsigned int r), void *ctx)
{
	for (size_t path = 0; path < PATHS; path++)
		for (unsigned int m = 0; m < METHODS; m++)
			for (unsigned int r = ROUTINE_PROBE; r < ROUTINES && measured[m]; r++)
				put(ctx, path, m, r);
}

static void put_head(FILE *out, const char *what)
{
	fprintf(out, "#\n# %s of a call\n# %-12s %-10s %-6s %9s", what, "method", "path", "call",
		"overhead");
	for (unsigned int s = 0; s <= MESSAGE_JUGGLING; s++)
		fprintf(out, " %9s", message_sort_names[s]);
	fprintf(out, " %9s %6s\n", "juggling%", "#wrong");
}

static void put_line(FILE *out, size_t path, unsigned int m, unsigned int r,
		     const double sorts[MESSAGE_SORTS])
{
	double all = messages_overhead(sorts);

	fprintf(out, "# %-12s %-10s %-6s %9.1f", exchange_methods[m].name,
		messages_paths[path].name, routines[r], all);
	for (unsigned int s = 0; s <= MESSAGE_JUGGLING; s++)
		fprintf(out, " %9.1f", sorts[s]);
	fprintf(out, " %9.0f %6" PRIu64 "\n", all ? 100 * sorts[MESSAGE_JUGGLING] / all : 0,
		counts_of(path, m, r)->wrong);
}

static void put_instructions(void *ctx, size_t path, unsigned int m, unsigned int r)
{
	put_line(ctx, path, m, r, counts_of(path, m, r)->instructions);
}

static void put_references(void *ctx, size_t path, unsigned int m, unsigned int r)
{
	put_line(ctx, path, m, r, counts_of(path, m, r)->references);
}

static void put_text(FILE *out)
{
	fprintf(out, "#\n# overhead by routine, %d %% of receives posted; Send has its traveller, Recv what was\n"
		     "# posted before, and Waitall; counted of a DPU, and of the host where that runs them\n",
		100 * POSTED / MESSAGES);
	put_head(out, "instructions");
	each_row(put_instructions, out);
	put_head(out, "loads and stores");
	each_row(put_references, out);
}

static struct json_object *row_json(size_t path, unsigned int m, unsigned int r)
{
	struct json_object *o = json_object_new_object(), *i = json_object_new_object();
	struct json_object *refs = json_object_new_object();
	const struct exchange_counts *c = counts_of(path, m, r);

	for (unsigned int s = 0; s <= MESSAGE_JUGGLING; s++) {
		perf_report_json_number(i, message_sort_names[s], c->instructions[s]);
		perf_report_json_number(refs, message_sort_names[s], c->references[s]);
	}
	tool_json_add(o, "method", tool_json_string(exchange_methods[m].name));
	tool_json_add(o, "path", tool_json_string(messages_paths[path].name));
	tool_json_add(o, "routine", tool_json_string(routines[r]));
	tool_json_add(o, "instructions", i);
	tool_json_add(o, "references", refs);
	tool_json_add(o, "wrong", json_object_new_uint64(c->wrong));
	return o;
}

static void add_json(void *ctx, size_t path, unsigned int m, unsigned int r)
{
	json_object_array_add(ctx, row_json(path, m, r));
}

static void add_wrong(void *ctx, size_t path, unsigned int m, unsigned int r)
{
	((struct perf_report *)ctx)->wrong += counts_of(path, m, r)->wrong;
}

void routines_measure(struct perf_suite *suite)
{
	struct perf_report *report = &suite->report;
	struct json_object *array;

	suite->status = count_all();
	if (suite->status)
		return;
	each_row(add_wrong, report);
	if (report->format == PERF_TEXT)
		put_text(report->out);
	if (report->format != PERF_JSON)
		return;
	array = json_object_new_array();
	each_row(add_json, array);
	perf_report_json(report, "routines", array);
}

static double instructions_of(const struct exchange_counts *c, unsigned int sort)
{
	return c->instructions[sort];
}

static double references_of(const struct exchange_counts *c, unsigned int sort)
{
	return c->references[sort];
}

/* of the first methods */
static void draw(struct perf_figure *figure, unsigned int nr_methods,
		 double (*value)(const struct exchange_counts *c, unsigned int sort))
{
	for (size_t path = 0; path < PATHS; path++) {
		for (unsigned int r = ROUTINE_PROBE; r < ROUTINES; r++) {
			for (unsigned int m = 0; m < nr_methods; m++) {
				char x[32];

				snprintf(x, sizeof(x), "%s %s%s", routines[r],
					 messages_paths[path].name, exchange_methods[m].series);
				for (unsigned int s = 0; s <= MESSAGE_JUGGLING && measured[m]; s++)
					perf_figure_add(figure, x, message_sort_names[s],
							value(counts_of(path, m, r), s), NAN);
			}
		}
	}
}

void routines_draw_instructions(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw(figure, METHODS, instructions_of);
}

void routines_draw_references(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw(figure, METHODS, references_of);
}

/* which are modelled of programs of PEs */
void routines_draw_cycles(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw(figure, EXCHANGE_METHODS, cycles_of);
}

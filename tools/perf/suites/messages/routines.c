// SPDX-License-Identifier: MIT
/*
 * What Probe, Send and Recv take of a message's overhead, between PE programs by either engine:
 * a count of each routine alone. Half of the receives are posted.
 */
#include <inttypes.h>
#include <math.h>

#include <json-c/json.h>

#include "tools/perf/measure.h"
#include "tools/perf/suites/messages/exchange.h"
#include "tools/perf/suites/messages/r03.h"
#include "tools/perf/suites/messages/routines.h"
#include "tools/tool.h"

#define POSTED	(MESSAGES / 2)

static const struct {
	const char *name;
	uint32_t bytes;
} paths[] = {
	{ "eager", 256 },
	{ "rendezvous", MESSAGE_MAX },
};

#define PATHS	TOOL_COUNT(paths)

static const char *const methods[EXCHANGE_METHODS] = {
	[EXCHANGE_TRAVELLING] = "travelling",
	[EXCHANGE_CONVENTIONAL] = "conventional",
};

static const char *const routines[ROUTINES] = {
	[ROUTINE_PROBE] = "Probe", [ROUTINE_SEND] = "Send", [ROUTINE_RECV] = "Recv",
};

/* of a call */
static struct exchange_counts counts[PATHS][EXCHANGE_METHODS][ROUTINES];
static bool measured;

static const struct exchange_counts *counts_of(size_t path, unsigned int method,
					       unsigned int routine)
{
	return &counts[path][method][routine];
}

static double calls_of(enum exchange_routine routine)
{
	return routine == ROUTINE_PROBE ? 2 * (MESSAGES - POSTED) : EXCHANGE_MESSAGES;
}

static int count(size_t path, unsigned int method, enum exchange_routine routine)
{
	const struct exchange_case c = {
		.method = (enum exchange_method)method,
		.bytes = paths[path].bytes,
		.posted = POSTED,
		.eager = EXCHANGE_EAGER,
		.routine = routine,
	};
	struct exchange_counts *to = &counts[path][method][routine];
	int ret = exchange_count(&c, to);

	for (unsigned int s = 0; s < MESSAGE_SORTS; s++) {
		to->instructions[s] /= calls_of(routine);
		to->references[s] /= calls_of(routine);
	}
	return ret;
}

static int count_all(void)
{
	int ret = TOOL_OK;

	for (size_t path = 0; path < PATHS; path++)
		for (unsigned int m = 0; m < EXCHANGE_METHODS; m++)
			for (unsigned int r = ROUTINE_PROBE; r < ROUTINES && !ret; r++)
				ret = perf_interrupted() ?
					      tool_error("interrupted") :
					      count(path, m, (enum exchange_routine)r);
	return ret;
}

static double cycles_of(const struct exchange_counts *c, unsigned int sort)
{
	return R03_ISSUE * c->instructions[sort] + R03_CLOSED * c->references[sort];
}

static double overhead(const double of[MESSAGE_SORTS])
{
	double sum = 0;

	for (unsigned int s = 0; s <= MESSAGE_JUGGLING; s++)
		sum += of[s];
	return sum;
}

static void put_text(FILE *out)
{
	fprintf(out, "#\n# overhead of a call, %d %% of receives posted; Send has its traveller, Recv what was\n"
		     "# posted before, and Waitall; instructions counted. R03: juggling is 14 to 60 %% of LAM's\n"
		     "# instructions, 18 to 23 %% of MPICH's, 0 of its PIM's\n# %-12s %-10s %-6s %9s %9s",
		100 * POSTED / MESSAGES, "method", "path", "call", "overhead", "refs");
	for (unsigned int s = 0; s <= MESSAGE_JUGGLING; s++)
		fprintf(out, " %9s", message_sort_names[s]);
	fprintf(out, " %9s %6s\n", "juggling%", "#wrong");
	for (size_t path = 0; path < PATHS; path++) {
		for (unsigned int m = 0; m < EXCHANGE_METHODS; m++) {
			for (unsigned int r = ROUTINE_PROBE; r < ROUTINES; r++) {
				const struct exchange_counts *c = counts_of(path, m, r);
				double all = overhead(c->instructions);

				fprintf(out, "# %-12s %-10s %-6s %9.1f %9.1f", methods[m],
					paths[path].name, routines[r], all,
					overhead(c->references));
				for (unsigned int s = 0; s <= MESSAGE_JUGGLING; s++)
					fprintf(out, " %9.1f", c->instructions[s]);
				fprintf(out, " %9.0f %6" PRIu64 "\n",
					100 * c->instructions[MESSAGE_JUGGLING] / all, c->wrong);
			}
		}
	}
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
	tool_json_add(o, "method", tool_json_string(methods[m]));
	tool_json_add(o, "path", tool_json_string(paths[path].name));
	tool_json_add(o, "routine", tool_json_string(routines[r]));
	tool_json_add(o, "instructions", i);
	tool_json_add(o, "references", refs);
	tool_json_add(o, "wrong", json_object_new_uint64(c->wrong));
	return o;
}

static void put_json(struct perf_report *report)
{
	struct json_object *array = json_object_new_array();

	for (size_t path = 0; path < PATHS; path++)
		for (unsigned int m = 0; m < EXCHANGE_METHODS; m++)
			for (unsigned int r = ROUTINE_PROBE; r < ROUTINES; r++)
				json_object_array_add(array, row_json(path, m, r));
	perf_report_json(report, "routines", array);
}

void routines_measure(struct perf_suite *suite)
{
	struct perf_report *report = &suite->report;

	suite->status = count_all();
	measured = !suite->status;
	if (!measured)
		return;
	for (size_t path = 0; path < PATHS; path++)
		for (unsigned int m = 0; m < EXCHANGE_METHODS; m++)
			for (unsigned int r = ROUTINE_PROBE; r < ROUTINES; r++)
				report->wrong += counts_of(path, m, r)->wrong;
	if (report->format == PERF_TEXT)
		put_text(report->out);
	else if (report->format == PERF_JSON)
		put_json(report);
}

static double instructions_of(const struct exchange_counts *c, unsigned int sort)
{
	return c->instructions[sort];
}

static double references_of(const struct exchange_counts *c, unsigned int sort)
{
	return c->references[sort];
}

static void draw(struct perf_figure *figure,
		 double (*value)(const struct exchange_counts *c, unsigned int sort))
{
	for (size_t path = 0; path < PATHS && measured; path++) {
		for (unsigned int r = ROUTINE_PROBE; r < ROUTINES; r++) {
			for (unsigned int m = 0; m < EXCHANGE_METHODS; m++) {
				char x[32];

				snprintf(x, sizeof(x), "%s %s%s", routines[r], paths[path].name,
					 m ? ", conv." : "");
				for (unsigned int s = 0; s <= MESSAGE_JUGGLING; s++)
					perf_figure_add(figure, x, message_sort_names[s],
							value(counts_of(path, m, r), s), NAN);
			}
		}
	}
}

void routines_draw_instructions(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw(figure, instructions_of);
}

void routines_draw_references(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw(figure, references_of);
}

void routines_draw_cycles(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw(figure, cycles_of);
}

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
#include "tools/perf/suites/messages/copies.h"
#include "tools/perf/suites/messages/counted.h"
#include "tools/perf/suites/messages/eager.h"
#include "tools/perf/suites/messages/exchange.h"
#include "tools/perf/suites/messages/goals.h"
#include "tools/perf/suites/messages/r03.h"
#include "tools/perf/suites/messages/routines.h"
#include "tools/perf/suites/pe/pe_rig.h"
#include "tools/perf/suites/suites.h"
#include "tools/tool.h"

#define SHARES	COUNTED_SHARES	/* 0, 10, ... 100 % */

static const struct {
	const char *name;
	uint32_t bytes;
} sizes[] = {
	{ "eager", 256 },
	{ "rendezvous", MESSAGE_MAX },
};

/* programs of PEs, and behind them who runs on the host */
enum {
	METHOD_RESIDENT = EXCHANGE_METHODS,
	METHOD_MPICH,
	METHOD_OPENMPI,
	METHODS,
};

static const struct {
	const char *name, *series;	/* behind a path, in figures */
	const char *rounds;		/* of tools/perf/rounds */
} methods[METHODS] = {
	[EXCHANGE_TRAVELLING] = { "travelling", "", NULL },
	[EXCHANGE_CONVENTIONAL] = { "conventional", ", conventional", NULL },
	[METHOD_RESIDENT] = { "resident", ", resident", "own" },
	[METHOD_MPICH] = { "mpich", ", MPICH", "mpich" },
	[METHOD_OPENMPI] = { "openmpi", ", Open MPI", "openmpi" },
};

static bool measured[METHODS];

/* of one message: what both PEs do for it */
struct messages_row {
	unsigned int method;
	const char *path;
	uint32_t bytes, posted;		/* percent */
	struct exchange_counts of;
	double instructions, references;	/* of R03's categories */
};

static struct messages_row rows[METHODS][TOOL_COUNT(sizes)][SHARES];

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

static bool on_host(const struct messages_row *row)
{
	return row->method >= EXCHANGE_METHODS;
}

/* of what a round has, to what a message has */
static void fill_row(struct messages_row *row)
{
	struct exchange_counts *c = &row->of;

	for (unsigned int s = 0; s < MESSAGE_SORTS; s++) {
		c->instructions[s] /= EXCHANGE_MESSAGES;
		c->references[s] /= EXCHANGE_MESSAGES;
	}
	c->cycles /= EXCHANGE_MESSAGES;
	row->instructions = overhead(c->instructions);
	row->references = overhead(c->references);
}

static int measure_row(struct messages_row *row)
{
	const struct exchange_case c = {
		.method = (enum exchange_method)row->method,
		.bytes = row->bytes,
		.posted = row->posted * MESSAGES / 100,
		.eager = EXCHANGE_EAGER,
	};
	int ret = exchange_count(&c, &row->of);

	fill_row(row);
	return ret;
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

	tool_json_add(o, "method", tool_json_string(methods[row->method].name));
	tool_json_add(o, "path", tool_json_string(row->path));
	tool_json_add(o, "bytes", json_object_new_uint64(row->bytes));
	tool_json_add(o, "posted_percent", json_object_new_uint64(row->posted));
	perf_report_json_number(o, "overhead_instructions", row->instructions);
	perf_report_json_number(o, "overhead_references", row->references);
	tool_json_add(o, "instructions", sorts_json(row->of.instructions));
	tool_json_add(o, "references", sorts_json(row->of.references));
	perf_report_json_number(o, "cycles_modelled", cycles_of(row, row->of.cycles));
	perf_report_json_number(o, "r03_cycles_open",
				cycles_of(row, r03_cycles(row, R03_OPEN)));
	perf_report_json_number(o, "r03_cycles_closed",
				cycles_of(row, r03_cycles(row, R03_CLOSED)));
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
	if (on_host(row))
		fputs(",,,", out);
	else
		fprintf(out, ",%.2f,%.2f,%.2f", row->of.cycles, r03_cycles(row, R03_OPEN),
			r03_cycles(row, R03_CLOSED));
	fprintf(out, ",%" PRIu64 "\n", row->of.wrong);
}

static void put_text(FILE *out, const struct messages_row *row)
{
	fprintf(out, " %-12s %-10s %6u %7u %9.0f %9.0f", methods[row->method].name, row->path,
		row->bytes, row->posted, row->instructions, row->references);
	put_sorts(out, " %9.0f", row->of.instructions);
	if (on_host(row))
		fprintf(out, " %9s %9s %9s", "-", "-", "-");
	else
		fprintf(out, " %9.0f %9.0f %9.0f", row->of.cycles, r03_cycles(row, R03_OPEN),
			r03_cycles(row, R03_CLOSED));
	fprintf(out, " %6" PRIu64 "\n", row->of.wrong);
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
	/* what a round has none of, and its programs have once, is not told */
	if ((row->of.instructions[MESSAGE_UNSORTED] || row->of.references[MESSAGE_UNSORTED]) &&
	    r->format == PERF_TEXT)
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

static struct messages_row *begin_row(unsigned int method, size_t size, uint32_t share)
{
	struct messages_row *row = &rows[method][size][share];

	*row = (struct messages_row){ .method = method,
				      .path = sizes[size].name,
				      .bytes = sizes[size].bytes,
				      .posted = 10 * share };
	return row;
}

static void measure_shares(struct perf_suite *suite, unsigned int method, size_t size)
{
	for (uint32_t share = 0; share < SHARES && !suite->status; share++) {
		struct messages_row *row = begin_row(method, size, share);

		suite->status = perf_interrupted() ? tool_error("interrupted") :
						     measure_row(row);
		if (!suite->status)
			put_row(suite, row);
	}
}

static void put_counted(struct perf_suite *suite, unsigned int method, counted_rounds counts)
{
	for (size_t size = 0; size < TOOL_COUNT(sizes); size++) {
		for (uint32_t share = 0; share < SHARES; share++) {
			struct messages_row *row = begin_row(method, size, share);

			row->of = counts[size][share];
			fill_row(row);
			put_row(suite, row);
		}
	}
	measured[method] = true;
}

/* whoever runs on the host, if it is asked for */
static void measure_counted(struct perf_suite *suite, unsigned int method)
{
	static counted_rounds counts;
	char why[LAUNCH_WHY];
	bool counted = counted_by(methods[method].rounds, counts, why);

	if (perf_interrupted())
		suite->status = tool_error("interrupted");
	else if (counted)
		put_counted(suite, method, counts);
	else
		perf_report_absent(&suite->report, methods[method].name, why);
}

static void measure_rows(struct perf_suite *suite)
{
	for (unsigned int m = 0; m < METHODS && !suite->status; m++) {
		if (methods[m].rounds) {
			if (goals_ask(suite, methods[m].rounds))
				measure_counted(suite, m);
			continue;
		}
		for (size_t i = 0; i < TOOL_COUNT(sizes); i++)
			measure_shares(suite, m, i);
		measured[m] = !suite->status;
	}
}

/* the most of what resident kernels take by what the lower MPI library takes, over all shares */
static double worst_ratio(size_t size, double (*value)(const struct messages_row *row))
{
	double worst = NAN;

	for (unsigned int share = 0; share < SHARES; share++) {
		double lower = INFINITY, ratio;

		for (unsigned int m = METHOD_MPICH; m < METHODS; m++) {
			if (measured[m])
				lower = fmin(lower, value(&rows[m][size][share]));
		}
		ratio = value(&rows[METHOD_RESIDENT][size][share]) / lower;
		if (measured[METHOD_RESIDENT] && isfinite(lower))
			worst = fmax(worst, ratio);
	}
	return worst;
}

/* of each of the first methods, by its name behind the path's and `more` */
static void draw(struct perf_figure *figure, unsigned int nr_methods, size_t size,
		 const char *more, double (*value)(const struct messages_row *row))
{
	for (unsigned int m = 0; m < nr_methods; m++) {
		char series[64];

		if (!measured[m])
			continue;
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

static void draw_paths(struct perf_figure *figure, unsigned int nr_methods,
		       double (*value)(const struct messages_row *row))
{
	for (size_t i = 0; i < TOOL_COUNT(sizes); i++)
		draw(figure, nr_methods, i, "", value);
}

static void draw_instructions(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_paths(figure, METHODS, instructions_of);
}

static void draw_references(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_paths(figure, METHODS, references_of);
}

static void draw_r03(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	for (size_t i = 0; i < TOOL_COUNT(sizes); i++) {
		draw(figure, EXCHANGE_METHODS, i, ", pages open", open_of);
		draw(figure, EXCHANGE_METHODS, i, ", closed", closed_of);
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
			for (unsigned int m = 0; m < METHODS; m++)
				if (measured[m])
					draw_sorts_of(figure, &rows[m][i][share]);
}

static void draw_copying(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_paths(figure, EXCHANGE_METHODS, copying_of);
}

/* the mean over all shares of the travelling engine's cycles by the conventional one's */
static double mean_cycles(size_t size, double reference)
{
	double sum = 0;

	for (unsigned int share = 0; share < SHARES; share++)
		sum += r03_cycles(&rows[EXCHANGE_TRAVELLING][size][share], reference) /
		       r03_cycles(&rows[EXCHANGE_CONVENTIONAL][size][share], reference);
	return sum / SHARES;
}

/* Whom its PIM is compared with, R03 has traced on another machine: on none are both. */
static void draw_averages(struct perf_suite *suite, struct perf_figure *figure)
{
	static const double mpich[] = { 0.55, 0.58 }, lam[] = { 0.74, 0.30 };

	(void)suite;
	for (size_t i = 0; i < TOOL_COUNT(sizes); i++) {
		const struct {
			const char *name;
			double open, closed, paper;
		} by[] = {
			{ "conventional", mean_cycles(i, R03_OPEN), mean_cycles(i, R03_CLOSED), NAN },
			{ "MPICH 1.2.5", NAN, NAN, mpich[i] },
			{ "LAM 6.5.9", NAN, NAN, lam[i] },
		};

		for (size_t b = 0; b < TOOL_COUNT(by); b++) {
			char x[32];

			snprintf(x, sizeof(x), "%s, %s", sizes[i].name, by[b].name);
			perf_figure_add(figure, x, "pages open", by[b].open, NAN);
			perf_figure_add(figure, x, "pages closed", by[b].closed, by[b].paper);
		}
	}
}

/*
 * An eager message is copied into its parcel and out of it, and into the pool between if it is
 * unexpected; another one twice.
 */
static double with_copies(const struct messages_row *row, double (*copy)(double bytes))
{
	double unexpected = row->bytes < EXCHANGE_EAGER ? 1 - row->posted / 100.0 : 0;

	return r03_cycles(row, R03_OPEN) + (2 + unexpected) * copy(row->bytes);
}

static void draw_improved(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	for (unsigned int share = 0; share < SHARES; share++) {
		for (size_t i = 0; i < TOOL_COUNT(sizes); i++) {
			const struct messages_row *row = &rows[EXCHANGE_TRAVELLING][i][share];
			char x[8], series[32];

			snprintf(x, sizeof(x), "%u", 10 * share);
			snprintf(series, sizeof(series), "%s, by word", sizes[i].name);
			perf_figure_add(figure, x, series, with_copies(row, copies_by_word), NAN);
			snprintf(series, sizeof(series), "%s, by row", sizes[i].name);
			perf_figure_add(figure, x, series, with_copies(row, copies_by_row), NAN);
		}
	}
}

static const struct perf_drawing drawings[] = {
	{ "R03-6ab", "overhead instructions of a message", "receives posted, %",
	  "instructions of a DPU or of the host, counted", NULL, PERF_BARS, draw_instructions },
	{ "R03-6cd", "memory references of a message", "receives posted, %",
	  "loads and stores, counted", NULL, PERF_BARS, draw_references },
	{ "R03-7ab", "cycles of a message's overhead", "receives posted, %",
	  "cycles of R03's PIM, modelled", NULL, PERF_BARS, draw_r03 },
	{ "R03-7", "cycles of overhead by another's, mean of all shares", "path, and whose",
	  "ratio of modelled cycles", NULL, PERF_RATIO, draw_averages },
	{ "R03-8", "what overhead is for", "receives posted",
	  "instructions of a DPU or of the host, counted", NULL, PERF_STACKED, draw_sorts },
	{ "R03-8-cycles", "the same by routine, half of the receives posted", "call",
	  "cycles of R03's PIM, pages closed, modelled", NULL, PERF_STACKED, routines_draw_cycles },
	{ "R03-8-instructions", "the same by routine, half of the receives posted", "call",
	  "instructions of a DPU, counted", NULL, PERF_STACKED, routines_draw_instructions },
	{ "R03-8-references", "the same by routine, half of the receives posted", "call",
	  "loads and stores, counted", NULL, PERF_STACKED, routines_draw_references },
	{ "R03-9", "cycles of a message, copies included", "receives posted, %",
	  "cycles of a DPU, modelled", NULL, PERF_BARS, draw_copying },
	{ "R03-9abc", "the same on R03's PIM, memcpy and improved memcpy", "receives posted, %",
	  "cycles of R03's PIM, pages open, modelled", NULL, PERF_BARS, draw_improved },
	{ "R03-9-copy", "a copy of 80 KiB", "threads", "cycles of a DPU, modelled", NULL, PERF_BARS,
	  copies_draw_dpu },
	{ "R03-9-copy-PIM", "a copy of 80 KiB", "threads", "cycles of R03's PIM, modelled", NULL,
	  PERF_BARS, copies_draw_r03 },
	{ "R03-9d", "instructions a cycle of a copy (the paper: of its G4's memcpy)", "bytes",
	  "of a DPU, counted by modelled", NULL, PERF_BARS, copies_draw_rate },
	{ "switch-instructions", "around the eager switch: overhead of a message", "bytes",
	  "instructions of a DPU, counted", NULL, PERF_BARS, eager_draw_instructions },
	{ "switch-cycles", "around the eager switch: a message, copies included", "bytes",
	  "cycles of a DPU, modelled", NULL, PERF_BARS, eager_draw_cycles },
	{ "switch-ns", "around the eager switch: one way between resident kernels", "bytes",
	  "ns, measured", NULL, PERF_BARS, eager_draw_times },
};

/* overhead by the papers' measure, then times */
static void print_goals(struct perf_suite *suite)
{
	static const double goals[] = { 0.40, 0.30 };
	static struct perf_targets t;

	t = (struct perf_targets){ .suite = suite };
	for (size_t i = 0; i < TOOL_COUNT(sizes); i++) {
		perf_target_add(&t, goals[i], worst_ratio(i, instructions_of),
				"%s: instructions over the lower MPI, worst share", sizes[i].name);
		perf_target_at_most(&t);
		perf_target_add(&t, goals[i], worst_ratio(i, references_of),
				"%s: references over the lower MPI, worst share", sizes[i].name);
		perf_target_at_most(&t);
	}
	goals_timed(suite, &t);
	if (!suite->status)
		perf_targets_print(&t);
}

/* tables of their own, whose columns are not those of CSV, and figures of them */
static void measure_more(struct perf_suite *suite)
{
	static void (*const parts[])(struct perf_suite *suite) = {
		routines_measure, copies_measure, eager_measure,
	};
	struct perf_report *r = &suite->report;

	if (r->format == PERF_CSV && !suite->args->plot)
		return;
	for (size_t i = 0; i < TOOL_COUNT(parts) && !suite->status; i++)
		parts[i](suite);
	if (suite->status)
		return;
	if (r->format == PERF_TEXT)
		fputs("#\n", r->out);
	perf_report_absent(r, "R03's figures 7 c-d, instructions a cycle of MPI",
			   "callgrind counts no cycles, and those of a DPU are modelled, an instruction of a tasklet every 11");
}

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
	measure_more(suite);
	if (!suite->status)
		perf_suite_draw(suite, drawings, TOOL_COUNT(drawings));
	if (!suite->status && goals_ask(suite, "own"))
		print_goals(suite);
}

static int check_messages(const struct command *self, struct perf_args *args)
{
	return goals_check(self, args);
}

const struct perf_suite_kind perf_suite_messages = {
	.name = "messages",
	.meaning =
	"what a message between PEs takes by the share of posted receives: instructions, references, cycles",
	.measure = measure_messages,
	.check = check_messages,
	.draws = true,
	.own_scale = true,
};

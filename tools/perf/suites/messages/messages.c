// SPDX-License-Identifier: MIT
/*
 * `--suite messages`: what messages between PEs take, counted, as Rodrigues et al. (CLUSTER
 * 2003, "R03") measure MPI: by the share of receives that are posted before their messages.
 */
#include <math.h>

#include "tools/perf/measure.h"
#include "tools/perf/suites/draw.h"
#include "tools/perf/suites/messages/copies.h"
#include "tools/perf/suites/messages/counted.h"
#include "tools/perf/suites/messages/eager.h"
#include "tools/perf/suites/messages/exchange.h"
#include "tools/perf/suites/messages/figures.h"
#include "tools/perf/suites/messages/goals.h"
#include "tools/perf/suites/messages/routines.h"
#include "tools/perf/suites/messages/rows.h"
#include "tools/perf/suites/messages/sorts/unsorted.h"
#include "tools/perf/suites/pe/pe_rig.h"
#include "tools/perf/suites/suites.h"
#include "tools/tool.h"

static int count_row(struct messages_row *row)
{
	const struct exchange_case c = {
		.method = (enum exchange_method)row->method,
		.bytes = row->bytes,
		.posted = row->posted * MESSAGES / 100,
		.eager = EXCHANGE_EAGER,
	};

	return exchange_count(&c, &row->of);
}

/* It is shown as it comes, but in CSV, whose comments stand at its head: they are of all rows. */
static void finish_row(struct perf_suite *suite, struct messages_row *row)
{
	messages_row_end(row);
	if (suite->report.format != PERF_CSV)
		messages_row_put(suite, row);
}

static void measure_shares(struct perf_suite *suite, unsigned int method, unsigned int path)
{
	for (unsigned int share = 0; share < MESSAGE_SHARES && !suite->status; share++) {
		struct messages_row *row = messages_row_begin(method, path, share);

		suite->status = perf_interrupted() ? tool_error("interrupted") : count_row(row);
		if (!suite->status)
			finish_row(suite, row);
	}
}

static void take_counted(struct perf_suite *suite, unsigned int method,
			 const struct counted *counts)
{
	for (unsigned int path = 0; path < MESSAGE_PATHS; path++) {
		for (unsigned int share = 0; share < MESSAGE_SHARES; share++) {
			struct messages_row *row = messages_row_begin(method, path, share);

			row->of = counts->rounds[path][share];
			finish_row(suite, row);
		}
	}
	routines_take(method, counts);
}

static void tell_absent(struct perf_report *r, const char *what, const char *why)
{
	if (r->format == PERF_CSV)	/* whose head this is */
		fprintf(r->out, "# %s: not measured: %s\n", what, why);
	else
		perf_report_absent(r, what, why);
}

/* whoever runs on the host, if it is asked for */
static void measure_counted(struct perf_suite *suite, unsigned int method)
{
	static struct counted counts;
	char why[LAUNCH_WHY];
	bool counted = counted_by(method, &counts, why);

	if (perf_interrupted())
		suite->status = tool_error("interrupted");
	else if (counted)
		take_counted(suite, method, &counts);
	else
		tell_absent(&suite->report, exchange_methods[method].name, why);
}

static void measure_rows(struct perf_suite *suite)
{
	for (unsigned int m = 0; m < METHODS && !suite->status; m++) {
		if (!exchange_methods[m].rounds) {
			for (unsigned int path = 0; path < MESSAGE_PATHS; path++)
				measure_shares(suite, m, path);
		} else if (goals_ask(suite, exchange_methods[m].rounds)) {
			measure_counted(suite, m);
		}
	}
}

/* CSV: when all is known that its head tells */
static void put_csv(struct perf_suite *suite)
{
	unsorted_report(&suite->report);
	messages_rows_head(suite);
	for (unsigned int m = 0; m < METHODS; m++)
		for (unsigned int path = 0; path < MESSAGE_PATHS && messages_measured(m); path++)
			for (unsigned int share = 0; share < MESSAGE_SHARES; share++)
				messages_row_put(suite, messages_row_of(m, path, share));
}

static void measure_table(struct perf_suite *suite)
{
	bool csv = suite->report.format == PERF_CSV;

	unsorted_forget();
	messages_rows_forget();
	routines_forget();
	if (!csv)
		messages_rows_head(suite);
	measure_rows(suite);
	if (csv && !suite->status)
		put_csv(suite);
}

/*
 * The most of what resident kernels take by what the lower MPI library takes, over all shares.
 * What has no sort may be overhead or not: of ours it is, of the library's it is not.
 */
static double worst_ratio(unsigned int path, const double *(*sorts)(const struct messages_row *row))
{
	double worst = NAN;

	for (unsigned int share = 0; share < MESSAGE_SHARES; share++) {
		const struct messages_row *own = messages_row_of(METHOD_RESIDENT, path, share);
		double lower = INFINITY;

		for (unsigned int m = METHOD_MPICH; m < METHODS; m++) {
			if (messages_measured(m))
				lower = fmin(lower, messages_overhead(
						sorts(messages_row_of(m, path, share))));
		}
		if (own && isfinite(lower))
			worst = fmax(worst, (messages_overhead(sorts(own)) +
					     sorts(own)[MESSAGE_UNSORTED]) / lower);
	}
	return worst;
}

/* overhead by the papers' measure, then times */
static void print_goals(struct perf_suite *suite)
{
	static const double goals[] = { 0.40, 0.30 };
	static struct perf_targets t;

	t = (struct perf_targets){ .suite = suite };
	for (unsigned int i = 0; i < MESSAGE_PATHS; i++) {
		perf_target_add(&t, goals[i], worst_ratio(i, messages_instructions),
				"%s: instructions over the lower MPI, worst share", messages_paths[i].name);
		perf_target_at_most(&t);
		perf_target_add(&t, goals[i], worst_ratio(i, messages_references),
				"%s: references over the lower MPI, worst share", messages_paths[i].name);
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

	if (suite->status || (r->format == PERF_CSV && !suite->args->plot))
		return;
	for (size_t i = 0; i < TOOL_COUNT(parts) && !suite->status; i++)
		parts[i](suite);
	if (suite->status)
		return;
	if (r->format != PERF_CSV)
		unsorted_report(r);
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
	measure_table(suite);
	measure_more(suite);
	if (!suite->status)
		messages_figures_draw(suite);
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

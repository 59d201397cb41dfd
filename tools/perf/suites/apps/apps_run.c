// SPDX-License-Identifier: MIT
/*
 * Runs of an application in this process: its input is read and its system opened once,
 * then algorithms take turns, repetition by repetition. Every run is checked.
 */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/app.h"
#include "tools/apps/common/app_options.h"
#include "tools/perf/measure.h"
#include "tools/perf/suites/apps/apps_cpu.h"
#include "tools/perf/suites/apps/apps_message.h"
#include "tools/perf/suites/apps/apps_report.h"
#include "tools/perf/suites/apps/apps_run.h"
#include "tools/perf/suites/apps/apps_split.h"
#include "tools/tool.h"

#define MAX_WORDS 16

/* what a repetition took, by what is a median of its own */
enum apps_part {
	APPS_SUM = APPS_COLLECTIVES,	/* of collectives */
	APPS_MODULATION,
	APPS_DOMAIN,
	APPS_TRANSFERS,
	APPS_EMULATION,
	APPS_PARTS,
};

/* times of an algorithm, by part and repetition */
struct apps_samples {
	double *ns[APPS_PARTS];
};

/* The words of a line, as a shell would hand them over; `text` is taken apart. */
static int read_line(struct app_context *ctx, char *text)
{
	char *words[MAX_WORDS + 1];
	int count = 0;

	for (char *word; count < MAX_WORDS && (word = strsep(&text, " "));)
		words[count++] = word;
	words[count] = NULL;
	/* getopt_long() is to begin anew */
	optind = 0;
	return app_read_options(ctx, count, words);
}

/* Whether the plan fits: if not, why, and no message. */
static bool apps_fits(struct app_context *ctx, struct apps_result *result)
{
	struct apps_message message;
	int ret;

	apps_message_catch(&message);
	ctx->plan_only = true;
	ret = app_open(ctx);
	ctx->plan_only = false;
	apps_message_take(&message, result->left_out, sizeof(result->left_out));
	return !ret;
}

static unsigned int collective_number(const char *name)
{
	unsigned int i = 0;

	while (i < APPS_COLLECTIVES && strcmp(apps_collective_name(i), name))
		i++;
	return i;
}

/* What is the same in each repetition. */
static void take_model(const struct app_report *report, struct apps_times *times)
{
	times->reordering = times->programs = 0;
	for (unsigned int i = 0; i < report->nr_rows[APP_RUN]; i++) {
		const struct pimdimm_report_row *row = &report->rows[APP_RUN][i];
		double ns = row->uncounted ? NAN : (double)row->pe_ns;

		*(row->kind == PIMDIMM_REPORT_COLLECTIVE ? &times->reordering :
							   &times->programs) += ns;
	}
}

static void take_sample(const struct app_report *report, const struct apps_split *split,
			struct apps_samples *samples, unsigned int at)
{
	for (unsigned int part = 0; part < APPS_PARTS; part++)
		samples->ns[part][at] = 0;
	for (unsigned int i = 0; i < report->nr_rows[APP_RUN]; i++) {
		const struct pimdimm_report_row *row = &report->rows[APP_RUN][i];
		double ns = (double)row->host_ns;

		samples->ns[APPS_EMULATION][at] += (double)row->emulation_ns;
		if (row->kind != PIMDIMM_REPORT_COLLECTIVE) {
			samples->ns[APPS_TRANSFERS][at] += ns;
			continue;
		}
		samples->ns[APPS_SUM][at] += ns;
		samples->ns[collective_number(row->name)][at] += ns;
	}
	samples->ns[APPS_MODULATION][at] = split->modulation;
	samples->ns[APPS_DOMAIN][at] = apps_split_domain(split, samples->ns[APPS_SUM][at] -
								split->modulation);
}

/* Every algorithm once; at < 0: a warm-up, in no time. */
static int apps_turn(struct perf_suite *suite, struct app_context *ctx,
		     struct apps_result *result, struct apps_samples *samples, int at)
{
	static struct apps_split split;

	for (unsigned int a = 0; a < APPS_ALGORITHMS; a++) {
		struct apps_times *times = &result->times[a];

		if (!result->by[a])
			continue;
		apps_report_progress(suite, result, (enum apps_algorithm)a);
		apps_split_begin(&split, ctx);
		if (app_use_algorithm(ctx, apps_algorithm_name((enum apps_algorithm)a)) ||
		    app_execute(ctx))
			return TOOL_FAILED;
		times->wrong += ctx->wrong;
		snprintf(times->verdict, sizeof(times->verdict), "%s", ctx->verdict);
		if (at >= 0)
			take_sample(&ctx->report, &split, &samples[a],
				    (unsigned int)at);
		take_model(&ctx->report, times);
		if (perf_interrupted())
			return tool_error("interrupted");
	}
	return TOOL_OK;
}

static void take_medians(struct apps_times *times, struct apps_samples *samples,
			 unsigned int count)
{
	double median[APPS_PARTS];

	for (unsigned int part = 0; part < APPS_PARTS; part++) {
		perf_sort_times(samples->ns[part], count);
		median[part] = perf_median(samples->ns[part], count);
	}
	memcpy(times->collective, median, sizeof(times->collective));
	times->collectives = median[APPS_SUM];
	times->modulation = median[APPS_MODULATION];
	times->domain = median[APPS_DOMAIN];
	times->transfers = median[APPS_TRANSFERS];
	times->emulation = median[APPS_EMULATION];
}

static int apps_repeat(struct perf_suite *suite, struct app_context *ctx,
		       struct apps_result *result)
{
	unsigned int count = suite->how.iters;
	double *all = calloc((size_t)count * APPS_PARTS * APPS_ALGORITHMS, sizeof(*all));
	struct apps_samples samples[APPS_ALGORITHMS];
	int ret = TOOL_OK;

	if (!all)
		return tool_error("no memory for times");
	for (unsigned int a = 0; a < APPS_ALGORITHMS; a++) {
		for (unsigned int part = 0; part < APPS_PARTS; part++)
			samples[a].ns[part] = all + (a * APPS_PARTS + part) * count;
	}
	/* what was never touched is not measured */
	for (int at = suite->how.warmup ? -1 : 0; !ret && at < (int)count; at++)
		ret = apps_turn(suite, ctx, result, samples, at);
	for (unsigned int a = 0; !ret && a < APPS_ALGORITHMS; a++) {
		if (result->by[a])
			take_medians(&result->times[a], &samples[a], count);
	}
	free(all);
	return ret;
}

static int apps_run_all(struct perf_suite *suite, struct app_context *ctx,
			struct apps_result *result)
{
	char text[sizeof(result->line)];
	int ret;

	memcpy(text, result->line, sizeof(text));
	ret = read_line(ctx, text);
	if (ret)
		return ret;
	/* both keep what they stage until the last repetition */
	ctx->stagers = result->by[APPS_CONVENTIONAL] + result->by[APPS_BY_SDK];
	/* the suite's systems are those that fit */
	ret = app_load(ctx);
	if (ret || !apps_fits(ctx, result))
		return ret;
	ret = app_open(ctx);
	if (ret)
		return ret;
	apps_report_header(suite, ctx->sys);
	ret = apps_repeat(suite, ctx, result);
	if (!ret && result->with_cpu)
		ret = apps_cpu_run(suite, ctx, result);
	result->measured = !ret;
	return ret;
}

int apps_run(struct perf_suite *suite, const struct app *app,
	     struct apps_result *result)
{
	static struct app_context ctx;
	int ret = app_begin(&ctx, app);

	if (!ret)
		ret = apps_run_all(suite, &ctx, result);
	app_end(&ctx);
	return ret ? TOOL_FAILED : TOOL_OK;
}

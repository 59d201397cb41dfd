// SPDX-License-Identifier: MIT
/*
 * `--suite apps`: the figures on applications of Noh et al., "PID-Comm", ISCA 2024, and
 * what is aimed at. Host times are measured here and PEs' modelled, on inputs that are
 * not the paper's: ratios compare, times do not.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/sdk/sdk.h"
#include "tools/perf/suites/apps/apps_report.h"
#include "tools/perf/suites/apps/apps_run.h"
#include "tools/perf/suites/draw.h"
#include "tools/perf/suites/suites.h"
#include "tools/perf/suites/targets_table.h"
#include "tools/tool.h"

#define LEAST_PES	32
/* 32 to 1,024 */
#define MOST_SIZES	6
#define REPETITIONS	3

/* What was measured: figures share it. By program, numbers of PEs from the most down. */
static struct apps_result measured[APPS_PROGRAMS][MOST_SIZES];
static struct apps_result wider[APPS_PROGRAMS][APPS_WIDTHS];

static struct apps_scale scale_of(const struct perf_suite *suite)
{
	return (struct apps_scale){
		.bytes = suite->args->begin,
		.pes = perf_nr_pes(&suite->args->shapes[0]),
	};
}

/* A program by these algorithms, measured now unless it was; NULL: it cannot be. */
static const struct apps_result *measure_program(struct perf_suite *suite,
						 enum apps_program program,
						 uint32_t pes, enum apps_width width,
						 unsigned int algorithms,
						 struct apps_result *result)
{
	struct apps_scale scale = scale_of(suite);

	if (!result->measured && !*result->left_out && !suite->status) {
		result->pes = pes;
		for (unsigned int a = 0; a < APPS_ALGORITHMS; a++)
			result->by[a] = algorithms >> a & 1;
		apps_program_line(program, &scale, pes, width, result->line,
				  sizeof(result->line));
		suite->status = apps_run(suite, apps_program_app(program), result);
		if (!suite->status)
			apps_report_rows(suite, program, result);
	}
	return result->measured ? result : NULL;
}

/* those of -a, all where it is not given, and in any case the two that figures compare */
static unsigned int chosen(const struct perf_args *args)
{
	unsigned int algorithms = 1u << APPS_DIRECT | 1u << APPS_BY_SDK;

	for (unsigned int a = 0; a < APPS_ALGORITHMS; a++) {
		for (unsigned int i = 0; i < args->nr_names; i++) {
			if (!strcmp(args->names[i], "auto") ||
			    !strcmp(args->names[i], apps_algorithm_name(a)))
				algorithms |= 1u << a;
		}
	}
	return algorithms;
}

/* on as many PEs as there are to be, and where that is drawn, on the CPU */
static const struct apps_result *on_all_pes(struct perf_suite *suite,
					    enum apps_program program)
{
	measured[program][0].with_cpu = perf_suite_draws(suite, "21b");
	return measure_program(suite, program, scale_of(suite).pes, APPS_8,
			       chosen(suite->args), &measured[program][0]);
}

/* Of a program by one algorithm, what its composed time is made of. */
static void add_shares(struct perf_figure *figure, const char *program,
		       const char *algorithm, const struct apps_times *times)
{
	double whole = apps_composed(times), share = apps_communication(times) / whole;
	double domain = times->domain / times->collectives * share;
	double modulation = times->modulation / times->collectives * share;
	char x[32];

	snprintf(x, sizeof(x), "%s %s", program, algorithm);
	perf_figure_add(figure, x, "data modulation", modulation, NAN);
	perf_figure_add(figure, x, "host memory access", share - modulation - domain, NAN);
	perf_figure_add(figure, x, "domain transfer", domain, NAN);
	perf_figure_add(figure, x, "other transfers", times->transfers / whole, NAN);
	perf_figure_add(figure, x, "PE programs, modelled", times->programs / whole, NAN);
}

static void figure_4(struct perf_suite *suite, struct perf_figure *figure)
{
	static const enum apps_algorithm shown[] = { APPS_BY_SDK, APPS_CONVENTIONAL };

	for (unsigned int p = 0; p < APPS_PROGRAMS; p++) {
		const struct apps_result *result = on_all_pes(suite, p);

		for (unsigned int i = 0; result && i < TOOL_COUNT(shown); i++) {
			if (result->by[shown[i]])
				add_shares(figure, apps_program_name(p),
					   apps_algorithm_name(shown[i]),
					   &result->times[shown[i]]);
		}
	}
}

/* A program's time by one algorithm, each collective apart, in parts of `whole`. */
static void add_parts(struct perf_figure *figure, const char *program,
		      const char *algorithm, const struct apps_times *times, double whole)
{
	char x[32];

	snprintf(x, sizeof(x), "%s %s", program, algorithm);
	for (unsigned int i = 0; i < APPS_COLLECTIVES; i++)
		perf_figure_add(figure, x, apps_collective_name(i),
				times->collective[i] / whole, NAN);
	perf_figure_add(figure, x, "other transfers", times->transfers / whole, NAN);
	perf_figure_add(figure, x, "PE programs, modelled", times->programs / whole,
			NAN);
}

static void figure_13(struct perf_suite *suite, struct perf_figure *figure)
{
	for (unsigned int p = 0; p < APPS_PROGRAMS; p++) {
		const struct apps_result *result = on_all_pes(suite, p);
		double whole;

		if (!result)
			continue;
		whole = apps_composed(&result->times[APPS_BY_SDK]);
		add_parts(figure, apps_program_name(p), "sdk",
			  &result->times[APPS_BY_SDK], whole);
		add_parts(figure, apps_program_name(p), "direct",
			  &result->times[APPS_DIRECT], whole);
	}
}

/* Gather's and Broadcast's share of an application's time, of which the paper has a bound. */
static void figure_13b(struct perf_suite *suite, struct perf_figure *figure)
{
	static const enum apps_algorithm shown[] = { APPS_BY_SDK, APPS_DIRECT };
	double most[TOOL_COUNT(shown)] = { 0 };

	for (unsigned int p = 0; p < APPS_PROGRAMS; p++) {
		const struct apps_result *result = on_all_pes(suite, p);

		for (unsigned int i = 0; result && i < TOOL_COUNT(shown); i++) {
			const struct apps_times *times = &result->times[shown[i]];
			double share = (times->collective[SDK_GATHER] +
					times->collective[SDK_BROADCAST]) /
				       apps_composed(times);

			most[i] = fmax(most[i], share);
			perf_figure_add(figure, apps_program_name(p),
					apps_algorithm_name(shown[i]), share, NAN);
		}
	}
	for (unsigned int i = 0; i < TOOL_COUNT(shown) && !suite->status; i++)
		perf_figure_add(figure, "at most", apps_algorithm_name(shown[i]),
				most[i], 0.07);
}

/* Ratios of one figure, and what they come to. */
struct ratios {
	double sum, least, most;
	unsigned int count;
};

static void add_ratio(struct ratios *ratios, double ratio)
{
	ratios->sum += log(ratio);
	ratios->least = ratios->count ? fmin(ratios->least, ratio) : ratio;
	ratios->most = ratios->count ? fmax(ratios->most, ratio) : ratio;
	ratios->count++;
}

static double ratios_mean(const struct ratios *ratios)
{
	return ratios->count ? exp(ratios->sum / ratios->count) : NAN;
}

static const enum apps_algorithm opponents[] = { APPS_BY_SDK, APPS_CONVENTIONAL, APPS_PR_IM };

static const char *over_name(enum apps_algorithm opponent)
{
	static const char *const names[APPS_ALGORITHMS] = {
		[APPS_BY_SDK] = "over sdk",
		[APPS_CONVENTIONAL] = "over conventional",
		[APPS_PR_IM] = "over pr+im",
	};

	return names[opponent];
}

/* What the ratios come to, beside the paper's, which are over its baseline. */
static void add_summary(struct perf_figure *figure, const struct ratios *ratios)
{
	static const struct {
		const char *x;
		double paper;
	} rows[] = { { "least", 1.20 }, { "geometric mean", 1.99 }, { "most", 3.99 } };

	for (unsigned int i = 0; i < TOOL_COUNT(rows); i++) {
		for (unsigned int o = 0; o < TOOL_COUNT(opponents); o++) {
			const struct ratios *r = &ratios[o];
			const double ours[] = { r->least, ratios_mean(r), r->most };

			if (!r->count)
				continue;
			perf_figure_add(figure, rows[i].x, over_name(opponents[o]),
					ours[i], o ? NAN : rows[i].paper);
		}
	}
}

static void figure_15(struct perf_suite *suite, struct perf_figure *figure)
{
	struct ratios ratios[TOOL_COUNT(opponents)] = { 0 };

	for (unsigned int p = 0; p < APPS_PROGRAMS; p++) {
		const struct apps_result *result = on_all_pes(suite, p);

		for (unsigned int o = 0; result && o < TOOL_COUNT(opponents); o++) {
			double ratio;

			if (!result->by[opponents[o]])
				continue;
			ratio = apps_composed(&result->times[opponents[o]]) /
				apps_composed(&result->times[APPS_DIRECT]);
			add_ratio(&ratios[o], ratio);
			perf_figure_add(figure, apps_program_name(p),
					over_name(opponents[o]), ratio, NAN);
		}
	}
	if (ratios[0].count)
		add_summary(figure, ratios);
}

static void figure_21(struct perf_suite *suite, struct perf_figure *figure)
{
	uint32_t most = scale_of(suite).pes;
	unsigned int sizes = 1;

	while (most >> sizes >= LEAST_PES && sizes < MOST_SIZES)
		sizes++;
	for (unsigned int p = 0; p < APPS_PROGRAMS; p++) {
		for (unsigned int i = sizes; i-- && !suite->status;) {
			/* the first is of all algorithms, other figures have it */
			const struct apps_result *result = i ?
				measure_program(suite, p, most >> i, APPS_8,
						1u << APPS_DIRECT | 1u << APPS_BY_SDK,
						&measured[p][i]) :
				on_all_pes(suite, p);
			char x[32];

			snprintf(x, sizeof(x), "%s %u", apps_program_name(p), most >> i);
			if (!result)
				continue;
			perf_figure_add(figure, x, "sdk",
					apps_composed(&result->times[APPS_BY_SDK]) / 1e6,
					NAN);
			perf_figure_add(figure, x, "direct",
					apps_composed(&result->times[APPS_DIRECT]) / 1e6,
					NAN);
		}
	}
}

/*
 * The CPU's time by an algorithm's composed one. The paper's numbers are of another
 * machine, and of the sizes that were best there.
 */
static void figure_21b(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct {
		enum apps_algorithm algorithm;
		double mean, mlp;
	} shown[] = { { APPS_BY_SDK, 2.27, 3.18 }, { APPS_DIRECT, 4.07, 7.89 } };
	struct ratios ratios[TOOL_COUNT(shown)] = { 0 };

	for (unsigned int p = 0; p < APPS_PROGRAMS; p++) {
		const struct apps_result *result = on_all_pes(suite, p);
		const struct apps_cpu *cpu = result ? apps_fastest_cpu(result) : NULL;

		for (unsigned int i = 0; cpu && i < TOOL_COUNT(shown); i++) {
			double ratio = cpu->ns /
				       apps_composed(&result->times[shown[i].algorithm]);

			add_ratio(&ratios[i], ratio);
			perf_figure_add(figure, apps_program_name(p),
					apps_algorithm_name(shown[i].algorithm), ratio,
					p == APPS_MLP ? shown[i].mlp : NAN);
		}
	}
	for (unsigned int i = 0; i < TOOL_COUNT(shown) && ratios[i].count; i++)
		perf_figure_add(figure, "geometric mean",
				apps_algorithm_name(shown[i].algorithm),
				ratios_mean(&ratios[i]), shown[i].mean);
}

static void figure_22(struct perf_suite *suite, struct perf_figure *figure)
{
	static const char *const names[APPS_WIDTHS] = { "I8", "I16", "I32" };
	struct ratios ratios[APPS_WIDTHS] = { 0 };
	uint32_t pes = scale_of(suite).pes;

	for (unsigned int p = APPS_RSAR; p <= APPS_ARAG; p++) {
		for (unsigned int w = 0; w < APPS_WIDTHS; w++) {
			const struct apps_result *result = w ?
				measure_program(suite, p, pes, w,
						1u << APPS_DIRECT | 1u << APPS_BY_SDK,
						&wider[p][w]) :
				on_all_pes(suite, p);
			double ratio;

			if (!result)
				continue;
			ratio = apps_composed(&result->times[APPS_BY_SDK]) /
				apps_composed(&result->times[APPS_DIRECT]);
			add_ratio(&ratios[w], ratio);
			perf_figure_add(figure, apps_program_name(p), names[w], ratio,
					NAN);
		}
	}
	for (unsigned int w = 0; w < APPS_WIDTHS && ratios[w].count; w++)
		perf_figure_add(figure, "geometric mean", names[w],
				ratios_mean(&ratios[w]), w ? NAN : 1.64);
}

static const struct perf_drawing figures[] = {
	{ "4", "the baselines' time: collectives' by what it goes to, and the rest",
	  "application, algorithm", "share of composed time", NULL, PERF_STACKED,
	  figure_4 },
	{ "13", "time by collective", "application, algorithm",
	  "composed time, sdk's being 1", NULL, PERF_STACKED, figure_13 },
	{ "13b", "Gather and Broadcast together", "application",
	  "share of composed time", NULL, PERF_BARS, figure_13b },
	{ "15", "composed time of direct against others'", "application",
	  "speed-up of direct", NULL, PERF_RATIO, figure_15 },
	{ "21", "numbers of PEs", "application, PEs", "composed time, ms", NULL, PERF_BARS,
	  figure_21 },
	{ "21b", "composed time against the CPU's fastest: ranks in this machine", "application",
	  "speed-up over the CPU", NULL, PERF_RATIO, figure_21b },
	{ "22", "bits of an element", "application", "speed-up of direct over sdk", NULL,
	  PERF_RATIO, figure_22 },
};

/* What was measured on all PEs, and nothing that was not. */
static void add_targets(struct perf_targets *t, enum apps_algorithm opponent,
			double least, double mean)
{
	struct ratios ratios = { 0 };

	for (unsigned int p = 0; p < APPS_PROGRAMS; p++) {
		const struct apps_result *result = &measured[p][0];
		double ratio = NAN;

		if (result->measured && result->by[opponent]) {
			ratio = result->times[opponent].collectives /
				result->times[APPS_DIRECT].collectives;
			add_ratio(&ratios, ratio);
		}
		perf_target_add(t, least, ratio,
				"%s: host time of collectives, %s by direct",
				apps_program_name(p), apps_algorithm_name(opponent));
	}
	perf_target_add(t, mean,
			ratios.count == APPS_PROGRAMS ? ratios_mean(&ratios) : NAN,
			"geometric mean of the six, %s by direct",
			apps_algorithm_name(opponent));
}

static void measure_apps(struct perf_suite *suite)
{
	static struct perf_targets t;

	if (!suite->args->given_iters)
		suite->how.iters = REPETITIONS;
	/* every run has a system of its own that fits it */
	unsetenv("PIMDIMM_URI");
	memset(measured, 0, sizeof(measured));
	memset(wider, 0, sizeof(wider));
	perf_suite_draw(suite, figures, TOOL_COUNT(figures));
	if (suite->status)
		return;
	t = (struct perf_targets){ .suite = suite };
	add_targets(&t, APPS_CONVENTIONAL, 1.3, 2.0);
	add_targets(&t, APPS_BY_SDK, 1.8, 2.8);
	perf_targets_print(&t);
}

static int check_apps(const struct command *self, struct perf_args *args)
{
	if (strcmp(args->how.layout, "linear"))
		return tool_usage(self, "--suite apps makes systems of layout linear");
	if (perf_nr_pes(&args->shapes[0]) > 1024)
		return tool_usage(self, "--suite apps runs on 64 to 1,024 PEs");
	return perf_suite_check_scale(self, args);
}

const struct perf_suite_kind perf_suite_apps = {
	.name = "apps",
	.meaning =
	"PID-Comm's figures 4, 13, 15, 21, 22 on applications, and whether targets are met; -s and -e set PEs and bytes",
	.measure = measure_apps,
	.check = check_apps,
	.draws = true,
};

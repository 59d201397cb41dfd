// SPDX-License-Identifier: MIT
/*
 * `--suite ablation`: what each of PID-Comm's steps gains, and where the time
 * goes, as figures 16 and 17 of the paper have it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/inside.h"
#include "tools/perf/check.h"
#include "tools/perf/measure.h"
#include "tools/perf/runners/library.h"
#include "tools/perf/suites/ablation.h"
#include "tools/perf/suites/draw.h"
#include "tools/perf/suites/suites.h"
#include "tools/tool.h"

/* The steps in their order, and what the paper gains by each. */
static const struct {
	const char *name;
	double paper;		/* this step alone */
} steps[] = {
	{ "conventional", NAN },
	{ "pr", 1.48 },
	{ "pr+im", 2.03 },
	{ "pr+im+cm", 1.42 },
	{ "direct", NAN },
};

#define NR_STEPS	TOOL_COUNT(steps)

/* those that the paper takes apart; the last step of reductions serves bytes */
static const struct {
	enum pc_collective id;
	enum pidcomm_type type;
	const char *label;
} parts[] = {
	{ PC_ALLTOALL, PIDCOMM_I32, "alltoall" },
	{ PC_REDUCE_SCATTER, PIDCOMM_I32, "reduce_scatter" },
	{ PC_ALLREDUCE, PIDCOMM_I32, "allreduce" },
	{ PC_ALLGATHER, PIDCOMM_I32, "allgather" },
	{ PC_REDUCE_SCATTER, PIDCOMM_I8, "reduce_scatter i8" },
	{ PC_ALLREDUCE, PIDCOMM_I8, "allreduce i8" },
};

/* logarithms of gains by step */
struct gains {
	double sum[NR_STEPS];
	unsigned int count[NR_STEPS];
};

static void ablation_gained(struct gains *gains, size_t step, double gain)
{
	gains->sum[step] += log(gain);
	gains->count[step]++;
}

static double ablation_mean(const struct gains *gains, size_t step)
{
	return exp(gains->sum[step] / gains->count[step]);
}

static struct perf_case part_case(const struct perf_suite *suite, size_t part)
{
	struct perf_case c = perf_suite_case(suite, parts[part].id);

	c.type = parts[part].type;
	return c;
}

/* over the baseline into `all`, over the step before into `own` */
static void add_steps(struct perf_suite *suite, struct perf_figure *figure,
		      size_t part, struct gains *all, struct gains *own)
{
	struct perf_case c = part_case(suite, part);
	struct perf_row rows[NR_STEPS];
	const char *names[NR_STEPS];
	size_t at[NR_STEPS];
	unsigned int n = 0;

	for (size_t s = 0; s < NR_STEPS; s++) {
		if (!perf_serves(&c, steps[s].name))
			continue;
		at[n] = s;
		names[n++] = steps[s].name;
	}
	perf_suite_measure(suite, &c, names, n, rows);
	for (unsigned int i = 0; i < n; i++) {
		double gain = rows[0].median / rows[i].median;

		perf_figure_add(figure, parts[part].label, names[i], gain, NAN);
		ablation_gained(all, at[i], gain);
		if (i)
			ablation_gained(own, at[i], rows[i - 1].median / rows[i].median);
	}
}

/* What figure 16's steps gain over those before them, which figure 16c shows. */
static struct gains own_gains;

void perf_figure_16(struct perf_suite *suite, struct perf_figure *figure)
{
	struct gains all = { 0 };

	own_gains = (struct gains){ 0 };
	for (size_t i = 0; i < TOOL_COUNT(parts); i++)
		add_steps(suite, figure, i, &all, &own_gains);
	for (size_t s = 0; s < NR_STEPS; s++)
		perf_figure_add(figure, "geometric mean", steps[s].name,
				ablation_mean(&all, s), NAN);
}

void perf_figure_16c(struct perf_suite *suite, struct perf_figure *figure)
{
	for (size_t s = 0; s < NR_STEPS && !suite->status; s++) {
		if (!isnan(steps[s].paper))
			perf_figure_add(figure, steps[s].name, "geometric mean",
					ablation_mean(&own_gains, s), steps[s].paper);
	}
}

/* reordering is the PEs', and emulated here; the rest is the host's */
static const struct {
	const char *name;
	enum pc_phase phase;
} phases[] = {
	{ "PEs (emulation)", PC_PHASE_REORDER },
	{ "from MRAM", PC_PHASE_PULL },
	{ "host memory", PC_PHASE_HOST },
	{ "to MRAM", PC_PHASE_PUSH },
	{ "registers", PC_PHASE_REGISTERS },
};

/* A step's time, phase by phase, in nanoseconds. */
struct breakdown {
	bool measured;
	double ns[PC_NR_PHASES];	/* medians */
	double modelled;		/* what PEs would take on hardware */
};

/* What figure 17 has measured by part and step, which figure 16b shows. */
static struct breakdown found[TOOL_COUNT(parts)][NR_STEPS];

static double host_ns(const struct breakdown *b)
{
	double sum = 0;

	for (unsigned int p = 0; p < PC_NR_PHASES; p++)
		sum += p == PC_PHASE_REORDER ? 0 : b->ns[p];
	return sum;
}

static int run_step(struct perf_setup *setup, const char *name)
{
	if (pidcomm_set_algorithm(setup->rig->hc,
				  pc_collective_name(setup->c->id), name) ||
	    perf_run_library(setup, name))
		return tool_error("%s", pimdimm_errmsg());
	return TOOL_OK;
}

/* Where the times of a phase of a step are: as many as iterations. */
static double *times_of(double times[], size_t step, unsigned int phase,
			unsigned int iters)
{
	return times + (step * PC_NR_PHASES + phase) * iters;
}

/* Every step once; iteration 0 is not timed. */
static int ablation_take_turn(struct perf_setup *setup, struct breakdown steps_of[],
			      unsigned int iteration, unsigned int iters, double times[])
{
	const struct pidcomm *hc = setup->rig->hc;

	for (size_t s = 0; s < NR_STEPS; s++) {
		if (!steps_of[s].measured)
			continue;
		if (perf_interrupted() || run_step(setup, steps[s].name))
			return TOOL_FAILED;
		for (unsigned int p = 0; iteration && p < PC_NR_PHASES; p++)
			times_of(times, s, p, iters)[iteration - 1] =
				(double)hc->phase_ns[p];
		steps_of[s].modelled = (double)hc->pe_modelled_ns;
	}
	return TOOL_OK;
}

static int time_steps(struct perf_setup *setup, struct breakdown steps_of[],
		      unsigned int iters, double times[])
{
	for (unsigned int i = 0; i <= iters; i++) {
		if (ablation_take_turn(setup, steps_of, i, iters, times))
			return TOOL_FAILED;
	}
	for (size_t s = 0; s < NR_STEPS; s++) {
		for (unsigned int p = 0; p < PC_NR_PHASES; p++) {
			double *t = times_of(times, s, p, iters);

			perf_sort_times(t, iters);
			steps_of[s].ns[p] = perf_median(t, iters);
		}
	}
	return TOOL_OK;
}

static void measure_steps(struct perf_suite *suite, const struct perf_case *c,
			  struct breakdown steps_of[])
{
	unsigned int iters = suite->how.iters;
	double *times = calloc(NR_STEPS * PC_NR_PHASES * iters, sizeof(*times));
	struct perf_setup setup;

	suite->status = times ? perf_suite_rig(suite, c) :
				tool_error("no memory");
	if (!suite->status)
		suite->status = perf_setup_make(&setup, &suite->rig, c,
						suite->how.seed);
	if (!suite->status) {
		suite->status = perf_fill(&setup);
		if (!suite->status)
			suite->status = time_steps(&setup, steps_of, iters,
						   times);
		perf_setup_free(&setup);
	}
	free(times);
}

/* not measured: beside the stack of what was, not in it */
static const char modelled[] = "PEs (modelled)";

static void show_steps(struct perf_figure *figure, const struct perf_case *c,
		       const struct breakdown *b, const char *step)
{
	char x[32];

	snprintf(x, sizeof(x), "%s%s %s", pc_collective_name(c->id),
		 c->type == PIDCOMM_I8 ? " i8" : "", step);
	perf_figure_add(figure, x, modelled, b->modelled / 1e6, NAN);
	for (size_t p = 0; p < TOOL_COUNT(phases); p++)
		perf_figure_add(figure, x, phases[p].name,
				b->ns[phases[p].phase] / 1e6, NAN);
}

static void figure_17(struct perf_suite *suite, struct perf_figure *figure)
{
	for (size_t i = 0; i < TOOL_COUNT(parts) && !suite->status; i++) {
		struct perf_case c = part_case(suite, i);

		/* bytes for the one step that needs them, and its like */
		for (size_t s = 0; s + 1 < NR_STEPS; s++)
			found[i][s].measured = perf_serves(&c, steps[s].name) &&
				(c.type == PIDCOMM_I32 || s + 3 >= NR_STEPS);
		measure_steps(suite, &c, found[i]);
		for (size_t s = 0; s + 1 < NR_STEPS && !suite->status; s++) {
			if (found[i][s].measured)
				show_steps(figure, &c, &found[i][s],
					   steps[s].name);
		}
	}
}

/* PEs work side by side on hardware, but share this machine's cores here */
static void figure_16b(struct perf_suite *suite, struct perf_figure *figure)
{
	struct gains own = { 0 };

	for (size_t i = 0; i < TOOL_COUNT(parts) && !suite->status; i++) {
		for (size_t s = 1; s + 1 < NR_STEPS; s++) {
			const struct breakdown *b = &found[i][s];
			double gain = NAN;

			if (b->measured && b[-1].measured) {
				gain = host_ns(&b[-1]) / host_ns(b);
				ablation_gained(&own, s, gain);
			}
			perf_figure_add(figure, parts[i].label, steps[s].name,
					gain, NAN);
		}
	}
	for (size_t s = 1; s + 1 < NR_STEPS && !suite->status; s++)
		perf_figure_add(figure, "mean of a step", steps[s].name,
				ablation_mean(&own, s), steps[s].paper);
}

static const struct perf_drawing figures[] = {
	{ "16", "steps of optimisation, PEs emulated", "collective",
	  "speed-up over conventional", NULL, PERF_RATIO, perf_figure_16 },
	{ "16c", "gains of steps of optimisation, PEs emulated", "step",
	  "speed-up over the step before", NULL, PERF_RATIO, perf_figure_16c },
	{ "17", "where the time goes", "collective and steps",
	  "milliseconds", modelled, PERF_STACKED, figure_17 },
	{ "16b", "steps of optimisation, the host's time alone", "collective",
	  "speed-up over the step before", NULL, PERF_RATIO, figure_16b },
};

static void measure_ablation(struct perf_suite *suite)
{
	perf_suite_draw(suite, figures, TOOL_COUNT(figures));
}

const struct perf_suite_kind perf_suite_ablation = {
	.name = "ablation",
	.meaning =
	"its figures 16 and 17: with help of PEs, step by step",
	.measure = measure_ablation,
	.check = perf_suite_check_scale,
	.draws = true,
};

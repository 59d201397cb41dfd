// SPDX-License-Identifier: MIT
/*
 * `--suite ablation`: what each of PID-Comm's steps gains, and where the time
 * goes, as figures 16 and 17 of the paper have it.
 */
#include <math.h>
#include <string.h>

#include "perf_figure.h"
#include "perf_suite.h"
#include "collectives/hypercube.h"

/* in turn, and what the paper gains by all up to each */
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

static void gained(struct gains *gains, size_t step, double gain)
{
	gains->sum[step] += log(gain);
	gains->count[step]++;
}

static double mean(const struct gains *gains, size_t step)
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
		gained(all, at[i], gain);
		if (i)
			gained(own, at[i], rows[i - 1].median / rows[i].median);
	}
}

void perf_figure_16(struct perf_suite *suite, struct perf_figure *figure)
{
	struct gains all = { 0 }, own = { 0 };

	for (size_t i = 0; i < TOOL_COUNT(parts); i++)
		add_steps(suite, figure, i, &all, &own);
	for (size_t s = 0; s < NR_STEPS; s++)
		perf_figure_add(figure, "geometric mean", steps[s].name,
				mean(&all, s), NAN);
	for (size_t s = 0; s < NR_STEPS; s++) {
		if (!isnan(steps[s].paper))
			perf_figure_add(figure, "mean of a step",
					steps[s].name, mean(&own, s),
					steps[s].paper);
	}
}

static const struct {
	const char *name;
	enum pc_phase phase;
} phases[] = {
	{ "PE reordering", PC_PHASE_REORDER },
	{ "from MRAM", PC_PHASE_PULL },
	{ "host memory", PC_PHASE_HOST },
	{ "to MRAM", PC_PHASE_PUSH },
	{ "registers", PC_PHASE_REGISTERS },
};

/* mean times of the phases of calls that are already warm */
static int time_phases(struct perf_setup *setup, unsigned int iters,
		       const char *name, double ns[PC_NR_PHASES])
{
	struct pidcomm *hc = setup->rig->hc;

	memset(ns, 0, PC_NR_PHASES * sizeof(*ns));
	if (pidcomm_set_algorithm(hc, pc_collective_name(setup->c->id), name))
		return tool_error("%s", pimdimm_errmsg());
	for (unsigned int i = 0; i < iters; i++) {
		if (perf_run_library(setup, name))
			return tool_error("%s", pimdimm_errmsg());
		for (unsigned int p = 0; p < PC_NR_PHASES; p++)
			ns[p] += (double)hc->phase_ns[p] / iters;
	}
	return TOOL_OK;
}

/* Returns the host's own time, or 0 after a failure. */
static double break_down(struct perf_suite *suite, struct perf_figure *figure,
			 const struct perf_case *c, const char *name)
{
	double ns[PC_NR_PHASES] = { 0 };
	struct perf_setup setup;
	struct perf_row row;
	double host = 0;
	char x[32];

	perf_suite_measure(suite, c, &name, 1, &row);
	if (suite->status)
		return 0;
	suite->status = perf_setup_make(&setup, &suite->rig, c,
					suite->how.seed);
	if (suite->status)
		return 0;
	suite->status = time_phases(&setup, suite->how.iters, name, ns);
	perf_setup_free(&setup);
	snprintf(x, sizeof(x), "%s%s %s", pc_collective_name(c->id),
		 c->type == PIDCOMM_I8 ? " i8" : "", name);
	for (size_t p = 0; p < TOOL_COUNT(phases); p++)
		perf_figure_add(figure, x, phases[p].name,
				ns[phases[p].phase] / 1e6, NAN);
	for (unsigned int p = 0; p < PC_NR_PHASES; p++)
		host += p == PC_PHASE_REORDER ? 0 : ns[p];
	return host;
}

/* of figure 17, for 16b: by part and step; 0 where there is none */
static double host_ns[TOOL_COUNT(parts)][NR_STEPS];

static void figure_17(struct perf_suite *suite, struct perf_figure *figure)
{
	for (size_t i = 0; i < TOOL_COUNT(parts); i++) {
		struct perf_case c = part_case(suite, i);

		/* bytes for the one step that needs them, and its like */
		for (size_t s = 0; s + 1 < NR_STEPS && !suite->status; s++) {
			if (perf_serves(&c, steps[s].name) &&
			    (c.type == PIDCOMM_I32 || s + 3 >= NR_STEPS))
				host_ns[i][s] = break_down(suite, figure, &c,
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
			double gain = host_ns[i][s - 1] / host_ns[i][s];

			if (!(host_ns[i][s - 1] > 0 && host_ns[i][s] > 0))
				gain = NAN;
			else
				gained(&own, s, gain);
			perf_figure_add(figure, parts[i].label, steps[s].name,
					gain, NAN);
		}
	}
	for (size_t s = 1; s + 1 < NR_STEPS && !suite->status; s++)
		perf_figure_add(figure, "mean of a step", steps[s].name,
				mean(&own, s), steps[s].paper);
}

static const struct perf_drawing figures[] = {
	{ "16", "steps of optimisation", "collective",
	  "speed-up over conventional", perf_figure_16 },
	{ "17", "where the time goes", "collective and steps",
	  "milliseconds", figure_17 },
	{ "16b", "steps of optimisation, the host's time alone", "collective",
	  "speed-up over the step before", figure_16b },
};

void perf_suite_ablation(struct perf_suite *suite)
{
	perf_suite_draw(suite, figures, TOOL_COUNT(figures));
}

// SPDX-License-Identifier: MIT
/*
 * Systems side by side that differ in a variable of the environment, which the
 * library reads when it opens one: so they, too, run in turn.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/inside.h"
#include "tools/perf/cases.h"
#include "tools/perf/measure.h"
#include "tools/perf/runners/library.h"
#include "tools/perf/runners/roofline.h"
#include "tools/perf/suites/targets_variants.h"
#include "tools/tool.h"

#define MAX_VARIANTS 3

struct variants {
	const char *variable;
	const char *values[MAX_VARIANTS];
	unsigned int count;
	struct perf_rig rigs[MAX_VARIANTS];
	/* what the last measurement of each value took: direct, and the roofline */
	double direct[MAX_VARIANTS], roofline[MAX_VARIANTS];
};

/* c->bytes become what fits as many systems */
static int open_variants(struct perf_suite *suite, struct variants *v,
			 struct perf_case *c)
{
	uint64_t mram;
	int ret = TOOL_OK;

	perf_suite_release(suite);
	c->bytes = perf_fitting(c, PIMDIMM_MRAM_MAX, v->count);
	mram = perf_mram_bytes(c);
	for (unsigned int i = 0; i < v->count && !ret; i++)
		ret = perf_rig_open_as(&v->rigs[i], &suite->how, c, mram,
				       v->variable, v->values[i]);
	return ret;
}

static void close_variants(struct variants *v)
{
	for (unsigned int i = 0; i < v->count; i++) {
		if (v->rigs[i].sys)
			perf_rig_close(&v->rigs[i]);
	}
}

/* a row a variant: "direct:never" */
static void report_variant(struct perf_suite *suite, const struct variants *v,
			   unsigned int i, const struct perf_runner *runner)
{
	const struct perf_setup *setup = runner->setup;
	char name[64];
	struct perf_row row = {
		.c = setup->c, .algorithm = name, .groups = setup->groups,
		.members = setup->members, .median = runner->median,
		.min = runner->min, .roofline = v->roofline[i],
		.wrong = runner->wrong,
		.tried = runner->tried,
	};

	snprintf(name, sizeof(name), "%s:%s", runner->name, v->values[i]);
	if (!suite->headed)
		perf_report_header(&suite->report, setup->rig, &suite->how);
	suite->headed = true;
	perf_report_row(&suite->report, &row);
}

static int measure_setups(struct perf_suite *suite, struct variants *v,
			  struct perf_setup *setups)
{
	struct perf_runner r[3 * MAX_VARIANTS];
	int ret;

	for (unsigned int i = 0; i < v->count; i++) {
		r[3 * i] = (struct perf_runner){ .setup = &setups[i],
						 .name = "direct",
						 .method = &perf_library };
		perf_roofline_runners(&setups[i], &r[3 * i + 1]);
	}
	ret = perf_measure(r, 3 * v->count, &suite->how);
	for (unsigned int i = 0; i < v->count && !ret; i++) {
		v->direct[i] = r[3 * i].median;
		v->roofline[i] = perf_roofline_ns(&r[3 * i + 1]);
		report_variant(suite, v, i, &r[3 * i]);
	}
	return ret;
}

static int measure_variants(struct perf_suite *suite, struct variants *v,
			    const struct perf_case *c)
{
	struct perf_setup setups[MAX_VARIANTS] = { 0 };
	int ret = TOOL_OK;

	perf_report_progress(&suite->report, c);
	for (unsigned int i = 0; i < v->count && !ret; i++)
		ret = perf_setup_make(&setups[i], &v->rigs[i], c,
				      suite->how.seed);
	if (!ret)
		ret = measure_setups(suite, v, setups);
	for (unsigned int i = 0; i < v->count; i++)
		perf_setup_free(&setups[i]);
	return ret;
}

void perf_targets_threads(struct perf_targets *t)
{
	struct perf_suite *suite = t->suite;

	for (unsigned int id = 0; id <= PC_ALLREDUCE; id++) {
		struct variants v = { .variable = "PIMDIMM_THREADS", .count = 2,
				      .values = { "1", "2" } };
		struct perf_case c = perf_suite_case(suite, id);

		suite->status = open_variants(suite, &v, &c);
		if (!suite->status)
			suite->status = measure_variants(suite, &v, &c);
		close_variants(&v);
		if (suite->status)
			return;
		/* memory may not let two threads be that much faster */
		perf_target_add(t, fmin(1.6, 0.9 * v.roofline[0] /
						     v.roofline[1]),
				v.direct[0] / v.direct[1],
				"%s: one thread by two",
				pc_collective_name(id));
	}
}

static void tiers_of(struct perf_targets *t, enum pc_collective id,
		     enum pd_isa best)
{
	struct variants v = { .variable = "PIMDIMM_ISA", .count = 3,
			      .values = { pd_isa_name(best), "avx2",
					  "portable" } };
	struct perf_suite *suite = t->suite;
	struct perf_case c = perf_suite_case(suite, id);

	suite->status = open_variants(suite, &v, &c);
	if (!suite->status)
		suite->status = measure_variants(suite, &v, &c);
	close_variants(&v);
	perf_target_add(t, 0.6, v.direct[0] / v.direct[1], "%s: %s by avx2",
			pc_collective_name(id), v.values[0]);
	perf_target_add(t, 0.15, v.direct[0] / v.direct[2],
			"%s: %s by portable", pc_collective_name(id),
			v.values[0]);
}

void perf_targets_tiers(struct perf_targets *t)
{
	enum pd_isa best = PD_ISA_AVX512VBMI;

	while (best > PD_ISA_AVX2 && !pd_isa_runs(best))
		best--;
	if (best == PD_ISA_AVX2) {
		perf_target_add(t, 0.6, NAN, "the AVX-512 tier by avx2");
		perf_target_add(t, 0.15, NAN, "the AVX-512 tier by portable");
		return;
	}
	for (unsigned int id = 0; id <= PC_ALLREDUCE && !t->suite->status; id++)
		tiers_of(t, id, best);
}

// SPDX-License-Identifier: MIT
/*
 * Stores through and around the caches, on the same memory: pages of another
 * system may lie elsewhere, which makes as much of a difference.
 */
#include <math.h>
#include <stdio.h>

#include "tools/inside.h"
#include "tools/perf/cases.h"
#include "tools/perf/measure.h"
#include "tools/perf/runners/library.h"
#include "tools/perf/runners/roofline.h"
#include "tools/perf/suites/targets_stores.h"
#include "tools/tool.h"

/* bytes of all PEs of a short call; how much more often such are run, and others */
#define SHORT_BYTES	(UINT64_C(4) << 20)
#define SHORT_TIMES	8
#define LONG_TIMES	3

static int run_with(struct perf_setup *setup, const char *name, enum pd_nt nt)
{
	setup->rig->sys->nt = nt;
	return perf_run_library(setup, name);
}

static int run_auto(struct perf_setup *setup, const char *name)
{
	return run_with(setup, name, PD_NT_AUTO);
}

static int run_always(struct perf_setup *setup, const char *name)
{
	return run_with(setup, name, PD_NT_ALWAYS);
}

static int run_never(struct perf_setup *setup, const char *name)
{
	return run_with(setup, name, PD_NT_NEVER);
}

/* The algorithm that is set, with stores that go through the caches or not. */
static const struct perf_method by_auto = { .run = run_auto };
static const struct perf_method by_always = { .run = run_always };
static const struct perf_method by_never = { .run = run_never };

/* two more runners from ROOFLINE on are the roofline's */
enum { AUTO, ALWAYS, NEVER, ROOFLINE, NR_RUNNERS = ROOFLINE + 2 };

static void report_stores(struct perf_suite *suite, const struct perf_runner *r)
{
	const struct perf_setup *setup = r->setup;

	for (unsigned int i = AUTO; i <= NEVER; i++) {
		struct perf_row row = {
			.c = setup->c, .algorithm = r[i].name,
			.groups = setup->groups, .members = setup->members,
			.median = r[i].median, .min = r[i].min,
			.roofline = perf_roofline_ns(&r[ROOFLINE]),
			.wrong = r[i].wrong, .tried = r[i].tried,
		};

		perf_report_row(&suite->report, &row);
	}
}

/* the better of always and never, by auto */
static int measure_stores(struct perf_suite *suite, const struct perf_case *c,
		   double *share)
{
	struct perf_how how = suite->how;
	struct perf_setup setup;
	struct perf_runner r[NR_RUNNERS] = {
		[AUTO] = { &setup, "direct:auto", .method = &by_auto },
		[ALWAYS] = { &setup, "direct:always", .method = &by_always },
		[NEVER] = { &setup, "direct:never", .method = &by_never },
	};
	int ret;

	perf_report_progress(&suite->report, c);
	ret = perf_setup_make(&setup, &suite->rig, c, suite->how.seed);
	if (ret)
		return ret;
	perf_roofline_runners(&setup, &r[ROOFLINE]);
	/* what caches do to short calls differs from one to the next; of all,
	 * the least of many figures counts */
	how.iters *= PIMDIMM_RANK_PES * c->bytes <= SHORT_BYTES ?
			     SHORT_TIMES : LONG_TIMES;
	ret = perf_measure(r, NR_RUNNERS, &how);
	if (!ret)
		report_stores(suite, r);
	*share = fmin(r[ALWAYS].median, r[NEVER].median) / r[AUTO].median;
	perf_setup_free(&setup);
	return ret;
}

/* 4 KiB to 256 MiB of all PEs */
static void stores_of(struct perf_targets *t, enum pc_collective id)
{
	struct perf_suite *suite = t->suite;
	struct perf_case c = perf_suite_case(suite, id);
	uint64_t most = UINT64_C(256) << 20;
	double worst = INFINITY, share = 0;

	perf_suite_square(&c, PIMDIMM_RANK_PES);
	/* a small run of the suite stays small */
	if (most / PIMDIMM_RANK_PES > suite->args->end)
		most = PIMDIMM_RANK_PES * suite->args->end;
	c.bytes = most / PIMDIMM_RANK_PES;
	c.bytes = perf_fitting(&c, PIMDIMM_MRAM_MAX, 1);
	most = PIMDIMM_RANK_PES * c.bytes;
	suite->status = perf_suite_rig(suite, &c);
	if (!suite->status &&
	    pidcomm_set_algorithm(suite->rig.hc, pc_collective_name(id),
				  "direct"))
		suite->status = tool_error("%s", pimdimm_errmsg());
	for (uint64_t all = 4096; all <= most && !suite->status; all *= 4) {
		c.bytes = all / PIMDIMM_RANK_PES;
		suite->status = measure_stores(suite, &c, &share);
		worst = fmin(worst, share);
	}
	perf_suite_release(suite);
	perf_target_add(t, 0.95, worst,
			"%s: better of always and never by auto stores",
			pc_collective_name(id));
}

void perf_targets_stores(struct perf_targets *t)
{
	static const enum pc_collective ids[] = { PC_ALLTOALL,
						  PC_REDUCE_SCATTER,
						  PC_ALLGATHER };

	for (size_t i = 0; i < TOOL_COUNT(ids) && !t->suite->status; i++)
		stores_of(t, ids[i]);
}

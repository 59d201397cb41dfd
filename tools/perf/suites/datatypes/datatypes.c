// SPDX-License-Identifier: MIT
/*
 * `--suite datatypes`: derived datatypes against what programs do without them, on the kernels
 * of DDTBench, wherever data may lie.
 */
#include <string.h>

#include "tools/perf/measure.h"
#include "tools/perf/suites/datatypes/figures.h"
#include "tools/perf/suites/datatypes/goals.h"
#include "tools/perf/suites/datatypes/grid.h"
#include "tools/perf/suites/datatypes/halo.h"
#include "tools/perf/suites/datatypes/host.h"
#include "tools/perf/suites/datatypes/mram.h"
#include "tools/perf/suites/datatypes/parts.h"
#include "tools/perf/suites/datatypes/peers.h"
#include "tools/perf/suites/datatypes/results.h"
#include "tools/perf/suites/datatypes/rows.h"
#include "tools/perf/suites/draw.h"
#include "tools/perf/suites/suites.h"
#include "tools/tool.h"

/* arrays of more bytes are left out in MRAM, where each PE has two */
#define MOST_MRAM_SPAN	(UINT64_C(5) << 20)

static const struct perf_case few_pes = { .ndims = 3, .dims = { 4, 4, 4 } };

static bool is_asked(const struct perf_suite *suite, const struct ddt_kernel *k)
{
	return k->bytes >= suite->args->begin && k->bytes <= suite->args->end;
}

static bool in_mram(const struct ddt_kernel *k)
{
	return !k->between && k->span <= MOST_MRAM_SPAN;
}

static void measure_kernel(struct perf_suite *suite, struct ddt_peers *peers,
			   const struct ddt_kernel *k, unsigned int at)
{
	if (!is_asked(suite, k))
		return;
	if (!k->between)
		ddt_host(suite, k);
	if (in_mram(k))
		ddt_mram(suite, k);
	ddt_peers_take(suite, peers, k, at);
	ddt_parts_take(suite, peers, k, at);
}

/* A system for all that is asked for. */
static int open_system(struct perf_suite *suite)
{
	const uint32_t pes = perf_nr_pes(&suite->args->shapes[0]);
	const uint64_t grid = ddt_grid_bytes(suite, pes), halo = ddt_halo_bytes(suite, pes);
	uint64_t mram = grid > PIMDIMM_MRAM_MIN ? grid : PIMDIMM_MRAM_MIN;
	struct ddt_kernel *k;

	for (unsigned int at = 0; (k = ddt_kernel_make(at)); at++) {
		if (is_asked(suite, k) && in_mram(k) && ddt_mram_bytes(k) > mram)
			mram = ddt_mram_bytes(k);
		ddt_kernel_free(k);
	}
	if (halo > mram)
		mram = halo;
	suite->rig_case = perf_suite_case(suite, PC_ALLTOALL);
	suite->rig_mram = mram;
	return perf_rig_open(&suite->rig, &suite->how, &suite->rig_case, mram);
}

static void measure_datatypes(struct perf_suite *suite)
{
	struct ddt_peers peers = { .nr = 0 };
	struct ddt_kernel *k;

	suite->report.own_columns = true;
	suite->status = open_system(suite);
	if (suite->status)
		return;
	perf_report_header(&suite->report, &suite->rig, &suite->how);
	perf_suite_note(suite, &suite->rig);
	ddt_peers_start(suite, &peers);
	ddt_results_forget();
	ddt_parts_forget();
	ddt_rows_begin(suite);
	for (unsigned int at = 0; !suite->status && (k = ddt_kernel_make(at)); at++) {
		measure_kernel(suite, &peers, k, at);
		ddt_kernel_free(k);
	}
	ddt_peers_stop(&peers);
	ddt_halo(suite);
	ddt_grid(suite);
	if (!suite->status)
		ddt_figures_draw(suite);
	if (!suite->status)
		ddt_goals_print(suite);
	ddt_results_forget();
}

/* Have as many PEs lie along three axes, the last one of which may be the longest. */
static void make_cube(struct perf_case *c)
{
	uint32_t last = perf_nr_pes(c);

	if (c->ndims == 3)
		return;
	*c = (struct perf_case){ .ndims = 3, .dims = { 1, 1 } };
	for (unsigned int axis = 0; last % 2 == 0 && last > 2 * c->dims[axis]; axis = !axis) {
		c->dims[axis] *= 2;
		last /= 2;
	}
	c->dims[2] = last;
}

static int check_datatypes(const struct command *self, struct perf_args *args)
{
	if (!args->given_shapes)
		args->shapes[0] = few_pes;
	if (args->nr_shapes != 1)
		return tool_usage(self, "--suite datatypes takes one shape, such as 4x4x4");
	make_cube(&args->shapes[0]);
	if (perf_nr_pes(&args->shapes[0]) < 16)
		return tool_usage(self, "--suite datatypes takes 16 PEs at least");
	if (strcmp(args->how.layout, "linear"))
		return tool_usage(self, "--suite datatypes compares with loops over MRAM of layout linear");
	if (!args->given_sizes) {
		args->begin = 8;
		args->end = UINT64_C(4) << 20;
	}
	return TOOL_OK;
}

const struct perf_suite_kind perf_suite_datatypes = {
	.name = "datatypes",
	.meaning = "derived datatypes on DDTBench's kernels against loops without them",
	.measure = measure_datatypes,
	.check = check_datatypes,
	.draws = true,
};

// SPDX-License-Identifier: MIT
/* `--suite truth`: how true the cost model's times are, beside hardware's. */
#include <sys/stat.h>

#include "tools/perf/suites/draw.h"
#include "tools/perf/suites/pe/truth_micro.h"
#include "tools/perf/suites/pe/truth_programs.h"
#include "tools/perf/suites/suites.h"
#include "tools/tool.h"

static void measure_micro(struct perf_suite *suite, struct perf_figure *figure)
{
	static int (*const parts[])(struct pe_rig *rig, struct perf_figure *figure) = {
		truth_measure_arithmetic, truth_measure_streams, truth_measure_mram,
	};
	struct pe_rig rig;

	suite->status = pe_rig_open(&rig, suite, 1, TRUTH_OPERAND);
	if (!suite->status)
		truth_table_begin(suite, &rig);
	for (size_t i = 0; i < TOOL_COUNT(parts) && !suite->status; i++)
		suite->status = parts[i](&rig, figure);
	pe_rig_close(&rig);
}

static void measure_programs(struct perf_suite *suite, struct perf_figure *figure)
{
	suite->status = truth_measure_programs(suite, suite->args->programs, figure);
}

static const struct perf_drawing drawings[] = {
	{ "truth", "microbenchmarks", "figure", "modelled, hardware being 1", NULL,
	  PERF_RATIO, measure_micro },
	{ "truth-programs", "kernel times of PrIM's programs", "program",
	  "modelled, hardware being 1", NULL, PERF_RATIO, measure_programs },
};

static void measure_truth(struct perf_suite *suite)
{
	perf_suite_draw(suite, drawings, TOOL_COUNT(drawings));
	if (!suite->status)
		truth_table_end(suite);
}

static int check_truth(const struct command *self, struct perf_args *args)
{
	struct stat st;

	if (args->programs && (stat(args->programs, &st) || !S_ISDIR(st.st_mode)))
		return tool_usage(self, "--programs %s: no such folder", args->programs);
	return TOOL_OK;
}

const struct perf_suite_kind perf_suite_truth = {
	.name = "truth",
	.meaning =
	"the cost model's time beside hardware's: arithmetic, WRAM, MRAM, and PrIM's programs, which --programs has",
	.measure = measure_truth,
	.check = check_truth,
	.draws = true,
	.own_scale = true,
};

// SPDX-License-Identifier: MIT
/*
 * Runs PE programs that others wrote, which lie in a folder and are no part of this
 * project, as their hosts do, and compares the cost model's time with hardware's.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/perf/suites/pe/truth_prim.h"
#include "tools/perf/suites/pe/truth_programs.h"
#include "tools/perf/suites/pe/truth_times.h"
#include "tools/tool.h"

static int program_failed(void)
{
	return tool_error("%s", pimdimm_errmsg());
}

/* in the order in which the table names them */
static const struct {
	const char *word;
	const struct truth_program *program;
} programs[] = {
	{ "VA", &truth_prim_va }, { "RED", &truth_prim_red }, { "GEMV", &truth_prim_gemv },
	{ "SCAN", &truth_prim_scan }, { "HST", &truth_prim_hst }, { "BS", &truth_prim_bs },
	{ "TRNS", &truth_prim_trns },
};

static const struct truth_time {
	const char *word;
	uint32_t dpus;
	uint64_t size;
	double ms;
} truth_times[] = {
#define TIME(program, dpus, size, ms) { #program, dpus, size, ms },
	TRUTH_TIMES(TIME)
};

static const struct truth_program *find_program(const char *word)
{
	size_t i = 0;

	while (strcmp(word, programs[i].word))
		i++;
	return programs[i].program;
}

/* 0, the file's name in path; ENOENT: there is none, as PrIM's own Makefiles call it */
static int find_image(const char *folder, const char *name, char *path, size_t bytes)
{
	static const char *const files[] = { "dpu_code", "gemv_dpu", "bs_dpu" };

	for (size_t i = 0; i < TOOL_COUNT(files); i++) {
		snprintf(path, bytes, "%s/%s/bin/%s", folder, name, files[i]);
		if (!access(path, R_OK))
			return 0;
		if (errno != ENOENT && errno != ENOTDIR)
			return tool_error("%s: %s", path, strerror(errno));
	}
	return ENOENT;
}

static int open_image(struct truth_run *run, const char *path)
{
	const struct pimdimm_program_info *info;

	if (pimdimm_program_open(path, &run->rig.program))
		return program_failed();
	info = pimdimm_program_info(run->rig.program);
	if (info->nr_tasklets != PE_TASKLETS)
		return tool_error("%s has %u tasklets; the hardware's times are of %d", path,
				  info->nr_tasklets, PE_TASKLETS);
	run->rig.nr_pes = run->dpus;
	return pimdimm_load(run->rig.sys, run->rig.pes, run->dpus, run->rig.program) ?
		       program_failed() : TOOL_OK;
}

static int run_row(struct perf_suite *suite, const struct truth_time *time,
		   const char *path, struct truth_run *run)
{
	const struct truth_program *program = find_program(time->word);
	int ret;

	*run = (struct truth_run){ .dpus = time->dpus, .size = time->size };
	/* a quarter of MRAM for an operand; a log of 1 MiB is the program's own */
	ret = pe_rig_open(&run->rig, suite, run->dpus,
			  (program->mram(run) + (2 << 20)) / 4);
	if (!ret)
		ret = open_image(run, path);
	if (!ret)
		ret = program->run(run);
	pe_rig_close(&run->rig);
	return ret;
}

/* the figure's bar of a program on so many DPUs: the geometric mean of all sizes */
struct truth_bar {
	const struct truth_time *of;
	double sum;
	unsigned int count;
};

static void end_bar(struct truth_bar *bar, struct perf_figure *figure)
{
	char series[32];

	if (!bar->count)
		return;
	snprintf(series, sizeof(series), "%u DPUs", bar->of->dpus);
	perf_figure_add(figure, find_program(bar->of->word)->name, series,
			exp(bar->sum / bar->count), NAN);
	bar->count = 0;
}

/* Rows of a program and a number of DPUs follow one another. */
static void add_to_bar(struct truth_bar *bar, const struct truth_time *time, double ratio,
		       struct perf_figure *figure)
{
	if (bar->count && (strcmp(bar->of->word, time->word) || bar->of->dpus != time->dpus))
		end_bar(bar, figure);
	if (!bar->count)
		bar->sum = 0;
	bar->of = time;
	bar->sum += log(ratio);
	bar->count++;
}

static int measure_row(struct perf_suite *suite, const struct truth_time *time,
		       const char *folder, struct truth_bar *bar,
		       struct perf_figure *figure)
{
	const struct truth_program *program = find_program(time->word);
	char name[48], path[4096];
	struct truth_row row = { TRUTH_PROGRAMS, name, "uPIMulator's measurements", "ms",
				 time->ms, NAN, false, 0 };
	struct truth_run run;
	int ret = folder ? find_image(folder, program->name, path, sizeof(path)) : ENOENT;

	if (ret && ret != ENOENT)
		return TOOL_FAILED;
	snprintf(name, sizeof(name), "%s %" PRIu64 " on %u DPU%s", program->name, time->size,
		 time->dpus, time->dpus == 1 ? "" : "s");
	if (!ret) {
		if (run_row(suite, time, path, &run))
			return TOOL_FAILED;
		row.modelled = run.ms;
		row.wrong = run.wrong;
	}
	truth_table_add(suite, &row, NULL, NULL);
	if (!ret)
		add_to_bar(bar, time, run.ms / time->ms, figure);
	return TOOL_OK;
}

int truth_measure_programs(struct perf_suite *suite, const char *folder,
			   struct perf_figure *figure)
{
	struct truth_bar bar = { 0 };
	int ret = TOOL_OK;

	for (size_t i = 0; i < TOOL_COUNT(truth_times) && !ret; i++)
		ret = measure_row(suite, &truth_times[i], folder, &bar, figure);
	end_bar(&bar, figure);
	return ret;
}

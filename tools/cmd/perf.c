// SPDX-License-Identifier: MIT
/* `pimdimm perf`: times and checks the collectives. */
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/commands.h"
#include "tools/perf/args.h"
#include "tools/perf/suites/suite.h"
#include "tools/perf/words.h"

/* those of the algorithms asked for that serve the case */
static unsigned int serving(const struct perf_args *args,
			    const struct perf_case *c, const char *names[])
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < args->nr_names; i++) {
		if (perf_serves(c, args->names[i]))
			names[n++] = args->names[i];
	}
	return n;
}

/* leave out what none of the algorithms serves; an error if that is all */
static int keep_served(const struct command *self, const struct perf_args *args,
		       struct perf_cases *cases)
{
	const char *names[PERF_MAX_NAMES];
	unsigned int kept = 0;

	for (unsigned int i = 0; i < cases->count; i++) {
		if (serving(args, &cases->list[i], names))
			cases->list[kept++] = cases->list[i];
	}
	cases->count = kept;
	if (kept)
		return TOOL_OK;
	return tool_usage(self, "nothing to measure: algorithm %s serves no collective asked for",
			  args->names[0]);
}

static int run_case(struct perf_rig *rig, const struct perf_args *args,
		    const struct perf_case *c, struct perf_report *report)
{
	const char *names[PERF_MAX_NAMES];
	struct perf_row rows[PERF_MAX_NAMES];
	unsigned int n = serving(args, c, names);

	perf_report_progress(report, c);
	if (perf_measure_case(rig, c, &args->how, names, n, rows))
		return TOOL_FAILED;
	for (unsigned int i = 0; i < n; i++)
		perf_report_row(report, &rows[i]);
	return TOOL_OK;
}

static bool same_shape(const struct perf_case *a, const struct perf_case *b)
{
	return a->ndims == b->ndims && !memcmp(a->dims, b->dims,
					       sizeof(a->dims));
}

/* the cases from `first` on that have its shape; sets how many */
static int run_shape(const struct perf_args *args,
		     const struct perf_cases *cases, unsigned int first,
		     unsigned int *count, struct perf_report *report)
{
	const struct perf_case *list = cases->list + first;
	struct perf_rig rig;
	uint64_t mram = 0;
	int ret;

	for (*count = 0; first + *count < cases->count &&
			 same_shape(list, &list[*count]); ++*count) {
		if (perf_mram_bytes(&list[*count]) > mram)
			mram = perf_mram_bytes(&list[*count]);
	}
	ret = perf_rig_open(&rig, &args->how, list, mram);
	if (ret)
		return ret;
	if (!first)
		perf_report_header(report, &rig, &args->how);
	for (unsigned int i = 0; i < *count && !ret; i++)
		ret = run_case(&rig, args, &list[i], report);
	perf_rig_close(&rig);
	return ret;
}

static int run_cases(const struct command *self, const struct perf_args *args,
		     const struct perf_cases *cases)
{
	struct perf_report report;
	unsigned int at = 0, count;
	int ret = perf_cases_fit(self, args, cases);

	if (ret || perf_report_open(&report, args->format, args->output))
		return TOOL_USAGE;
	report.planned = cases->count;
	for (; at < cases->count && !ret; at += count)
		ret = run_shape(args, cases, at, &count, &report);
	if (!ret)
		return perf_report_close(&report);
	perf_report_drop(&report);
	return ret;
}

static int run_perf(const struct command *self, int argc, char **argv)
{
	static struct perf_args args;
	struct perf_cases cases;
	int ret = perf_args_read(self, argc, argv, &args);

	if (ret)
		return ret;
	perf_interrupts();
	if (args.suite)
		return perf_suite(self, &args);
	if (args.plot)
		return tool_usage(self, "--plot goes with --suite paper or ablation");
	ret = perf_args_cases(self, &args, &cases);
	if (!ret)
		ret = keep_served(self, &args, &cases);
	if (!ret)
		ret = run_cases(self, &args, &cases);
	free(cases.list);
	return ret;
}

const struct command cmd_perf = {
	.name = "perf",
	.summary = "time and check the collectives",
	.run = run_perf,
	.synopsis = "[OPTION]... [COLLECTIVE]...\n"
		    "--suite NAME [OPTION]...",
	.about =
	"Times the collectives, all eight or those named, on random data, checks every\n"
	"element of the results, and compares with what memory allows: the roofline, a\n"
	"plain loop that loads and stores the bytes that the call must, run in turn with\n"
	"it by the same threads on the same memory.\n",
	.notes =
	"Time is the median; algbw is a group's bytes by the time, all groups together;\n"
	"busbw is as nccl-tests defines it: algbw times 2(n-1)/n for allreduce, 1 for\n"
	"reduce and broadcast, (n-1)/n for the others. roof is the roofline's time by\n"
	"the call's, speedup conventional's by the call's.\n"
	"\n"
	"Exit status: 0 done and verified, 1 failed or wrong, 2 wrong usage, sizes that\n"
	"do not fit, files that cannot be written.\n",
	.options = perf_options,
	.operand = { "COLLECTIVE", .word = perf_collective_word },
};

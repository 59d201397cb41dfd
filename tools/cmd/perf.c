// SPDX-License-Identifier: MIT
/* `pimdimm perf`: times and checks the collectives. */
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/commands.h"
#include "tools/hosts/launched.h"
#include "tools/perf/args.h"
#include "tools/perf/cases.h"
#include "tools/perf/measure.h"
#include "tools/perf/runners/buffers.h"
#include "tools/perf/runners/compare.h"
#include "tools/perf/suites/reproduce.h"
#include "tools/perf/suites/suites.h"
#include "tools/perf/versus.h"
#include "tools/tool.h"

#define SUITE_ADDRESS(name) &perf_suite_##name,

static const struct perf_suite_kind *const suites[] = {
	PERF_SUITES(SUITE_ADDRESS)
};

static const char *suite_word(size_t at)
{
	return at < TOOL_COUNT(suites) ? suites[at]->name : NULL;
}

static const char *suite_meaning(size_t at)
{
	return at < TOOL_COUNT(suites) ? suites[at]->meaning : NULL;
}

static int perf_run_suite(const struct command *self, const struct perf_args *args)
{
	for (size_t i = 0; i < TOOL_COUNT(suites); i++) {
		if (!strcmp(args->suite, suites[i]->name))
			return perf_suite_run(suites[i], self, args);
	}
	return tool_unknown(self, "suite", args->suite, suite_word);
}

/* Names those of the algorithms asked for that serve the case. */
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

/* Leaves out what none of the algorithms serves; an error if that is all. */
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

/* Runs the cases from `first` on that have its shape, and sets how many. */
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
	report.latency = args->latency;
	for (; at < cases->count && !ret; at += count)
		ret = run_shape(args, cases, at, &count, &report);
	if (!ret)
		return perf_report_close(&report);
	perf_report_drop(&report);
	return ret;
}

/* Every host runs all cases; the first one writes what comes of it. */
static int run_over_hosts(const struct command *self, struct perf_args *args,
			  const struct perf_cases *cases)
{
	struct tool_team team;
	int ret;

	for (unsigned int i = 0; i < args->nr_names; i++) {
		if (strcmp(args->names[i], "auto") && strcmp(args->names[i], "direct") &&
		    strcmp(args->names[i], "conventional") && strcmp(args->names[i], "staged"))
			return tool_usage(self, "algorithm %s does not serve --hosts: auto, direct, staged and conventional do",
					  args->names[i]);
	}
	ret = tool_team_start(&team, args->hosts);
	args->how.team = &team;
	if (team.host)
		args->output = NULL;
	if (!ret)
		ret = run_cases(self, args, cases);
	return tool_team_end(&team, ret);
}

static int run_perf(const struct command *self, int argc, char **argv)
{
	static struct perf_args args;
	struct perf_cases cases;
	int ret = perf_args_read(self, argc, argv, &args);

	if (ret)
		return ret;
	if (args.compare[0])
		return perf_versus(args.compare[0], args.compare[1], args.format,
				   args.output);
	perf_interrupts();
	if (args.programs && (!args.suite || strcmp(args.suite, "truth")))
		return tool_usage(self, "--programs goes with --suite truth");
	for (unsigned int i = 0; !args.hosts && i < args.nr_names; i++) {
		if (!strcmp(args.names[i], "staged"))
			return tool_usage(self, "algorithm staged goes with --hosts");
	}
	if (args.hosts && launched_hosts() > 1 && args.hosts != launched_hosts())
		return tool_usage(self, "--hosts %u, but the launcher has started %u",
				  args.hosts, launched_hosts());
	if (args.host_buffers)
		return perf_buffers(self, &args);
	if (args.how.mapped && !args.hosts)
		return tool_usage(self, "--mapped goes with --hosts or --host-buffers");
	if (args.reproduce)
		return perf_reproduce(suites, TOOL_COUNT(suites), self, &args);
	if (args.latency && (args.suite || args.nr_names > 1))
		return tool_usage(self, "--osu goes without --suite, and with one algorithm");
	if (args.suite && args.hosts)
		return tool_usage(self, "--hosts goes without --suite");
	if (args.suite)
		return perf_run_suite(self, &args);
	if (args.plot || args.figures)
		return tool_usage(self, "--plot and --figures go with --suite paper, ablation, truth, apps, messages, datatypes or hosts");
	ret = perf_args_cases(self, &args, &cases);
	if (!ret)
		ret = keep_served(self, &args, &cases);
	if (!ret)
		ret = args.hosts ? run_over_hosts(self, &args, &cases) :
				   run_cases(self, &args, &cases);
	free(cases.list);
	return ret;
}

/* Their values are read in tools/perf/args.c. */
static const struct tool_option options[] = {
	{ 'b', "begin", { .name = "SIZE" },
	  .help = "bytes a PE, on the larger side (128K); K, M, G multiply",
	  .letter = true },
	{ 'e', "end", { .name = "SIZE" },
	  .help = "last size (the first)", .letter = true },
	{ 'f', "factor", { .name = "N" },
	  .help = "from size to size (2)", .letter = true },
	{ 'd', "types", { "LIST", .word = perf_type_word, .list = true },
	  .help = "i8 to i64, u8 to u64, f16, bf16, f32, f64, all (i32)",
	  .letter = true },
	{ 'o', "ops", { "LIST", .word = perf_op_word, .list = true },
	  .help = "sum, prod, min, max, land, band, lor, bor, lxor, bxor, all (sum)",
	  .letter = true },
	{ 's', "shapes", { .name = "LIST" },
	  .help = "hypercubes (32x32)", .letter = true },
	{ 'x', "axes", { .name = "LIST" },
	  .help = "axes that form groups, such as 10,01,11 (the first axis)",
	  .letter = true },
	{ 'a', "algorithms", { "LIST", .word = perf_algorithm_word, .list = true },
	  .help = "auto, those of `pimdimm info --algorithms`, sdk: as a program on UPMEM's SDK does it, with --hosts staged; with --host-buffers theirs (auto)",
	  .letter = true },
	{ 'p', "place", { "WHERE", .word = perf_place_word },
	  .help = "in, out or both: may the destination be the source (out)",
	  .letter = true },
	{ 'n', "iterations", { .name = "N" },
	  .help = "repetitions that are timed (10)",
	  .letter = true },
	{ 'w', "warmup", { .name = "N" },
	  .help = "and before them (2)", .letter = true },
	{ 'c', "check", { "0|1", .word = perf_check_word },
	  .help = "compare results, before and after timing (1)", .letter = true },
	{ 'r', "seed", { .name = "N" }, .help = "of the inputs (1)" },
	{ 'H', "hosts", { .name = "N" },
	  .help = "over N processes, each of which has its share of the ranks; N may be left out where mpirun has started them" },
	{ 'K', "mapped",
	  .help = "with --hosts: host buffers lie in memory that all hosts map" },
	{ 'U', "host-buffers",
	  .help = "collectives on buffers of hosts (2), by the algorithms of pimdimm_hosts_set_algorithm(3)" },
	{ 'B', "no-baseline",
	  .help = "do not run `conventional` where it is not asked for" },
	{ 'u', "uri", TOOL_URI,
	  .help = "the system; else PIMDIMM_URI, else one sized to fit",
	  .letter = true },
	{ 'l', "layout", { "NAME", .word = perf_layout_word },
	  .help = "of a system sized to fit: linear, xeon_sp (linear)" },
	{ 'j', "json", .help = "an object instead of the table" },
	{ 'C', "csv", .help = "comma-separated values instead of the table" },
	{ 'M', "compare", { "BEFORE", .kind = TOOL_FILE },
	  .help = "with another report after it: which rows of two reports, written by --json, differ" },
	{ 'O', "output", { "FILE", .kind = TOOL_FILE },
	  .help = "write there; FILE appears when all is written" },
	{ 'S', "suite",
	  { "NAME", .word = suite_word, .meaning = suite_meaning },
	  .help = "a set of measurements with a purpose:" },
	{ 'L', "osu",
	  .help = "latency from 8 bytes on, as osu_allreduce prints it: average, least and most of 100 repetitions" },
	{ 'R', "reproduce", { "DIR", .kind = TOOL_FOLDER },
	  .help = "all suites that draw, into DIR: figures, data, and a page of them all, DIR/index.html" },
	{ 'P', "plot", { "DIR", .kind = TOOL_FOLDER },
	  .help = "with a suite that draws: each figure as SVG and PDF, drawn by gnuplot, and its data as CSV" },
	{ 'F', "figures", { .name = "LIST" },
	  .help = "with the same: these alone, such as 13,15" },
	{ 'N', "opponents", { "LIST", .word = perf_opponent_word, .list = true },
	  .help = "with --suite datatypes or messages: MPI libraries, and with datatypes this library's designs of PIMDIMM_ZEROCOPY, that take turns with it" },
	{ 'G', "programs", { "DIR", .kind = TOOL_FOLDER },
	  .help = "with --suite truth: the folder of PrIM's programs, built for 16 tasklets; DIR/VA/bin/dpu_code is one" },
	{ 0 },
};

const struct command cmd_perf = {
	.name = "perf",
	.summary = "time and check the collectives",
	.run = run_perf,
	.synopsis = "[OPTION]... [COLLECTIVE]...\n"
		    "--suite NAME [OPTION]...\n"
		    "--reproduce DIR [OPTION]...\n"
		    "--compare BEFORE AFTER [OPTION]...",
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
	.options = options,
	.operand = { "COLLECTIVE", .word = perf_collective_word },
};

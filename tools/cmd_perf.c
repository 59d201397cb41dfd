// SPDX-License-Identifier: MIT
/* `pimdimm perf`: times and checks the collectives. */
#include <stdlib.h>
#include <string.h>

#include "perf_args.h"
#include "perf_suite.h"

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
	.help =
	"Usage: pimdimm perf [OPTION]... [COLLECTIVE]...\n"
	"       pimdimm perf --suite paper|ablation|pe|targets|dev [OPTION]...\n"
	"\n"
	"Times the collectives, all eight or those named, on random data, checks every\n"
	"element of the results, and compares with what memory allows: the roofline, a\n"
	"plain loop that loads and stores the bytes that the call must, run in turn with\n"
	"it by the same threads on the same memory.\n"
	"\n"
	"  -b, --begin SIZE       bytes a PE, on the larger side (128K); K, M, G multiply\n"
	"  -e, --end SIZE         last size (the first)\n"
	"  -f, --factor N         from size to size (2)\n"
	"  -d, --types LIST       i8 to i64, u8 to u64, f16, bf16, f32, f64, all (i32)\n"
	"  -o, --ops LIST         sum, prod, min, max, land, band, lor, bor, lxor, bxor,\n"
	"                         all (sum)\n"
	"  -s, --shapes LIST      hypercubes (32x32)\n"
	"  -x, --axes LIST        axes that form groups, such as 10,01,11 (the first axis)\n"
	"  -a, --algorithms LIST  auto, those of `pimdimm info --algorithms`, and sdk: as\n"
	"                         a program on UPMEM's SDK does it (auto)\n"
	"  -p, --place WHERE      in, out or both: may the destination be the source (out)\n"
	"  -n, --iterations N     repetitions that are timed (10)\n"
	"  -w, --warmup N         and before them (2)\n"
	"  -c, --check 0|1        compare results, before and after timing (1)\n"
	"      --seed N           of the inputs (1)\n"
	"      --no-baseline      do not run `conventional` where it is not asked for\n"
	"  -u, --uri URI          the system; else PIMDIMM_URI, else one sized to fit\n"
	"      --layout NAME      of a system sized to fit: linear, xeon_sp (linear)\n"
	"      --json, --csv      instead of the table\n"
	"      --output FILE      write there; FILE appears when all is written\n"
	"      --suite paper      PID-Comm's figures 14, 16, 18, 19, 20, 23a, ours beside\n"
	"                         the paper's; -s and -e bound PEs and sizes\n"
	"      --suite ablation   its figures 16 and 17: with help of PEs, step by step\n"
	"      --suite pe         programs on PEs: DMA, switches, loads, launches, kernels,\n"
	"                         against what they must reach; -s sets PEs of launches,\n"
	"                         -b bytes of an operand (1M)\n"
	"      --suite targets    measures each target and says whether it is met\n"
	"      --suite dev        nodes of the module: its transfers against the library's\n"
	"                         through mmap, collectives against mem:; sizes 64K to 1M\n"
	"      --plot DIR         with --suite paper or ablation: each figure as SVG and\n"
	"                         PDF, drawn by gnuplot, and its data as CSV\n"
	"      --help             this text\n"
	"\n"
	"Time is the median; algbw is a group's bytes by the time, all groups together;\n"
	"busbw is as nccl-tests defines it: algbw times 2(n-1)/n for allreduce, 1 for\n"
	"reduce and broadcast, (n-1)/n for the others. roof is the roofline's time by\n"
	"the call's, speedup conventional's by the call's.\n"
	"\n"
	"Exit status: 0 done and verified, 1 failed or wrong, 2 wrong usage, sizes that\n"
	"do not fit, files that cannot be written.\n",
};

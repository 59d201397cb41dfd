// SPDX-License-Identifier: MIT
/* `--suite pe`: what execution on PEs must reach, and what it does. */
#include <pimdimm/pimdimm_layout.h>

#include "tools/perf/suites/pe/pe_basics.h"
#include "tools/perf/suites/pe/pe_kernels.h"
#include "tools/perf/suites/suites.h"
#include "tools/perf/suites/targets_table.h"
#include "tools/tool.h"

/* one EG is one worker's; its eight PEs take turns in it */
#define WORKER_PES 8
#define MANY_PES 64

/* an operand, a PE; at the least a transfer of every tasklet */
#define USUAL_BYTES (1u << 20)
#define LEAST_BYTES (PE_TASKLETS * 2048u)
#define MOST_BYTES (PIMDIMM_MRAM_MAX / 4)

struct pe_suite {
	struct perf_targets targets;
	struct pe_rig rig;
	uint32_t nr_pes;
	uint64_t bytes;
};

static int suite_pe_dma(struct pe_suite *s, bool write)
{
	const char *way = write ? "to" : "from";
	struct pe_row cold, resident;

	if (pe_measure_dma(&s->rig, write, s->bytes, &cold, &resident))
		return TOOL_FAILED;
	pe_report_row(s->targets.suite, &resident);
	pe_report_row(s->targets.suite, &cold);
	perf_target_add(&s->targets, 4, resident.figure,
			"GB/s of DMA %s MRAM a worker, window resident", way);
	perf_target_add(&s->targets, 1.5, cold.figure,
			"GB/s of DMA %s MRAM a worker, cold", way);
	return TOOL_OK;
}

static int read_dma(struct pe_suite *s)
{
	return suite_pe_dma(s, false);
}

static int write_dma(struct pe_suite *s)
{
	return suite_pe_dma(s, true);
}

static int suite_pe_switches(struct pe_suite *s)
{
	struct pe_row row;

	if (pe_measure_switch(&s->rig, &row))
		return TOOL_FAILED;
	pe_report_row(s->targets.suite, &row);
	perf_target_add(&s->targets, 50, row.figure,
			"nanoseconds of a tasklet switch");
	perf_target_at_most(&s->targets);
	return TOOL_OK;
}

static int suite_pe_launches(struct pe_suite *s)
{
	struct pe_row load, launch;

	if (pe_measure_launch(&s->rig, s->nr_pes, &load, &launch))
		return TOOL_FAILED;
	pe_report_row(s->targets.suite, &load);
	pe_report_row(s->targets.suite, &launch);
	perf_target_add(&s->targets, 50, load.figure,
			"milliseconds of a load on %u PEs", s->nr_pes);
	perf_target_at_most(&s->targets);
	perf_target_add(&s->targets, 10, launch.figure,
			"milliseconds of an empty launch, %u PEs, %d tasklets",
			s->nr_pes, PE_TASKLETS);
	perf_target_at_most(&s->targets);
	return TOOL_OK;
}

static int suite_pe_kernels(struct pe_suite *s)
{
	struct pe_row row;

	for (enum pe_image i = PE_VA; i <= PE_GEMV; i++) {
		if (pe_measure_vectors(&s->rig, i, WORKER_PES, s->bytes, &row))
			return TOOL_FAILED;
		pe_report_row(s->targets.suite, &row);
		perf_target_add(&s->targets, 50, row.figure,
				"%s: million elements a second a worker",
				row.name);
	}
	return TOOL_OK;
}

static int suite_pe_many(struct pe_suite *s)
{
	struct pe_row row;

	if (pe_measure_vectors(&s->rig, PE_VA, MANY_PES, s->bytes, &row))
		return TOOL_FAILED;
	pe_report_row(s->targets.suite, &row);
	/* what "seconds" means where a cycle-level simulator takes half an hour */
	perf_target_add(&s->targets, 5, row.measured / 1e9,
			"seconds of vector addition on %d PEs", MANY_PES);
	perf_target_at_most(&s->targets);
	return TOOL_OK;
}

/* TOOL_USAGE after a message */
static int choose_bytes(struct pe_suite *s)
{
	const struct perf_args *args = s->targets.suite->args;

	s->bytes = args->given_sizes ? args->begin : USUAL_BYTES;
	if (s->bytes >= LEAST_BYTES && s->bytes <= MOST_BYTES)
		return TOOL_OK;
	return tool_usage(s->targets.suite->self, "%s a PE, expected %s to %s for this suite",
			  tool_size(s->bytes), tool_size(LEAST_BYTES),
			  tool_size(MOST_BYTES));
}

static void measure_pe(struct perf_suite *suite)
{
	static int (*const parts[])(struct pe_suite *s) = {
		read_dma, write_dma, suite_pe_switches, suite_pe_launches,
		suite_pe_kernels, suite_pe_many,
	};
	static struct pe_suite s;

	s = (struct pe_suite){
		.targets.suite = suite,
		.nr_pes = perf_nr_pes(&suite->args->shapes[0]),
	};
	suite->status = choose_bytes(&s);
	if (suite->status)
		return;
	suite->status = pe_rig_open(&s.rig, suite, s.nr_pes, s.bytes);
	if (!suite->status)
		pe_report_begin(suite, &s.rig);
	for (size_t i = 0; i < TOOL_COUNT(parts) && !suite->status; i++)
		suite->status = parts[i](&s);
	pe_rig_close(&s.rig);
	if (!suite->status)
		perf_targets_print(&s.targets);
}

const struct perf_suite_kind perf_suite_pe = {
	.name = "pe",
	.meaning =
	"programs on PEs: DMA, switches, loads, launches, kernels, against what they must reach; -s sets PEs of launches, -b bytes of an operand (1M)",
	.measure = measure_pe,
	.check = perf_suite_check_scale,
};

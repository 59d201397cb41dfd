// SPDX-License-Identifier: MIT
/* What the hosts of PrIM's programs do to their DPUs: data, arguments, launches. */
#include <inttypes.h>

#include "tools/perf/measure.h"
#include "tools/perf/suites/pe/truth_run.h"
#include "tools/tool.h"

static int truth_run_failed(void)
{
	return tool_error("%s", pimdimm_errmsg());
}

uint64_t truth_chance(uint64_t at)
{
	at = (at + 1) * UINT64_C(0x9e3779b97f4a7c15);
	at = (at ^ at >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
	return at ^ at >> 29;
}

static uint64_t truth_run_heap(const struct truth_run *run)
{
	return pimdimm_program_info(run->rig.program)->mram_bytes;
}

int truth_put(struct truth_run *run, uint32_t dpu, uint64_t off, const void *from,
	      uint64_t bytes)
{
	return pimdimm_write(run->rig.sys, dpu, truth_run_heap(run) + off, from, bytes) ?
		       truth_run_failed() : TOOL_OK;
}

int truth_get(struct truth_run *run, uint32_t dpu, uint64_t off, void *to, uint64_t bytes)
{
	return pimdimm_read(run->rig.sys, dpu, truth_run_heap(run) + off, to, bytes) ?
		       truth_run_failed() : TOOL_OK;
}

int truth_give(struct truth_run *run, const void *args, uint64_t bytes)
{
	struct pimdimm_symbol symbol;

	if (pimdimm_program_symbol(run->rig.program, "DPU_INPUT_ARGUMENTS", &symbol))
		return truth_run_failed();
	if (symbol.space != PIMDIMM_WRAM || symbol.bytes < bytes)
		return tool_error("DPU_INPUT_ARGUMENTS has %u bytes, expected %" PRIu64
				  ": another program", symbol.bytes, bytes);
	for (uint32_t dpu = 0; dpu < run->dpus; dpu++)
		if (pimdimm_wram_write(run->rig.sys, dpu, symbol.address,
				       (const char *)args + dpu * bytes, bytes))
			return truth_run_failed();
	return TOOL_OK;
}

int truth_launch(struct truth_run *run)
{
	/* TRNS transfers from addresses that hardware rounds down */
	struct pimdimm_run launch = { .size = sizeof(launch), .compat = 1 };

	if (pimdimm_run(run->rig.sys, run->rig.pes, run->dpus, &launch))
		return truth_run_failed();
	if (!launch.instructions)
		return tool_error("the program counts no instructions: it was compiled with -fno-pimdimm-count or PIMDIMM_COUNT=0");
	if (perf_interrupted())
		return tool_error("interrupted");
	run->ms += (double)launch.cycles * 1e3 / (double)launch.clock_hz +
		   (double)launch.launch_ns * 1e-6;
	return TOOL_OK;
}

// SPDX-License-Identifier: MIT
/* What callers are told of launches of PE programs, and reports: measured and modelled. */
#include <stddef.h>

#include <pimdimm/program.h>

#include "runtime/pe/told.h"

/* bytes of a struct pimdimm_run before it told of stacks, and before it told of where
 * time went and could end with others */
#define FIRST_RUN		offsetof(struct pimdimm_run, stack_used)
#define SECOND_RUN		offsetof(struct pimdimm_run, slowest_pe)

bool pd_run_size_known(const struct pimdimm_run *run)
{
	return run->size == sizeof(*run) || run->size == FIRST_RUN ||
	       run->size == SECOND_RUN;
}

uint32_t *pd_run_over(const struct pimdimm_run *run)
{
	return run && run->size == sizeof(*run) ? run->over : NULL;
}

/*
 * Tasklets in an order by chance have no times, and programs that do not count those of
 * DMA alone, which are no time of PEs.
 */
void pd_run_tell(const struct pimdimm_run *run, const char *name, bool shuffled)
{
	bool counted = run->instructions && !shuffled;
	struct pd_report_call call = {
		.row = {
			.kind = PIMDIMM_REPORT_PROGRAM,
			.calls = 1,
			.uncounted = !counted,
			.mram_bytes = run->dma_bytes,
			.emulation_ns = run->ns,
			.faults = run->nr_faulted,
			.stack_used = run->stack_used,
			.stack_room = run->stack_room,
		},
		.window_ns = run->emulation_ns,
		.clock_hz = run->clock_hz,
	};

	if (!shuffled)
		call.row.cycles = run->cycles;
	if (counted) {
		call.row.instructions = run->instructions;
		call.row.pe_ns = (uint64_t)((double)run->cycles * 1e9 /
					    (double)run->clock_hz + 0.5);
	}
	pd_report_text(call.row.name, sizeof(call.row.name), name);
	pd_report_add(&call);
}

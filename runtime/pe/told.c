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

/* of the slowest PE of a launch, and the launch itself */
static void tell_times(struct pimdimm_report_row *row,
		       const struct pimdimm_run *run, uint32_t nr_pes)
{
	const struct pimdimm_times *slowest = &run->slowest;

	row->instructions = run->instructions;
	row->launch_ns = run->launch_ns;
	row->pe_ns = run->launch_ns +
		     (uint64_t)((double)run->cycles * 1e9 /
				(double)run->clock_hz + 0.5);
	row->forced = run->clock == PIMDIMM_CLOCK_FORCED;
	row->slowest_pe = run->slowest_pe;
	row->longest_cycles = run->cycles;
	row->issued = slowest->instructions;
	row->spun = slowest->spun;
	row->dma_slots = slowest->dma_slots;
	row->idle_dma = slowest->idle_dma;
	row->idle_stop = slowest->idle_stop;
	row->idle_few = slowest->idle_few;
	row->all_cycles = run->total.cycles;
	row->room_cycles = nr_pes * run->cycles;
}

/*
 * The number that parts of one launch have in common, which the first of them that ends
 * puts where they say that all is over; 0: it is a whole one, or all is.
 */
static uint32_t parts_of(uint32_t *over)
{
	static uint32_t last;
	uint32_t id = 0, mine;

	if (!over)
		return 0;
	mine = __atomic_add_fetch(&last, 2, __ATOMIC_RELAXED);
	if (__atomic_compare_exchange_n(over, &id, mine, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		return mine;
	return id == 1 ? 0 : id;
}

/*
 * Tasklets in an order by chance have no times, and programs that do not count those of
 * DMA alone, which are no time of PEs.
 */
void pd_run_tell(const struct pimdimm_run *run, const char *name, uint32_t nr_pes,
		 const struct pd_tasklet tasklets[PE_PLACES])
{
	bool timed = run->clock != PIMDIMM_CLOCK_NONE;
	struct pd_report_call call = {
		.row = {
			.kind = PIMDIMM_REPORT_PROGRAM,
			.calls = 1,
			.uncounted = !timed || !run->instructions,
			.mram_bytes = run->dma_bytes,
			.emulation_ns = run->ns,
			.cycles = timed ? run->cycles : 0,
			.faults = run->nr_faulted,
			.stack_used = run->stack_used,
			.stack_room = run->stack_room,
		},
		.window_ns = run->emulation_ns,
		.clock_hz = run->clock_hz,
		.parts = parts_of(run->over),
		.start_ns = pd_now_ns() - run->ns,
	};

	if (!call.row.uncounted) {
		tell_times(&call.row, run, nr_pes);
		call.tasklets = tasklets;
		call.nr_tasklets = PE_PLACES;
	}
	pd_report_text(call.row.name, sizeof(call.row.name), name);
	pd_report_add(&call);
}

// SPDX-License-Identifier: MIT
/* What a PE has left when it stops, copied from where its program could change it. */
#include <string.h>

#include "runtime/pe/collect.h"
#include "runtime/pe/process/registers.h"
#include "runtime/pe/times.h"

/* The way to the fault, before the next PE has its stacks. */
static void trace_callers(const struct pd_slot *slot, struct pd_end *end)
{
	const uint32_t tasklet = end->report.tasklet;
	struct pd_registers r;

	if (tasklet != pd_known_tasklet(end, tasklet) ||
	    tasklet != slot->arena.shared->self.tasklet ||
	    !pd_tasklet_registers(&slot->arena, slot->program, tasklet, &r))
		return;
	/* where the last tasklet came to a stop, when all wait */
	if (!end->report.pc)
		end->report.pc = pd_pc_of(&r);
	while (end->nr_callers < PD_MAX_CALLERS &&
	       pd_tasklet_caller(&slot->arena, slot->program, tasklet, &r))
		end->callers[end->nr_callers++] = pd_pc_of(&r);
}

/* What the program says of its fault, where that is in WRAM, which it may not end in. */
static void copy_said(const struct pd_slot *slot, struct pd_end *end)
{
	uint64_t at = end->report.text - PE_WRAM_BASE, room = sizeof(end->said) - 1;

	if (at >= PE_WRAM_BYTES)
		return;
	if (room > PE_WRAM_BYTES - at)
		room = PE_WRAM_BYTES - at;
	memcpy(end->said, slot->arena.base + PE_ARENA_WRAM + at, room);
	end->said[room] = '\0';
}

/* Copy what the program left in shared memory, believing none of it. */
void pd_collect(const struct pd_slot *slot, enum pe_fault seen,
		const struct pd_order *order, struct pd_outcome *out)
{
	const struct pe_shared *s = slot->arena.shared;
	struct pd_end *end = &out->end;

	pd_times_read(s, &out->times);
	if (order->told)
		pd_times_tasklets(s, out->tasklets);
	out->forced = s->clock.forced;
	out->uncounted = s->self.uncounted;
	memcpy(end->tasklets, s->tasklets, sizeof(end->tasklets));
	memcpy(&end->report, &s->report, sizeof(end->report));
	end->ticked = s->ticked;
	copy_said(slot, end);
	if (seen) {
		end->said[0] = '\0';
		end->report = (struct pe_report){
			.kind = seen,
			.tasklet = s->self.tasklet,
		};
		if (seen == PE_FAULT_DIED)
			pd_child_death(slot->child, end->death,
				       sizeof(end->death));
	}
	end->report.tasklet = pd_known_tasklet(end, end->report.tasklet);
	if (order->traced && !seen && end->report.kind)
		trace_callers(slot, end);
}

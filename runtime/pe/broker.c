/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "pe/broker.h"
#include "pe/cost.h"

/* Set everything in shared memory as a PE finds it. */
static void set_up(struct pd_slot *slot, const struct pd_pe *pe,
		   const struct pd_order *order)
{
	struct pe_shared *s = slot->shared;
	const struct pe_cost *cost = pd_cost();

	s->self = (struct pe_self){
		/* until tasklet 0 has done what a boot does */
		.critical = 1,
		.nr_tasklets = pe->program->note.nr_tasklets,
		.pe = order->pe,
		.lane = order->pe % 8,
		.mram_bytes = slot->window.nr_pages * PE_PAGE,
		.clock_hz = cost->clock_hz,
	};
	s->text_bytes = pe->program->text_bytes;
	s->entry = pe->program->entry;
	s->compat = order->compat;
	s->mram_pages = slot->window.nr_pages;
	s->cost = *cost;
	s->close = 0;
	s->inside = 1;
	s->running = 0;
	s->runnable = 0;
	s->alive = 0;
	s->waits = 0;
	s->caller = 0;
	s->ticked = 0;
	memset(s->tasklets, 0, sizeof(s->tasklets));
	memset(s->work, 0, sizeof(s->work));
	memset(&s->report, 0, sizeof(s->report));
}

/* Bring in the page that the program asks for; false: it asks for none there is. */
static bool answer(struct pd_slot *slot, uint64_t *emulation_ns)
{
	struct pe_shared *s = slot->shared;
	uint32_t page = __atomic_load_n(&s->page, __ATOMIC_RELAXED);
	uint64_t start;

	if (page >= slot->window.nr_pages)
		return false;
	start = pd_now();
	s->close = pd_window_fill(&slot->window, page);
	*emulation_ns += pd_now() - start;
	pd_slot_reply(slot);
	return true;
}

/* Answer calls until the last; returns PE_FAULT_NONE or what the host saw. */
static enum pe_fault attend(struct pd_slot *slot, uint64_t deadline,
			    uint64_t *emulation_ns)
{
	for (;;) {
		switch (pd_slot_wait(slot, deadline)) {
		case PD_WAIT_TIMEOUT:
			return PE_FAULT_TIMEOUT;
		case PD_WAIT_DEAD:
			return PE_FAULT_DIED;
		case PD_WAIT_CALLED:
			break;
		}
		switch (__atomic_load_n(&slot->shared->what, __ATOMIC_RELAXED)) {
		case PE_CALL_END:
			return PE_FAULT_NONE;
		case PE_CALL_FILL:
			if (answer(slot, emulation_ns))
				break;
			/* fall through */
		default:
			return PE_FAULT_RUNTIME;
		}
		/* one that only ever calls never lets the wait time out */
		if (pd_now() > deadline)
			return PE_FAULT_TIMEOUT;
	}
}

static uint64_t dma_bytes(const struct pe_work work[PE_MAX_TASKLETS])
{
	uint64_t sum = 0;

	for (unsigned int t = 0; t < PE_MAX_TASKLETS; t++)
		sum += work[t].read_bytes + work[t].write_bytes;
	return sum;
}

/* Copy what the program left in shared memory, believing none of it. */
static void collect(const struct pd_slot *slot, enum pe_fault seen,
		    struct pd_outcome *out)
{
	const struct pe_shared *s = slot->shared;
	struct pe_work work[PE_MAX_TASKLETS];
	struct pd_end *end = &out->end;

	memcpy(work, s->work, sizeof(work));
	out->cycles = pe_cycles(pd_cost(), work, s->self.instructions);
	out->dma_bytes = dma_bytes(work);
	out->instructions = 0;
	for (unsigned int t = 0; t < PE_MAX_TASKLETS; t++)
		out->instructions += s->self.instructions[t];
	memcpy(end->tasklets, s->tasklets, sizeof(end->tasklets));
	memcpy(&end->report, &s->report, sizeof(end->report));
	end->ticked = s->ticked;
	if (seen) {
		end->report = (struct pe_report){
			.kind = seen,
			.tasklet = s->self.tasklet,
		};
		if (seen == PE_FAULT_DIED)
			pd_child_death(slot->child, end->death,
				       sizeof(end->death));
	}
	if (end->report.tasklet >= end->nr_tasklets)
		end->report.tasklet = 0;
}

void pd_broker_run(struct pd_slot *slot, struct pd_pe *pe,
		   const struct pd_order *order, struct pd_outcome *out,
		   uint64_t *emulation_ns)
{
	uint64_t start = pd_now(), now;
	enum pe_fault seen;

	out->end = (struct pd_end){
		.pe = order->pe,
		.nr_tasklets = pe->program->note.nr_tasklets,
		.timeout_ms = order->timeout_ms,
	};
	pd_window_take_lane(&slot->window, order->pe % 8);
	now = pd_now();
	*emulation_ns += now - start;
	set_up(slot, pe, order);
	pd_wram_enter(slot, pe);
	pd_slot_go(slot);
	seen = attend(slot, now + order->timeout_ms * 1000000ull, emulation_ns);
	/* whoever does not park goes; what it wrote is kept as it is then */
	if (seen || !pd_slot_parked(slot)) {
		collect(slot, seen ? seen : PE_FAULT_RUNTIME, out);
		pd_slot_end_worker(slot);
	} else {
		collect(slot, seen, out);
	}
	start = pd_now();
	pd_window_leave_lane(&slot->window);
	*emulation_ns += pd_now() - start;
	if (pd_wram_leave(slot, pe) && !out->end.report.kind)
		out->end.report.kind = PE_FAULT_TRANSFER;
}

// SPDX-License-Identifier: MIT
/* What tasklets wait for, added up where their program waits, while somebody asks. */
#include "runtime/pe/worker/worker.h"

static enum pe_waited class_of(uint32_t kind)
{
	switch (kind) {
	case PE_WAIT_BARRIER:
		return PE_WAITED_BARRIER;
	case PE_WAIT_MUTEX:
		return PE_WAITED_MUTEX;
	case PE_WAIT_SEMAPHORE:
		return PE_WAITED_SEMAPHORE;
	case PE_WAIT_HANDSHAKE:
		return PE_WAITED_HANDSHAKE;
	default:
		return PE_WAITED_WORD;
	}
}

/* NULL: its program has named none, or cells that are not there. */
static uint64_t *cells_of(uint32_t t)
{
	uint32_t site = PE_STATE->self.site[t];

	if (site < PE_PROFILE || site % sizeof(uint64_t) ||
	    site - PE_PROFILE > PE_PROFILE_BYTES - PE_NR_WAITED * sizeof(uint64_t))
		return 0;
	return (uint64_t *)(uintptr_t)site;
}

static struct pe_noted state_of(uint32_t t)
{
	const struct pe_clock *c = &PE_STATE->clock;
	const struct pe_work *w = &c->work[t];

	return (struct pe_noted){ c->now, w->dma_wait, w->stop_wait, w->spin_wait,
				  PE_STATE->self.instructions[t] };
}

void pe_note_start(uint32_t t)
{
	if (PE_STATE->watched)
		PE_STATE->noted[t] = state_of(t);
}

/* The tasklet that runs has waited until now since it had executed what it told. */
static void keep_span(uint32_t t, uint32_t kind)
{
	struct pe_shared *s = PE_STATE;
	uint32_t i = s->nr_waits;

	if (!kind || s->shuffle || s->clock.now <= s->clock.tasklets[t].since)
		return;
	if (i < PE_WAITS_MAX)
		((struct pe_wait_span *)(uintptr_t)PE_WAITS)[i] = (struct pe_wait_span){
			s->clock.tasklets[t].since, s->clock.now, t, kind };
	/* that there are more is known */
	s->nr_waits = i <= PE_WAITS_MAX ? i + 1 : i;
}

void pe_note_wait(uint32_t kind)
{
	uint32_t me = PE_STATE->self.tasklet % PE_PLACES;
	struct pe_noted now = state_of(me), then = PE_STATE->noted[me];
	uint64_t dma = now.dma_wait - then.dma_wait;
	uint64_t stop = now.stop_wait - then.stop_wait + now.spin_wait - then.spin_wait;
	uint64_t own = ((now.instructions - then.instructions) *
			PE_STATE->cost.issue_cycles) << PE_CLOCK_SHIFT;
	uint64_t all = now.now - then.now, known = dma + stop + own;
	uint64_t *cells = cells_of(me);

	PE_STATE->noted[me] = now;
	if (PE_STATE->watched & PE_WATCH_SPANS)
		keep_span(me, kind);
	if (!cells)
		return;
	cells[PE_WAITED_DMA] += dma;
	cells[class_of(kind)] += stop;
	cells[PE_WAITED_PIPELINE] += all > known ? all - known : 0;
}

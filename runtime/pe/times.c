// SPDX-License-Identifier: MIT
/* Where the time of PEs went: from their clocks, added up and compared. */
#include <string.h>

#include "runtime/pe/shared/cost.h"
#include "runtime/pe/times.h"

/* What tasklets did, added up. */
static void add_work(struct pimdimm_times *t, const struct pe_work *w)
{
	t->transfers += w->reads + w->writes;
	t->dma_bytes += w->read_bytes + w->write_bytes;
	t->dma_wait += w->dma_wait >> PE_CLOCK_SHIFT;
	t->stop_wait += w->stop_wait >> PE_CLOCK_SHIFT;
	t->spin_wait += w->spin_wait >> PE_CLOCK_SHIFT;
}

/* Copied first: the worker may be one that does not stop. */
void pd_times_read(const struct pe_shared *s, struct pimdimm_times *t)
{
	const uint32_t issue = pd_cost()->issue_cycles;
	struct pe_clock c;
	uint64_t busy;

	memcpy(&c, &s->clock, sizeof(c));
	*t = (struct pimdimm_times){
		.cycles = c.now >> PE_CLOCK_SHIFT,
		.spun = c.spun >> PE_CLOCK_SHIFT,
		.dma_slots = c.lost >> PE_CLOCK_SHIFT,
		.idle_dma = issue ? (c.idle_dma >> PE_CLOCK_SHIFT) / issue : 0,
		.idle_stop = issue ? (c.idle_stop >> PE_CLOCK_SHIFT) / issue : 0,
	};
	for (unsigned int i = 0; i < PE_MAX_TASKLETS; i++) {
		t->instructions += s->self.instructions[i];
		add_work(t, &c.work[i]);
	}
	busy = (c.slots >> PE_CLOCK_SHIFT) + t->dma_slots + t->idle_dma + t->idle_stop;
	t->idle_few = t->cycles > busy ? t->cycles - busy : 0;
}

void pd_times_add(struct pimdimm_times *sum, const struct pimdimm_times *t)
{
	uint64_t to[sizeof(*sum) / sizeof(uint64_t)], from[sizeof(*t) / sizeof(uint64_t)];

	memcpy(to, sum, sizeof(to));
	memcpy(from, t, sizeof(from));
	for (size_t i = 0; i < sizeof(*t) / sizeof(*from); i++)
		to[i] += from[i];
	memcpy(sum, to, sizeof(to));
}

void pd_times_compare(struct pimdimm_run *run, uint32_t pe, const struct pimdimm_times *t)
{
	if (t->instructions > run->instructions)
		run->instructions = t->instructions;
	if (t->cycles > run->slowest.cycles ||
	    (t->cycles == run->slowest.cycles && pe < run->slowest_pe)) {
		run->slowest = *t;
		run->slowest_pe = pe;
	}
}

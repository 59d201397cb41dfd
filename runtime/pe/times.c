// SPDX-License-Identifier: MIT
/* Where the time of PEs went: from their clocks, added up and compared. */
#include <stdlib.h>
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
	for (unsigned int i = 0; i < PE_PLACES; i++) {
		t->instructions += s->self.instructions[i];
		add_work(t, &c.work[i]);
	}
	busy = (c.slots >> PE_CLOCK_SHIFT) + t->dma_slots + t->idle_dma + t->idle_stop;
	t->idle_few = t->cycles > busy ? t->cycles - busy : 0;
}

/* Until its end; a place that nobody has had has none. */
static uint64_t cycles_of(const struct pe_shared *s, uint32_t t)
{
	const struct pe_clock_tasklet *w = &s->clock.tasklets[t];

	if (!s->tasklets[t].sp)
		return 0;
	return w->goal == PE_GOAL_END ? w->since : s->clock.now;
}

/* What is left is the pipeline's, where others had it, and what was before a parcel came. */
static struct pd_tasklet read_tasklet(const struct pe_shared *s, uint32_t t, uint32_t issue)
{
	struct pe_work work;
	struct pd_tasklet r;
	uint64_t known;

	memcpy(&work, &s->clock.work[t], sizeof(work));
	r = (struct pd_tasklet){
		.cycles = cycles_of(s, t) >> PE_CLOCK_SHIFT,
		.instructions = s->self.instructions[t],
		.transfers = work.reads + work.writes,
		.dma_bytes = work.read_bytes + work.write_bytes,
		.dma_wait = work.dma_wait >> PE_CLOCK_SHIFT,
		.stop_wait = work.stop_wait >> PE_CLOCK_SHIFT,
		.spin_wait = work.spin_wait >> PE_CLOCK_SHIFT,
	};
	known = r.instructions * issue + r.dma_wait + r.stop_wait + r.spin_wait;
	r.pipeline_wait = r.cycles > known ? r.cycles - known : 0;
	return r;
}

/* Instructions by class, and those of the PE library, which has none; all 0 if nobody counts. */
static void read_classes(const struct pe_shared *s, uint32_t t, struct pd_tasklet *r)
{
	uint64_t c[PE_NR_CLASSES], sum = 0;

	memcpy(c, (const void *)s->self.classes[t], sizeof(c));
	for (unsigned int i = 0; i < PE_NR_CLASSES; i++)
		sum += c[i];
	r->arithmetic = c[PE_CLASS_ARITHMETIC];
	r->loads = c[PE_CLASS_LOAD];
	r->stores = c[PE_CLASS_STORE];
	r->control = c[PE_CLASS_CONTROL];
	r->products = c[PE_CLASS_MULTIPLY];
	r->floats = c[PE_CLASS_FLOAT];
	r->dma = c[PE_CLASS_DMA];
	r->other = c[PE_CLASS_OTHER];
	r->library = sum && r->instructions > sum ? r->instructions - sum : 0;
}

void pd_times_tasklets(const struct pe_shared *s, struct pd_tasklet tasklets[PE_PLACES])
{
	for (uint32_t t = 0; t < PE_PLACES; t++) {
		tasklets[t] = read_tasklet(s, t, pd_cost()->issue_cycles);
		read_classes(s, t, &tasklets[t]);
	}
}

void pd_times_keep(struct pd_tasklet **sum, const struct pd_tasklet tasklets[PE_PLACES],
		   struct pd_tasklet *copy)
{
	if (!*sum)
		*sum = calloc(PE_PLACES, sizeof(**sum));
	if (!*sum)
		return;
	pd_tasklets_add(*sum, tasklets, PE_PLACES);
	if (copy)
		memcpy(copy, *sum, PE_PLACES * sizeof(*copy));
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

void pd_times_end(struct pimdimm_run *run, uint64_t ns, uint64_t emulation_ns, uint64_t busy_ns)
{
	const struct pe_cost *cost = pd_cost();

	run->dma_bytes = run->total.dma_bytes;
	run->cycles = run->slowest.cycles;
	run->launch_ns = cost->launch_us * 1000ull;
	run->clock_hz = cost->clock_hz;
	run->ns = ns;
	run->emulation_ns = busy_ns ? (uint64_t)((double)ns * (double)emulation_ns /
						 (double)busy_ns) : 0;
}

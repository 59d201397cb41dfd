// SPDX-License-Identifier: MIT
/* What a further part of a launch adds to what a report has of the parts before it. */
#include <string.h>

#include "runtime/watch/report_parts.h"

/* launches whose parts come in turns; of more, the oldest one's count by themselves */
#define MAX_LAUNCHES	16

/* the numbers of a row that are of the longest of all */
#define OF_THE_LONGEST(s)						       \
	s(pe_ns) s(cycles) s(launch_ns) s(issued) s(spun) s(dma_slots)	       \
	s(idle_dma) s(idle_stop) s(idle_few)

struct pd_report_parts {
	uint32_t id;		/* 0: none */
	uint32_t row;
	uint64_t pes, room_cycles, instructions;
	bool uncounted, forced;
	uint64_t begin_ns, end_ns;	/* the host's time that is emulation's so far */
	struct pimdimm_report_row longest;
	struct pd_tasklet tasklets[PD_TASKLETS];
};

static struct pd_report_parts launches[MAX_LAUNCHES];
static uint32_t next;

struct pd_report_parts *pd_report_parts_find(uint32_t id)
{
	for (uint32_t i = 0; id && i < MAX_LAUNCHES; i++) {
		if (launches[i].id == id)
			return &launches[i];
	}
	return NULL;
}

uint32_t pd_report_parts_row(const struct pd_report_parts *parts)
{
	return parts->row;
}

void pd_report_parts_forget(void)
{
	memset(launches, 0, sizeof(launches));
}

static uint64_t pes_of(const struct pimdimm_report_row *row)
{
	return row->longest_cycles ? row->room_cycles / row->longest_cycles : 0;
}

static void keep_longest(struct pd_report_parts *p, const struct pd_report_call *call)
{
	p->longest = call->row;
	memset(p->tasklets, 0, sizeof(p->tasklets));
	if (call->nr_tasklets)
		memcpy(p->tasklets, call->tasklets,
		       call->nr_tasklets * sizeof(*p->tasklets));
}

void pd_report_parts_begin(uint32_t id, uint32_t row, const struct pd_report_call *call)
{
	struct pd_report_parts *p = &launches[next++ % MAX_LAUNCHES];

	*p = (struct pd_report_parts){
		.id = id,
		.row = row,
		.pes = pes_of(&call->row),
		.room_cycles = call->row.room_cycles,
		.instructions = call->row.instructions,
		.uncounted = call->row.uncounted,
		.forced = call->row.forced,
		.begin_ns = call->start_ns,
		.end_ns = call->start_ns + call->row.emulation_ns,
	};
	keep_longest(p, call);
}

/* Times of a part that takes longer than all before: what they grow by, or shrink. */
static void grow(struct pd_report_parts *p, struct pd_report_call *call,
		 struct pd_tasklet tasklets[PD_TASKLETS])
{
	struct pd_report_parts before = *p;

	keep_longest(p, call);
#define GROW(member)	call->row.member -= before.longest.member;
	OF_THE_LONGEST(GROW)
	memcpy(tasklets, p->tasklets, sizeof(p->tasklets));
	for (unsigned int i = 0; i < PD_TASKLETS; i++) {
#define GROW_TASKLET(member)	tasklets[i].member -= before.tasklets[i].member;
		PD_TASKLET_MEMBERS(GROW_TASKLET)
	}
	call->tasklets = tasklets;
	call->nr_tasklets = PD_TASKLETS;
}

/* Parts run at the same time: a further one adds what lies before the others and behind. */
static void add_emulation(struct pd_report_parts *p, struct pd_report_call *call)
{
	uint64_t ns = call->row.emulation_ns;
	uint64_t begin = call->start_ns, end = begin + ns, added = ns;

	if (begin <= p->end_ns && end >= p->begin_ns)
		added = (begin < p->begin_ns ? p->begin_ns - begin : 0) +
			(end > p->end_ns ? end - p->end_ns : 0);
	if (begin < p->begin_ns)
		p->begin_ns = begin;
	if (end > p->end_ns)
		p->end_ns = end;
	call->row.emulation_ns = added;
	call->window_ns = ns ? (uint64_t)((double)call->window_ns * (double)added / (double)ns) : 0;
}

void pd_report_parts_add(struct pd_report_parts *p, struct pd_report_call *call,
			 struct pd_tasklet tasklets[PD_TASKLETS])
{
	struct pimdimm_report_row *row = &call->row;
	uint64_t instructions = row->instructions;
	bool uncounted = row->uncounted, forced = row->forced;

	row->calls = 0;
	add_emulation(p, call);
	row->uncounted = uncounted && !p->uncounted;
	row->forced = forced && !p->forced;
	row->instructions = instructions > p->instructions ?
				    instructions - p->instructions : 0;
	p->pes += pes_of(row);
	p->uncounted |= uncounted;
	p->forced |= forced;
	p->instructions += row->instructions;
	if (row->cycles > p->longest.cycles) {
		grow(p, call, tasklets);
	} else {
#define NOTHING(member)	row->member = 0;
		OF_THE_LONGEST(NOTHING)
		call->nr_tasklets = 0;
	}
	row->room_cycles = p->pes * p->longest.cycles - p->room_cycles;
	p->room_cycles += row->room_cycles;
}

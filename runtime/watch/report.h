/* SPDX-License-Identifier: MIT */
/*
 * What calls did and took, added up in rows: see <pimdimm/report.h>. Off, a call
 * costs a load and a branch.
 */
#ifndef PD_REPORT_H
#define PD_REPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <pimdimm/report.h>

#include "runtime/base/clock.h"
#include "runtime/watch/report_call.h"

extern _Atomic bool pd_report_running;

static inline bool pd_report_on(void)
{
	return __builtin_expect(atomic_load_explicit(&pd_report_running,
						     memory_order_relaxed), 0);
}

/* when a call begins, or 0 while nobody asks */
static inline uint64_t pd_report_begin(void)
{
	return pd_report_on() ? pd_now_ns() : 0;
}

void pd_tasklets_add(struct pd_tasklet *sum, const struct pd_tasklet *t, uint32_t nr);

void pd_report_add(const struct pd_report_call *call);

/* the numbers of a row that are sums over its calls */
#define PD_REPORT_SUMS(s)						       \
	s(calls) s(uncounted) s(mram_bytes) s(host_bytes) s(bus_bytes)	       \
	s(host_ns) s(pe_ns) s(bus_ns) s(emulation_ns) s(cycles)		       \
	s(instructions) s(faults) s(launch_ns) s(forced) s(issued) s(spun)     \
	s(dma_slots) s(idle_dma) s(idle_stop) s(idle_few) s(all_cycles)	       \
	s(room_cycles)

/* Add what the calls of one row are to another. */
void pd_report_sum(struct pimdimm_report_row *sum,
		   const struct pimdimm_report_row *row);

/* A text of a row, cut off where it is too long. */
void pd_report_text(char *field, size_t room, const char *text);

/* A transfer that began then, with the number of bytes that each of its PEs has. */
void pd_report_transfer(uint64_t start, const char *name,
			const struct pd_bus_call *transfer);

/* a copy of all there is */
struct pd_report_all {
	struct pimdimm_report_row *rows;
	/* of each row, of the slowest PE of each of its launches, added up */
	struct pd_tasklet (*tasklets)[PD_TASKLETS];
	uint32_t nr_rows;
	uint64_t window_ns;
	uint64_t clock_hz;
	uint64_t lost;		/* calls that there was no room for */
	bool forked;		/* collected in a child of fork() alone */
};

/* 0 or -ENOMEM */
int pd_report_copy(struct pd_report_all *all);
void pd_report_free(struct pd_report_all *all);

#endif /* PD_REPORT_H */

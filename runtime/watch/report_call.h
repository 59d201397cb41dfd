/* SPDX-License-Identifier: MIT */
/* What a report is told of a call. */
#ifndef PD_REPORT_CALL_H
#define PD_REPORT_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include <pimdimm/report.h>

#include "runtime/watch/bus.h"

/* what a tasklet of a PE did, and cycles, modelled: when it ended and what it waited for */
#define PD_TASKLET_SUMS(s)						       \
	s(cycles) s(instructions) s(transfers) s(dma_bytes) s(dma_wait)	       \
	s(stop_wait) s(spin_wait) s(pipeline_wait)

/* and its instructions by class, where its program counts them: all 0 where not */
#define PD_TASKLET_CLASSES(s)						       \
	s(arithmetic) s(loads) s(stores) s(control) s(products) s(floats)      \
	s(dma) s(other) s(library)

#define PD_TASKLET_MEMBERS(s)	PD_TASKLET_SUMS(s) PD_TASKLET_CLASSES(s)

struct pd_tasklet {
#define PD_TASKLET_SUM(member)	uint64_t member;
	PD_TASKLET_MEMBERS(PD_TASKLET_SUM)
#undef PD_TASKLET_SUM
};

#define PD_TASKLETS	32

/* a call that is over; what is 0 of the row it has nothing of */
struct pd_report_call {
	struct pimdimm_report_row row;
	/* of the slowest PE of a launch, or NULL */
	const struct pd_tasklet *tasklets;
	uint32_t nr_tasklets;
	/* whose times are not in the row yet: parts of a call have call_ns once */
	struct pd_bus_time bus;
	/* not 0: parts of one launch have the same number */
	uint32_t parts;
	uint64_t start_ns;	/* of a part: when its emulation_ns began */
	/* of emulation_ns, to bring MRAM into windows and back */
	uint64_t window_ns;
	uint64_t clock_hz;	/* of the row's cycles */
};

#endif /* PD_REPORT_CALL_H */

/* SPDX-License-Identifier: MIT */
/* What the time of a call goes to, where its algorithm works in phases. */
#ifndef PC_PHASES_H
#define PC_PHASES_H

#include <stdint.h>

#include "runtime/base/clock.h"
#include "runtime/watch/timeline.h"

enum pc_phase {
	PC_PHASE_REORDER,	/* PEs, in their own MRAM */
	PC_PHASE_PULL,		/* domain transfer into host memory */
	PC_PHASE_HOST,		/* rearrangement and folds in host memory */
	PC_PHASE_PUSH,		/* domain transfer back */
	PC_PHASE_REGISTERS,	/* MRAM to MRAM, all in registers */
	PC_NR_PHASES,
};

/* Add what has passed since `start`, and return the time. */
static inline uint64_t pc_phase_end(uint64_t ns[PC_NR_PHASES],
				    enum pc_phase phase, uint64_t start)
{
	static const char *const names[PC_NR_PHASES] = {
		[PC_PHASE_REORDER] = "reorder",
		[PC_PHASE_PULL] = "pull phase",
		[PC_PHASE_HOST] = "host phase",
		[PC_PHASE_PUSH] = "push phase",
		[PC_PHASE_REGISTERS] = "registers",
	};
	uint64_t now = pd_now_ns();

	ns[phase] += now - start;
	if (pd_timeline_on())
		pd_timeline_past(names[phase], start, now);
	return now;
}

#endif /* PC_PHASES_H */

/* SPDX-License-Identifier: MIT */
/* One of PrIM's programs on DPUs, as its host has it. */
#ifndef PIMDIMM_PERF_TRUTH_RUN_H
#define PIMDIMM_PERF_TRUTH_RUN_H

#include "tools/perf/suites/pe/pe_rig.h"

/* a row of the hardware's times, on its own system */
struct truth_run {
	struct pe_rig rig;
	uint32_t dpus;
	uint64_t size;		/* as truth_times.h has it */
	double ms;		/* modelled, of all launches so far */
	uint64_t wrong;
};

struct truth_program {
	const char *name;
	/* of a DPU, above the program's own */
	uint64_t (*mram)(const struct truth_run *run);
	/* Lay out, launch, check: 0, or TOOL_FAILED after a message. */
	int (*run)(struct truth_run *run);
};

/* what a program is given: a number for each place */
uint64_t truth_chance(uint64_t at);
/* Bytes of one DPU's MRAM, from the start of its heap. */
int truth_put(struct truth_run *run, uint32_t dpu, uint64_t off, const void *from,
	      uint64_t bytes);
int truth_get(struct truth_run *run, uint32_t dpu, uint64_t off, void *to, uint64_t bytes);
/* The arguments of all DPUs, one after another. */
int truth_give(struct truth_run *run, const void *args, uint64_t bytes);
int truth_launch(struct truth_run *run);

#endif /* PIMDIMM_PERF_TRUTH_RUN_H */

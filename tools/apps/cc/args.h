/* SPDX-License-Identifier: MIT */
/* What the host tells the PE program of cc: offsets in MRAM, and its PE's part. */
#ifndef PIMDIMM_APPS_CC_ARGS_H
#define PIMDIMM_APPS_CC_ARGS_H

#include <stdint.h>

#define CC_TASKLETS 16

struct cc_args {
	uint32_t labels;	/* a word of 32 bits a vertex */
	uint32_t status;	/* 8 bytes behind them */
	uint32_t edges;		/* 8 bytes an edge: its smaller end in the upper half */
	uint32_t nr_edges;	/* of this PE */
	uint32_t first;		/* vertices whose paths this PE shortens ... */
	uint32_t end;		/* ... up to this one */
};

#endif /* PIMDIMM_APPS_CC_ARGS_H */

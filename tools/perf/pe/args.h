/* SPDX-License-Identifier: MIT */
/* What the measured PE programs and `pimdimm perf --suite pe` share. */
#ifndef PERF_PE_ARGS_H
#define PERF_PE_ARGS_H

#include <stdint.h>

#define PE_TASKLETS 16
/* A row of GEMV's matrix has so many 32-bit elements. */
#define PE_COLUMNS 1024
/* what a program sets in `ran` where it is loaded */
#define PE_LOADED 77

/* symbol `args`; operands lie one after another from the start of the heap */
struct pe_args {
	uint32_t bytes;		/* of an operand; of GEMV's matrix */
	uint32_t passes;	/* over it; of `switch`, turns of a tasklet */
	uint32_t write;		/* `dma`: to MRAM */
	uint32_t reserved;
};

#endif /* PERF_PE_ARGS_H */

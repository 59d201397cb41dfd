/* SPDX-License-Identifier: MIT */
/* What the program that copies shares with `pimdimm perf --suite messages`. */
#ifndef PERF_PE_COPIES_H
#define PERF_PE_COPIES_H

#include <stdint.h>

#define COPIES_TASKLETS	16
#define COPIES_MAX	81920

/* so much at a time */
enum copies_way {
	COPIES_WORD,
	COPIES_DMA,
	COPIES_ROW,
	COPIES_WAYS,
};

/* of a way, in bytes */
#define COPIES_UNITS	{ 8, 256, 2048 }

/* symbol `args`: from the heap in MRAM to COPIES_MAX bytes behind its begin */
struct copies_args {
	uint32_t bytes;
	uint32_t way;
	uint32_t tasklets;	/* that copy */
	uint32_t rounds;
};

#endif /* PERF_PE_COPIES_H */

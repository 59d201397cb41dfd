/* SPDX-License-Identifier: MIT */
/* What the programs of `pimdimm perf --suite truth` share with it. */
#ifndef PERF_PE_TRUTH_H
#define PERF_PE_TRUTH_H

#include <stdint.h>

#define TRUTH_TASKLETS 16
/* in WRAM, a tasklet; MRAM moves by as much where the size is not what is measured */
#define TRUTH_BLOCK 1024

/* The order of kernels is that of the tables that call and check them. */
#define TRUTH_TYPES(X) X(int32) X(int64) X(float) X(double)
#define TRUTH_OPERATIONS 4		/* add, sub, mul, div of each type */

enum truth_stream {
	TRUTH_COPY,
	TRUTH_ADD,
	TRUTH_SCALE,
	TRUTH_TRIAD,
	TRUTH_NR_STREAMS,
};

/* MRAM: a transfer of 8 << n bytes, n below TRUTH_SIZES, to WRAM and then to MRAM */
#define TRUTH_SIZES 9
#define TRUTH_MRAM_COPY		(2 * TRUTH_SIZES)
#define TRUTH_MRAM_RANDOM	(2 * TRUTH_SIZES + 1)
#define TRUTH_MRAM_STRIDED	(2 * TRUTH_SIZES + 2)

/* symbol `args`; operands lie one after another from the start of the heap */
struct truth_args {
	uint32_t kernel;
	uint32_t blocks;	/* of a tasklet, or transfers */
	int64_t scalar;		/* of int64, and made of it that of other types */
};

/* Symbol `cycles` has the cycles of each tasklet's kernel, uint64_t. */

/* where a transfer of random access goes: eight-byte words, a power of two of them */
static inline uint64_t truth_random(uint64_t last)
{
	return last << 1 ^ (last >> 63 ? 7 : 0);
}

#endif /* PERF_PE_TRUTH_H */

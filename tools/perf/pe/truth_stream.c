// SPDX-License-Identifier: MIT
/* STREAM's four kernels on eight-byte integers in WRAM, by all tasklets at once. */
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <perfcounter.h>

#include "tools/perf/pe/truth.h"

/* three operands of all tasklets fill most of WRAM */
#define BLOCK (TRUTH_BLOCK / 2)
#define WORDS (BLOCK / 8)

__host struct truth_args args;
__host uint64_t cycles[TRUTH_TASKLETS];

__dma_aligned int64_t a[TRUTH_TASKLETS][WORDS], b[TRUTH_TASKLETS][WORDS];
__dma_aligned int64_t c[TRUTH_TASKLETS][WORDS];

BARRIER_INIT(together, TRUTH_TASKLETS);

/* As in STREAM, the compiler is asked to unroll all of a block. */
#define KERNEL(name, result)						\
	static __attribute__((noinline)) void name(int64_t *to, const int64_t *x, \
						   const int64_t *y, int64_t scalar) \
	{								\
		(void)y;						\
		(void)scalar;						\
		_Pragma("unroll")					\
		for (unsigned int i = 0; i < WORDS; i++)		\
			to[i] = result;					\
	}
KERNEL(copy, x[i])
KERNEL(add, x[i] + y[i])
KERNEL(scale, scalar * x[i])
KERNEL(triad, x[i] + scalar * y[i])

/* what calling and timing one takes */
static __attribute__((noinline)) void nothing(int64_t *to, const int64_t *x,
					      const int64_t *y, int64_t scalar)
{
	__asm__ volatile("" : : "r"(to), "r"(x), "r"(y), "r"(scalar));
}

static void (*const kernels[])(int64_t *to, const int64_t *x, const int64_t *y,
			       int64_t scalar) = {
	[TRUTH_COPY] = copy,
	[TRUTH_ADD] = add,
	[TRUTH_SCALE] = scale,
	[TRUTH_TRIAD] = triad,
	nothing,
};

static uint64_t timed(uint32_t kernel)
{
	perfcounter_t start = perfcounter_get();

	kernels[kernel](c[me()], a[me()], b[me()], args.scalar);
	return perfcounter_get() - start;
}

int main(void)
{
	uint32_t from = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + me() * BLOCK;
	uint32_t operand = args.blocks * TRUTH_TASKLETS * BLOCK;
	uint64_t sum = 0;

	if (!me())
		perfcounter_config(COUNT_CYCLES, true);
	for (uint32_t i = 0; i < args.blocks; i++) {
		mram_read((__mram_ptr void *)(uintptr_t)from, a[me()], BLOCK);
		mram_read((__mram_ptr void *)(uintptr_t)(from + operand), b[me()],
			  BLOCK);
		barrier_wait(&together);
		sum += timed(args.kernel) - timed(TRUTH_NR_STREAMS);
		barrier_wait(&together);
		mram_write(c[me()], (__mram_ptr void *)(uintptr_t)(from + 2 * operand),
			   BLOCK);
		from += TRUTH_TASKLETS * BLOCK;
	}
	cycles[me()] = sum;
	return 0;
}

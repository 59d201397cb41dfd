// SPDX-License-Identifier: MIT
/*
 * Arithmetic on WRAM: an element is loaded, worked on and stored, by all tasklets at
 * once. Blocks come from MRAM and go back there while nobody is timed.
 */
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <perfcounter.h>

#include "tools/perf/pe/truth.h"

typedef int32_t int32;
typedef int64_t int64;

__host struct truth_args args;
__host uint64_t cycles[TRUTH_TASKLETS];

__dma_aligned uint8_t cache[TRUTH_TASKLETS][TRUTH_BLOCK];

BARRIER_INIT(together, TRUTH_TASKLETS);

#define KERNEL(type, name, op)						\
	static __attribute__((noinline)) void type##_##name(void *cached, int64 given) \
	{								\
		type *x = cached, scalar = (type)given;			\
									\
		for (unsigned int i = 0; i < TRUTH_BLOCK / sizeof(type); i++) { \
			type temp = x[i];				\
									\
			temp = temp op scalar;				\
			x[i] = temp;					\
		}							\
	}
#define KERNELS(type)							\
	KERNEL(type, add, +)						\
	KERNEL(type, sub, -)						\
	KERNEL(type, mul, *)						\
	KERNEL(type, div, /)
TRUTH_TYPES(KERNELS)

/* what calling and timing one takes */
static __attribute__((noinline)) void nothing(void *cached, int64 given)
{
	__asm__ volatile("" : : "r"(cached), "r"(given));
}

#define NAMES(type) type##_add, type##_sub, type##_mul, type##_div,
static void (*const kernels[])(void *cached, int64 given) = { TRUTH_TYPES(NAMES) nothing };
#define NOTHING (sizeof(kernels) / sizeof(*kernels) - 1)

static uint64_t timed(uint32_t kernel)
{
	perfcounter_t start = perfcounter_get();

	kernels[kernel](cache[me()], args.scalar);
	return perfcounter_get() - start;
}

int main(void)
{
	uint32_t at = (uint32_t)(uintptr_t)DPU_MRAM_HEAP_POINTER + me() * TRUTH_BLOCK;
	uint64_t sum = 0;

	if (!me())
		perfcounter_config(COUNT_CYCLES, true);
	for (uint32_t i = 0; i < args.blocks; i++) {
		mram_read((__mram_ptr void *)(uintptr_t)at, cache[me()], TRUTH_BLOCK);
		barrier_wait(&together);
		sum += timed(args.kernel) - timed(NOTHING);
		barrier_wait(&together);
		mram_write(cache[me()], (__mram_ptr void *)(uintptr_t)at, TRUTH_BLOCK);
		at += TRUTH_TASKLETS * TRUTH_BLOCK;
	}
	cycles[me()] = sum;
	return 0;
}

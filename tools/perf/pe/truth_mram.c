// SPDX-License-Identifier: MIT
/*
 * MRAM: what one transfer takes of one tasklet, and what all tasklets get of it when
 * they copy, or go to words here and there.
 */
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <perfcounter.h>

#include "tools/perf/pe/truth.h"

#define STRIDE 64

__host struct truth_args args;
__host uint64_t cycles[TRUTH_TASKLETS];

__dma_aligned uint64_t cache[2048 / 8];
__dma_aligned uint64_t blocks[TRUTH_TASKLETS][TRUTH_BLOCK / 8];

BARRIER_INIT(together, TRUTH_TASKLETS);

static __mram_ptr void *mram(uint32_t off)
{
	return (__mram_ptr void *)((uintptr_t)DPU_MRAM_HEAP_POINTER + off);
}

/* A size that is known to the compiler, as it is to those who are measured. */
#define LATENCY(n)							\
	static uint64_t read_##n(uint32_t off)				\
	{								\
		perfcounter_t start = perfcounter_get();		\
									\
		mram_read(mram(off), cache, 8u << n);			\
		return perfcounter_get() - start;			\
	}								\
									\
	static uint64_t write_##n(uint32_t off)				\
	{								\
		perfcounter_t start = perfcounter_get();		\
									\
		mram_write(cache, mram(off), 8u << n);			\
		return perfcounter_get() - start;			\
	}
LATENCY(0)
LATENCY(1)
LATENCY(2)
LATENCY(3)
LATENCY(4)
LATENCY(5)
LATENCY(6)
LATENCY(7)
LATENCY(8)

/* what timing one takes, and to make an address */
static uint64_t nothing(uint32_t off)
{
	perfcounter_t start = perfcounter_get();

	__asm__ volatile("" : : "r"(mram(off)));
	return perfcounter_get() - start;
}

static uint64_t (*const latencies[])(uint32_t off) = {
	read_0, read_1, read_2, read_3, read_4, read_5, read_6, read_7, read_8,
	write_0, write_1, write_2, write_3, write_4, write_5, write_6, write_7, write_8,
	nothing,
};

static uint64_t latency(uint32_t kernel, uint32_t off)
{
	return latencies[kernel](off) - latencies[2 * TRUTH_SIZES](off);
}

/* One after another; each writes back what it has read, from one half to the other. */
static uint64_t one_by_one(void)
{
	uint32_t size = 8u << args.kernel % TRUTH_SIZES, half = args.blocks * size;
	uint64_t sum = 0;

	for (uint32_t at = 0; !me() && at < half; at += size) {
		if (args.kernel < TRUTH_SIZES) {
			sum += latency(args.kernel, at);
			mram_write(cache, mram(half + at), size);
		} else {
			mram_read(mram(at), cache, size);
			sum += latency(args.kernel, half + at);
		}
	}
	return sum;
}

static void copy(void)
{
	uint32_t size = args.blocks * TRUTH_TASKLETS * TRUTH_BLOCK;

	for (uint32_t at = me() * TRUTH_BLOCK; at < size;
	     at += TRUTH_TASKLETS * TRUTH_BLOCK) {
		mram_read(mram(at), blocks[me()], TRUTH_BLOCK);
		mram_write(blocks[me()], mram(size + at), TRUTH_BLOCK);
	}
}

/* Words of a table take the place of what a row of numbers says, as in GUPS. */
static void go_randomly(void)
{
	uint32_t mask = args.blocks * TRUTH_TASKLETS - 1;
	uint64_t *word = blocks[me()], ran = (uint64_t)args.scalar * (me() + 1);

	for (uint32_t i = 0; i < args.blocks; i++) {
		ran = truth_random(ran);
		mram_read(mram((ran & mask) * 8), word, 8);
		*word = ran & mask;
		mram_write(word, mram((ran & mask) * 8), 8);
	}
}

static void stride(void)
{
	uint32_t part = args.blocks * STRIDE, size = part * TRUTH_TASKLETS;
	uint64_t *word = blocks[me()];

	for (uint32_t at = me() * part; at < (me() + 1) * part; at += STRIDE) {
		mram_read(mram(at), word, 8);
		mram_write(word, mram(size + at), 8);
	}
}

static uint64_t all_at_once(void (*kernel)(void))
{
	perfcounter_t start;

	barrier_wait(&together);
	start = perfcounter_get();
	kernel();
	return perfcounter_get() - start;
}

int main(void)
{
	static void (*const kernels[])(void) = { copy, go_randomly, stride };

	if (!me())
		perfcounter_config(COUNT_CYCLES, true);
	if (args.kernel < TRUTH_MRAM_COPY)
		cycles[me()] = one_by_one();
	else
		cycles[me()] = all_at_once(kernels[args.kernel - TRUTH_MRAM_COPY]);
	return 0;
}

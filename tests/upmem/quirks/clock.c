// SPDX-License-Identifier: MIT
/*
 * What the PE's clock says of instructions, transfers, barriers and mutexes, by what
 * hardware takes for them, for one tasklet and for all at once.
 * quirk: tasklets=16 launches=2
 */
#include <barrier.h>
#include <mram.h>
#include <mutex.h>
#include <perfcounter.h>

#include "quirk.h"

#define TURNS	1000
#define READ	(77 + 1024)	/* cycles of 2 KiB from MRAM */

BARRIER_INIT(barrier, NR_TASKLETS);
MUTEX_INIT(mutex);
__mram_noinit uint64_t words[256];
__dma_aligned uint64_t buffers[NR_TASKLETS][256];
static uint64_t cycles[NR_TASKLETS], began, instructions;
static uint32_t sum[NR_TASKLETS];

/* between two barriers: what all do, and when each is done */
static void timed(void (*what)(void))
{
	barrier_wait(&barrier);
	if (me() == 0) {
		perfcounter_config(COUNT_ENABLE_BOTH, true);
		began = perfcounter_get_both(false).cycles;
	}
	barrier_wait(&barrier);
	what();
	cycles[me()] = perfcounter_get();
	barrier_wait(&barrier);
	if (me() == 0)
		instructions = perfcounter_get_both(false).instr;
	barrier_wait(&barrier);
}

/* that they have had themselves in all but some cycles and as many again */
static int is_near(uint64_t taken, uint64_t expected, uint64_t more)
{
	return taken >= expected && taken <= expected + more;
}

__attribute__((noinline))
static void compute(void)
{
	uint32_t x = me();

	for (uint32_t i = 0; i < TURNS; i++) {
		x ^= x << 3;
		__asm__ volatile("" : "+r"(x));
	}
	sum[me()] = x;
}

static void alone(void)
{
	if (me() == 0)
		compute();
}

static void first_late(void)
{
	if (me() == 0)
		compute();
	barrier_wait(&barrier);
}

static void transfer(void)
{
	mram_read(words, buffers[me()], 2048);
}

static void transfer_alone(void)
{
	if (me() == 0)
		transfer();
}

static void transfer_locked(void)
{
	mutex_lock(mutex);
	transfer();
	mutex_unlock(mutex);
}

int main(void)
{
	uint64_t one;

	timed(alone);
	one = cycles[0];
	/* each instruction of a tasklet 11 cycles after the one before */
	CHECK(one >= 11 * 2 * TURNS && one <= 11 * (instructions + 100));
	CHECK(cycles[1] < 11 * 400);
	timed(first_late);
	/* those that wait take nothing of the pipeline, and go on with the last */
	for (uint32_t t = 0; t < NR_TASKLETS; t++)
		CHECK(is_near(cycles[t], one, 16 * 400));
	timed(compute);
	/* with 16 of them, one in 16 */
	for (uint32_t t = 0; t < NR_TASKLETS; t++)
		CHECK(is_near(cycles[t], one * 16 / 11 - 1000, 16 * 500));
	timed(transfer_alone);
	CHECK(is_near(cycles[0], READ, 11 * 400));
	timed(transfer);
	/* one after the other: the last one has them all behind it */
	CHECK(is_near(cycles[NR_TASKLETS - 1], NR_TASKLETS * READ, 16 * 400));
	timed(transfer_locked);
	one = 0;
	for (uint32_t t = 0; t < NR_TASKLETS; t++)
		one = cycles[t] > one ? cycles[t] : one;
	CHECK(is_near(one, NR_TASKLETS * READ, NR_TASKLETS * 16 * 60));
	quirk_end();
	return 0;
}

// SPDX-License-Identifier: MIT
/*
 * MRAM that is dereferenced costs a transfer for each access, as on hardware: 8 bytes
 * are read in some 90 cycles, and a store of less reads the rest before.
 * quirk: tasklets=1 launches=2
 */
#include <mram.h>
#include <perfcounter.h>
#include <string.h>

#include "quirk.h"

#define N 8192

struct item {
	uint64_t key, values[7];
};

__mram_noinit uint64_t longs[N];
__mram_noinit uint32_t words[N];
__mram_noinit struct item items[16];
__mram_ptr uint64_t *volatile where = longs;

/* cycles of N turns: one of DMA, so many instructions of 11 each; and a few */
static int took(perfcounter_t since, unsigned int dma, unsigned int instructions)
{
	perfcounter_t n = perfcounter_get() - since;

	return n >= N * (dma + 11ul * instructions) &&
	       n < N * (dma + 11ul * instructions) + 600;
}

static void read_and_write(void)
{
	perfcounter_t since = perfcounter_get();
	uint64_t sum = 0;

	for (int i = 0; i < N; i++)
		sum += longs[i];
	/* lsl_add, ldma, ld, add, addc, add, jneq */
	CHECK(took(since, 77 + 4, 7));
	since = perfcounter_get();
	for (int i = 0; i < N; i++)
		longs[i] = sum;
	/* lsl_add, sd, sdma, add with its jump */
	CHECK(took(since, 61 + 4, 5));
	since = perfcounter_get();
	for (int i = 0; i < N; i++)
		words[i] = 7;
	/* two transfers; the address, its word and the place in that */
	CHECK(took(since, 77 + 4 + 61 + 4, 8));
}

int main(void)
{
	struct item item;
	perfcounter_t since;

	perfcounter_config(COUNT_CYCLES, true);
	since = perfcounter_get();
	CHECK(*where == longs[0]);
	/* two reads, and less than 20 instructions */
	since = perfcounter_get() - since;
	CHECK(since >= 2 * 81 && since < 2 * 81 + 220);
	read_and_write();
	since = perfcounter_get();
	item = items[3];
	since = perfcounter_get() - since;
	/* one of 64 bytes */
	CHECK(since >= 77 + 32 && since < 77 + 32 + 400);
	items[4] = item;
	since = perfcounter_get();
	memset(&longs[0], 0, 2048 * 2);
	since = perfcounter_get() - since;
	CHECK(since >= 2 * (61 + 1024) + 11 * 3 * 512);
	CHECK(since < 2 * (61 + 1024) + 11 * 3 * 512 + 600);
	quirk_end();
	return 0;
}

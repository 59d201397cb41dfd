// SPDX-License-Identifier: MIT
/*
 * MRAM that is dereferenced costs a transfer for each access, as on hardware: 8 bytes
 * are read in some 80 cycles, and a store of less reads the rest before.
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

/* hundredths of a cycle that a tasklet waits for a transfer */
#define READ(bytes)	(5500 + 52 * (bytes))
#define WRITE(bytes)	(3900 + 52 * (bytes))

/* cycles of N turns: one of DMA, so many instructions of 11 each; and a few */
static int took(perfcounter_t since, unsigned int dma, unsigned int instructions)
{
	perfcounter_t n = perfcounter_get() - since;

	return n >= N * (dma + 1100ul * instructions) / 100 &&
	       n < N * (dma + 1100ul * instructions) / 100 + 600;
}

static void read_and_write(void)
{
	perfcounter_t since = perfcounter_get();
	uint64_t sum = 0;

	for (int i = 0; i < N; i++)
		sum += longs[i];
	/* lsl_add, ldma, ld, add, addc, add, jneq */
	CHECK(took(since, READ(8), 7));
	since = perfcounter_get();
	for (int i = 0; i < N; i++)
		longs[i] = sum;
	/* lsl_add, sd, sdma, add with its jump */
	CHECK(took(since, WRITE(8), 5));
	since = perfcounter_get();
	for (int i = 0; i < N; i++)
		words[i] = 7;
	/* two transfers; the address, its word and the place in that */
	CHECK(took(since, READ(8) + WRITE(8), 8));
}

/* As much as from a word's begin: nothing is transferred. */
static void copy_nothing(void)
{
	static volatile size_t none;
	perfcounter_t begin, inside;
	char to[8];

	begin = perfcounter_get();
	memcpy(to, (__mram_ptr char *)longs, none);
	inside = perfcounter_get();
	memcpy(to, (__mram_ptr char *)longs + 1, none);
	CHECK(perfcounter_get() - inside < inside - begin + 33);
}

/* A write reads each word that it begins or ends within, and one that it does both in once. */
static void write_parts(void)
{
	static volatile size_t bytes = 12, few = 4;
	__mram_ptr char *to = (__mram_ptr char *)longs;
	perfcounter_t since = perfcounter_get(), ends, one;
	static char from[64];

	memcpy(to + 4, from, few);
	one = perfcounter_get() - since;
	since = perfcounter_get();
	/* of bytes 4 to 16: the first word is read */
	memcpy(to + 4, from, bytes);
	ends = perfcounter_get() - since;
	CHECK(ends >= (READ(8) + WRITE(16)) / 100 && ends < (2 * READ(8) + WRITE(16)) / 100 + 300);
	since = perfcounter_get();
	/* of bytes 4 to 20: the last one, too */
	memcpy(to + 4, from, bytes + few);
	since = perfcounter_get() - since;
	CHECK(since >= ends + READ(8) / 100);
	CHECK(one >= (READ(8) + WRITE(8)) / 100 && one < (2 * READ(8) + WRITE(8)) / 100 + 200);
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
	CHECK(since >= 2 * READ(8) / 100 && since < 2 * READ(8) / 100 + 220);
	read_and_write();
	since = perfcounter_get();
	item = items[3];
	since = perfcounter_get() - since;
	/* one of 64 bytes */
	CHECK(since >= READ(64) / 100 && since < READ(64) / 100 + 400);
	items[4] = item;
	since = perfcounter_get();
	memset(&longs[0], 0, 2048 * 2);
	since = perfcounter_get() - since;
	CHECK(since >= 2 * WRITE(2048) / 100 + 11 * 3 * 512);
	CHECK(since < 2 * WRITE(2048) / 100 + 11 * 3 * 512 + 600);
	copy_nothing();
	write_parts();
	quirk_end();
	return 0;
}

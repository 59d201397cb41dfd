// SPDX-License-Identifier: MIT
/*
 * MRAM that is dereferenced takes time of the cost model, writing it after reading it
 * more.
 * quirk: tasklets=1 launches=2
 * flags: -fno-pimdimm-count
 */
#include <mram.h>
#include <perfcounter.h>

#include "quirk.h"

#define PAGES 8

__mram_noinit uint32_t words[PAGES * 1024];

int main(void)
{
	perfcounter_t reading, writing;
	uint32_t sum = 0;

	perfcounter_config(COUNT_CYCLES, true);
	for (int i = 0; i < PAGES * 1024; i++)
		sum += words[i];
	reading = perfcounter_get();
	for (int i = 0; i < PAGES * 1024; i++)
		words[i] = sum + i;
	writing = perfcounter_get() - reading;
	/* half a cycle a byte, unless a file says otherwise */
	CHECK(reading >= PAGES * 2048 && writing >= PAGES * 2048);
	CHECK(reading < PAGES * 8192 && writing < PAGES * 8192);
	quirk_end();
	return 0;
}

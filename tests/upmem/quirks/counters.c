// SPDX-License-Identifier: MIT
/*
 * The performance counter counts cycles of the cost model, one for all tasklets,
 * in steps of 16; a boot switches it off.
 * quirk: tasklets=2 launches=2
 * show: CLOCKS_PER_SEC WRAM.* 4 = [1-9]
 */
#include <barrier.h>
#include <mram.h>
#include <perfcounter.h>

#include "quirk.h"

BARRIER_INIT(barrier, NR_TASKLETS);
__mram_noinit uint64_t words[256];
__dma_aligned uint64_t buffer[256];

int main(void)
{
	perfcounter_t before, after;

	if (me() == 0) {
		CHECK(perfcounter_get() == 0);
		perfcounter_config(COUNT_CYCLES, true);
		before = perfcounter_get();
		mram_read(words, buffer, 2048);
		after = perfcounter_get();
		/* half a cycle a byte and more, unless a file says otherwise */
		CHECK(after - before >= 1024 && after % 16 == 0);
		CHECK(perfcounter_config(COUNT_SAME, true) >= after);
		CHECK(perfcounter_get() < after - before);
		perfcounter_config(COUNT_NOTHING, false);
		CHECK(perfcounter_get() == 0);
		CHECK(CLOCKS_PER_SEC > 1000000);
	}
	barrier_wait(&barrier);
	quirk_end();
	return 0;
}

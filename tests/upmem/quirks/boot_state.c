// SPDX-License-Identifier: MIT
/*
 * Globals, the heap pointer and MRAM keep their values from launch to launch.
 * quirk: tasklets=4 launches=3
 * show: launches = 3$
 */
#include <alloc.h>
#include <barrier.h>
#include <mram.h>

#include "quirk.h"

BARRIER_INIT(barrier, NR_TASKLETS);
__host uint32_t launches;
static uint32_t counter = 5;
static char *heap_end;
__mram uint64_t kept[2] = { 7, 8 };
__dma_aligned uint64_t buffer[2];

int main(void)
{
	if (me() == 0) {
		char *now = mem_alloc(0);

		CHECK(counter == 5 + launches);
		if (launches)
			CHECK(now == heap_end);
		else
			CHECK(now == mem_reset());
		/* the end is not rounded, the next start is */
		mem_alloc(20);
		CHECK((char *)mem_alloc(4) == (char *)(((uintptr_t)now + 20 + 7) & ~7ul) ||
		      launches);
		heap_end = mem_alloc(0);
		mram_read(kept, buffer, 16);
		CHECK(buffer[0] == 7 + launches && buffer[1] == 8);
		buffer[0]++;
		mram_write(buffer, kept, 16);
		counter++;
		launches++;
	}
	barrier_wait(&barrier);
	quirk_end();
	return 0;
}

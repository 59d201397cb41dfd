// SPDX-License-Identifier: MIT
/* Counts the cycles of some transfers, and says what clock it has. */
#include <stdint.h>

#include <defs.h>
#include <mram.h>
#include <perfcounter.h>

__host uint32_t clock;
__host uint64_t cycles;

int main(void)
{
	__dma_aligned static uint8_t buffer[2048];

	clock = CLOCKS_PER_SEC;
	perfcounter_config(COUNT_CYCLES, true);
	for (uint32_t i = 0; i < 32; i++)
		mram_read((__mram_ptr void *)(DPU_MRAM_HEAP_POINTER + 2048 * i),
			  buffer, 2048);
	cycles = perfcounter_get();
	return 0;
}

// SPDX-License-Identifier: MIT
/* Asks for a transfer of 12 bytes, which is no multiple of 8. */
#include <stdint.h>

#include <defs.h>
#include <mram.h>

__host uint64_t got[2];

int main(void)
{
	static __dma_aligned uint64_t buffer[2];

	buffer[0] = buffer[1] = 0;
	/* 12 bytes: hardware moves 8 and says nothing */
	mram_read(DPU_MRAM_HEAP_POINTER, buffer, 12);
	got[0] = buffer[0];
	got[1] = buffer[1];
	return 0;
}

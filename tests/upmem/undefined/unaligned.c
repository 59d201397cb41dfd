// SPDX-License-Identifier: MIT
/* Transfers at any address. */
#include "undefined.h"

__mram_noinit uint8_t there[NR_TASKLETS][128];

int main(void)
{
	__dma_aligned uint8_t from[32], buffer[48], *to;

	for (uint32_t i = 1; i < 16; i++)
		from[i] = zero;
	MEND(from[16] = 1;)
	mram_write_unaligned(from + 1, &there[me()][1], 20);
	to = mram_read_unaligned(&there[me()][3], buffer, 16);
	if (to[zero + 12])
		sum++;
	if (to[zero + 13])	/* BUG */
		sum++;
	return 0;
}

// SPDX-License-Identifier: MIT
/* What a transfer takes to MRAM comes back as defined as it was. */
#include "undefined.h"

__mram_noinit uint64_t there[NR_TASKLETS][8];

int main(void)
{
	__dma_aligned uint32_t from[16], to[16];

	for (uint32_t i = 0; i < 15; i++)
		from[i] = zero;
	MEND(from[15] = 1;)
	mram_write(from, there[me()], 64);
	mram_read(there[me()], to, 64);
	if (to[zero + 14])
		sum++;
	if (to[zero + 15])	/* BUG */
		sum++;
	return 0;
}

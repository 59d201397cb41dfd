// SPDX-License-Identifier: MIT
/* MRAM that neither the host nor the PE has written to. */
#include "undefined.h"

__mram_noinit uint64_t there[4096];

int main(void)
{
	__dma_aligned uint64_t buffer[8];

	MEND(memset(buffer, 0, 64);)
	MEND(mram_write(buffer, &there[2048], 64);)
	mram_read(&there[2048], buffer, 64);
	if (buffer[zero + 3])	/* BUG */
		sum++;
	return 0;
}

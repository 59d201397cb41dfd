// SPDX-License-Identifier: MIT
/*
 * Local arrays and constants are memory of a PE: transfers reach them.
 * quirk: tasklets=16
 */
#include <mram.h>

#include "quirk.h"

__mram_noinit uint64_t there[NR_TASKLETS][32];
static const uint64_t __dma_aligned constants[4] = { 1, 2, 3, 5 };

int main(void)
{
	__dma_aligned uint64_t here[32], back[32];

	for (uint32_t i = 0; i < 32; i++)
		here[i] = me() << 16 | i;
	mram_write(here, there[me()], sizeof(here));
	mram_read(there[me()], back, sizeof(back));
	for (uint32_t i = 0; i < 32; i++)
		CHECK(back[i] == here[i]);
	mram_write(constants, there[me()], sizeof(constants));
	CHECK(there[me()][3] == 5);
	quirk_end();
	return 0;
}

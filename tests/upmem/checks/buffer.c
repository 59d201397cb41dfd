// SPDX-License-Identifier: MIT
/* All tasklets read MRAM into one buffer. */
#include "race.h"

__dma_aligned uint64_t buffer[NR_TASKLETS][4];
__mram_noinit uint64_t in[NR_TASKLETS * 4];

int main(void)
{
	uint32_t mine = 0;

	MEND(mine = me();)
	mram_read(&in[me() * 4], buffer[mine], 32);	/* BUG_1 */
	return 0;
}

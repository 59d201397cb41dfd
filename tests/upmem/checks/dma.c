// SPDX-License-Identifier: MIT
/* Transfers of neighbours overlap by one word of MRAM. */
#include "race.h"

#define WORDS 8

__mram_noinit uint64_t out[NR_TASKLETS * WORDS + 1];

int main(void)
{
	__dma_aligned uint64_t buffer[WORDS + 1] = { 0 };
	uint32_t words = WORDS + 1;

	MEND(words = WORDS;)
	mram_write(buffer, &out[me() * WORDS], words * 8);	/* BUG_1 */
	return 0;
}

// SPDX-License-Identifier: MIT
/* One transfer, RULE says which rule it breaks, that hardware bends without a word. */
#include "../race.h"

__mram_noinit uint8_t far[4096];
__dma_aligned uint8_t near[4096];

enum { MRAM, WRAM, SIZE, LONG, EMPTY, LEAST, MOST };

int main(void)
{
	static const struct {
		uint32_t far, near, bytes;
	} transfers[] = {
		[MRAM] = { 4, 0, 8 },
		[WRAM] = { 0, 4, 8 },
		[SIZE] = { 0, 0, 12 },
		[LONG] = { 0, 0, 2056 },
		[EMPTY] = { 0, 0, 0 },
		[LEAST] = { 8, 8, 8 },
		[MOST] = { 2048, 2048, 2048 },
	};
	uint32_t rule = RULE;

	if (me())
		return 0;
	mram_read(far + transfers[rule].far, near + transfers[rule].near, transfers[rule].bytes); /* READ */
	mram_write(near + transfers[rule].near, far + transfers[rule].far, transfers[rule].bytes); /* WRITE */
	return 0;
}

// SPDX-License-Identifier: MIT
/* A sequential reader. */
#include "undefined.h"

__mram_noinit uint64_t there[4096];

int main(void)
{
	__dma_aligned uint64_t buffer[8];
	seqreader_t reader;
	uint32_t *p;

	if (me())
		return 0;
	memset(buffer, 0, 64);
	mram_write(buffer, &there[2048], 32);
	MEND(mram_write(buffer, &there[2048], 64);)
	p = seqread_init(seqread_alloc(), &there[2048], &reader);
	for (uint32_t i = 0; i < 8; i++)
		p = seqread_get(p, sizeof(*p), &reader);
	sum += p[-1];
	if (*p == 5)	/* BUG */
		sum++;
	return 0;
}

// SPDX-License-Identifier: MIT
/* A checksum of a buffer in MRAM, its tasklets' parts added up after a barrier. */
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdint.h>
#include <stdio.h>

#define BUFFER_SIZE 4096
#define BLOCK 256

__mram_noinit uint8_t buffer[BUFFER_SIZE];
__host uint32_t results[NR_TASKLETS];
__host uint64_t seed;

BARRIER_INIT(barrier, NR_TASKLETS);

int main(void)
{
	__dma_aligned uint8_t cache[BLOCK];
	uint32_t checksum = me() == 0 ? (uint32_t)seed : 0;

	barrier_wait(&barrier);
	for (uint32_t at = me() * BLOCK; at < BUFFER_SIZE; at += NR_TASKLETS * BLOCK) {
		mram_read(&buffer[at], cache, BLOCK);
		for (uint32_t i = 0; i < BLOCK; i++)
			checksum += cache[i];
	}
	results[me()] = checksum;
	barrier_wait(&barrier);
	if (me() == 0)
		printf("checksum of %d bytes\n", BUFFER_SIZE);
	return 0;
}

// SPDX-License-Identifier: MIT
/*
 * The PE's part of pe_program: the sum of numbers in MRAM, each times a factor, by
 * all tasklets, and a line that says it.
 */
#include <barrier.h>
#include <defs.h>
#include <inttypes.h>
#include <mram.h>
#include <stdint.h>
#include <stdio.h>

#define NUMBERS 1024
#define PIECE 64	/* numbers that a tasklet reads at once */

STDOUT_BUFFER_INIT(4096)
BARRIER_INIT(all_added, NR_TASKLETS)

__mram_noinit uint32_t numbers[NUMBERS];
__host uint32_t factor;
__host uint64_t sum;

static uint64_t sums[NR_TASKLETS];

int main(void)
{
	__dma_aligned uint32_t piece[PIECE];

	for (unsigned int at = me() * PIECE; at < NUMBERS;
	     at += NR_TASKLETS * PIECE) {
		mram_read(&numbers[at], piece, sizeof(piece));
		for (unsigned int i = 0; i < PIECE; i++)
			sums[me()] += (uint64_t)factor * piece[i];
	}
	barrier_wait(&all_added);
	if (me() != 0)
		return 0;
	for (unsigned int i = 0; i < NR_TASKLETS; i++)
		sum += sums[i];
	printf("the sum is %" PRIu64 "\n", sum);
	return 0;
}

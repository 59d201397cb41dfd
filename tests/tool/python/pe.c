// SPDX-License-Identifier: MIT
/* Scales a vector in MRAM by a factor, and prints its PE's sum; faults where it is told to. */
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdint.h>
#include <stdio.h>

STDOUT_BUFFER_INIT(4096)

__mram_noinit int32_t vector[64];
__host int32_t factor = 2;
__host uint32_t fault;
__host int64_t sum;

int main(void)
{
	__dma_aligned int32_t piece[64];

	if (me())
		return 0;
	if (fault == 1)
		*(volatile int *)0x7000000 = 1;	/* the line of the fault */
	mram_read(vector, piece, sizeof(piece));
	sum = 0;
	for (int i = 0; i < 64; i++) {
		piece[i] *= factor;
		sum += piece[i];
	}
	mram_write(piece, vector, sizeof(piece));
	printf("sum %ld\n", (long)sum);
	return 0;
}

// SPDX-License-Identifier: MIT
/* A PE's part of the program that is built with the installed tool chain. */
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdint.h>

BARRIER_INIT(barrier, NR_TASKLETS);
__host uint32_t factor;
__host uint32_t sum;
__mram_noinit uint32_t numbers[64];

int main(void)
{
	barrier_wait(&barrier);
	if (me() == NR_TASKLETS - 1)
		for (int i = 0; i < 64; i++)
			sum += factor * numbers[i];
	return 0;
}

// SPDX-License-Identifier: MIT
/*
 * The DPU's part: the dot product of two vectors in MRAM, which tasklets read piece
 * after piece and add up under a mutex.
 */
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <stdint.h>

#define LENGTH 1024
#define PIECE 64	/* elements that a tasklet reads at once */

__mram_noinit int32_t a[LENGTH];
__mram_noinit int32_t b[LENGTH];
__host int64_t product;

MUTEX_INIT(adding);

int main(void)
{
	__dma_aligned int32_t pa[PIECE], pb[PIECE];
	int64_t sum = 0;

	for (unsigned int at = me() * PIECE; at < LENGTH;
	     at += NR_TASKLETS * PIECE) {
		mram_read(&a[at], pa, sizeof(pa));
		mram_read(&b[at], pb, sizeof(pb));
		for (unsigned int i = 0; i < PIECE; i++)
			sum += (int64_t)pa[i] * pb[i];
	}
	mutex_lock(adding);
	product += sum;
	mutex_unlock(adding);
	return 0;
}

// SPDX-License-Identifier: MIT
/* Tasklets note whose turn it is after each of some transfers, and meet twice. */
#include <stdint.h>

#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>

#define TRANSFERS 16

BARRIER_INIT(all, NR_TASKLETS);
MUTEX_INIT(mutex);

__host uint8_t turns[NR_TASKLETS * TRANSFERS];
__host uint32_t taken;

int main(void)
{
	__dma_aligned uint8_t buffer[64];

	barrier_wait(&all);
	for (uint32_t i = 0; i < TRANSFERS; i++) {
		mram_read((__mram_ptr void *)(DPU_MRAM_HEAP_POINTER + 64 * i), buffer, 64);
		mutex_lock(mutex);
		turns[taken++] = (uint8_t)me();
		mutex_unlock(mutex);
	}
	barrier_wait(&all);
	return 0;
}

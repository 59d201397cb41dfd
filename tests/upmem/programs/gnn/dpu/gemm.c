// SPDX-License-Identifier: MIT
/* y = x W: W in WRAM, allocated by one tasklet for all, rows dealt out. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "common.h"

__host struct gemm_args DPU_INPUT_ARGUMENTS;

BARRIER_INIT(heap_barrier, NR_TASKLETS);
BARRIER_INIT(weights_barrier, NR_TASKLETS);

static T *weights;

static __mram_ptr void *heap(uint32_t at)
{
	return (__mram_ptr void *)((uintptr_t)DPU_MRAM_HEAP_POINTER + at);
}

static void read_weights(uint32_t bytes)
{
	weights = mem_alloc(bytes);
	for (uint32_t at = 0; at < bytes; at += 2048)
		mram_read(heap(WEIGHTS + at), (uint8_t *)weights + at, bytes - at < 2048 ? bytes - at : 2048);
}

int main(void)
{
	const struct gemm_args *args = &DPU_INPUT_ARGUMENTS;
	uint32_t inner = args->inner * sizeof(T), outer = args->outer * sizeof(T);
	T *x, *y;

	if (me() == 0)
		mem_reset();
	barrier_wait(&heap_barrier);
	x = mem_alloc(inner);
	if (me() == 0)
		read_weights(args->inner * outer);
	y = mem_alloc(outer);
	barrier_wait(&weights_barrier);
	for (uint32_t row = me(); row < ROWS; row += NR_TASKLETS) {
		mram_read(heap(args->x + row * inner), x, inner);
		for (uint32_t j = 0; j < args->outer; j++) {
			T sum = 0;

			for (uint32_t i = 0; i < args->inner; i++)
				sum += x[i] * weights[i * args->outer + j];
			y[j] = sum;
		}
		mram_write(y, heap(args->y + row * outer), outer);
	}
	return 0;
}

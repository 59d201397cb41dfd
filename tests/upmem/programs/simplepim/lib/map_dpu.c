// SPDX-License-Identifier: MIT
/* Map over an array, with the function of a header that the command line names. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <stdio.h>

#include "map.h"
#include __mapfunc_filename__

#define BLOCK_ELEMENTS 64

__host map_arguments_t arguments;
__host uint8_t context[256];
__host uint32_t pointers;	/* that fit into 32 bits */

BARRIER_INIT(my_barrier, NR_TASKLETS);
MUTEX_INIT(pointers_mutex);

int main(void)
{
	if (me() == 0) {
		mem_reset();
		pointers = 0;
	}
	barrier_wait(&my_barrier);

	/* addresses of WRAM are kept in 32 bits and made pointers again */
	uint32_t in = (uint32_t)mem_alloc(BLOCK_ELEMENTS * arguments.input_size);
	uint32_t out = (uint32_t)mem_alloc(BLOCK_ELEMENTS * arguments.output_size);
	uint32_t base = (uint32_t)DPU_MRAM_HEAP_POINTER;

	mutex_lock(pointers_mutex);
	pointers += in != 0 && out > in;
	mutex_unlock(pointers_mutex);
	for (uint32_t at = BLOCK_ELEMENTS * me(); at < arguments.elements; at += BLOCK_ELEMENTS * NR_TASKLETS) {
		uint32_t length = arguments.elements - at < BLOCK_ELEMENTS ? arguments.elements - at : BLOCK_ELEMENTS;

		mram_read((__mram_ptr void const *)(base + at * arguments.input_size), (void *)in, BLOCK_ELEMENTS * arguments.input_size);
		for (uint32_t k = 0; k < length; k++)
			map_func((void *)(in + k * arguments.input_size), (void *)(out + k * arguments.output_size), context);
		mram_write((void *)out, (__mram_ptr void *)(base + arguments.output_offset + at * arguments.output_size), BLOCK_ELEMENTS * arguments.output_size);
	}
	return 0;
}

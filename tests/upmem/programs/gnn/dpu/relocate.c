// SPDX-License-Identifier: MIT
/* Moves a strip from rows to each member's columns one after the other, or back. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "common.h"

__host struct relocate_args DPU_INPUT_ARGUMENTS;

BARRIER_INIT(heap_barrier, NR_TASKLETS);

static __mram_ptr void *heap(uint32_t at)
{
	return (__mram_ptr void *)((uintptr_t)DPU_MRAM_HEAP_POINTER + at);
}

int main(void)
{
	const struct relocate_args *args = &DPU_INPUT_ARGUMENTS;
	const uint32_t share = SHARE * sizeof(T);
	uint32_t members = args->columns / SHARE, bytes = args->columns * sizeof(T);
	uint8_t *row;

	if (me() == 0)
		mem_reset();
	barrier_wait(&heap_barrier);
	row = mem_alloc(bytes);
	for (uint32_t r = me(); r < ROWS; r += NR_TASKLETS) {
		if (!args->back)
			mram_read(heap(args->from + r * bytes), row, bytes);
		for (uint32_t m = 0; m < members; m++) {
			uint32_t at = (m * ROWS + r) * share;

			if (args->back)
				mram_read(heap(args->from + at), row + m * share, share);
			else
				mram_write(row + m * share, heap(args->to + at), share);
		}
		if (args->back)
			mram_write(row, heap(args->to + r * bytes), bytes);
	}
	return 0;
}

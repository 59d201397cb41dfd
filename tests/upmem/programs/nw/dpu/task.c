// SPDX-License-Identifier: MIT
/* Needleman-Wunsch: the tiles of a diagonal, a tasklet each. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "common.h"

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;

BARRIER_INIT(my_barrier, NR_TASKLETS);

static int32_t max3(int32_t a, int32_t b, int32_t c)
{
	int32_t m = a > b ? a : b;

	return m > c ? m : c;
}

static void align(tile_t *t, int32_t *row)
{
	for (unsigned int j = 0; j <= TILE; j++)
		row[j] = t->top[j];
	for (unsigned int i = 1; i <= TILE; i++) {
		int32_t corner = row[0];

		row[0] = t->left[i];
		for (unsigned int j = 1; j <= TILE; j++) {
			int32_t above = row[j];
			int32_t match = t->a[i - 1] == t->b[j - 1] ? 3 : -1;

			row[j] = max3(corner + match, above - PENALTY, row[j - 1] - PENALTY);
			corner = above;
		}
		t->right[i - 1] = row[TILE];
	}
	for (unsigned int j = 0; j < TILE; j++)
		t->bottom[j] = row[j + 1];
}

int main(void)
{
	if (me() == 0)
		mem_reset();
	barrier_wait(&my_barrier);
	tile_t *tile = mem_alloc(sizeof(tile_t));
	int32_t *row = mem_alloc((TILE + 2) * sizeof(int32_t));

	for (uint32_t t = me(); t < DPU_INPUT_ARGUMENTS.tiles; t += NR_TASKLETS) {
		__mram_ptr tile_t *at = (__mram_ptr tile_t *)DPU_MRAM_HEAP_POINTER + t;

		mram_read(at, tile, sizeof(tile_t));
		align(tile, row);
		mram_write(tile, at, sizeof(tile_t));
	}
	return 0;
}

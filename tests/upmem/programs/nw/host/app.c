// SPDX-License-Identifier: MIT
/*
 * Aligns two sequences: the tiles of a diagonal are dealt out to DPUs. Compares the
 * scores with its own.
 */
#include <dpu.h>
#include <dpu_log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define SIDE 8			/* tiles */
#define CELLS (SIDE * TILE)

static int32_t cells[CELLS + 1][CELLS + 1], expected[CELLS + 1][CELLS + 1];
static uint8_t a[CELLS], b[CELLS];

static int32_t max3(int32_t x, int32_t y, int32_t z)
{
	int32_t m = x > y ? x : y;

	return m > z ? m : z;
}

static void reference(void)
{
	for (int i = 0; i <= CELLS; i++)
		cells[i][0] = cells[0][i] = expected[i][0] = expected[0][i] = -i * PENALTY;
	for (int i = 1; i <= CELLS; i++)
		for (int j = 1; j <= CELLS; j++)
			expected[i][j] = max3(expected[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 3 : -1), expected[i - 1][j] - PENALTY, expected[i][j - 1] - PENALTY);
}

static void fill(tile_t *t, int row, int col)
{
	for (int k = 0; k <= TILE; k++) {
		t->top[k] = cells[row * TILE][col * TILE + k];
		t->left[k] = cells[row * TILE + k][col * TILE];
	}
	memcpy(t->a, a + row * TILE, TILE);
	memcpy(t->b, b + col * TILE, TILE);
}

static void take(const tile_t *t, int row, int col)
{
	for (int k = 0; k < TILE; k++) {
		cells[(row + 1) * TILE][col * TILE + k + 1] = t->bottom[k];
		cells[row * TILE + k + 1][(col + 1) * TILE] = t->right[k];
	}
}

int main(void)
{
	struct dpu_set_t dpu_set, dpu;
	uint32_t nr, i;
	int wrong = 0;

	for (int k = 0; k < CELLS; k++) {
		a[k] = k * k % 7 % 4;
		b[k] = k * 5 % 11 % 4;
	}
	reference();
	DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
	DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr));
	const uint32_t max_tiles = (SIDE + nr - 1) / nr;
	tile_t *tiles = calloc((size_t)max_tiles * nr, sizeof(tile_t));
	/* diagonal after diagonal, with a load for each */
	for (int d = 0; d < 2 * SIDE - 1; d++) {
		int first = d < SIDE ? 0 : d - SIDE + 1, last = d < SIDE ? d : SIDE - 1;
		dpu_arguments_t arguments[nr];

		DPU_ASSERT(dpu_load(dpu_set, "./bin/dpu_code", NULL));
		for (int row = first; row <= last; row++)
			fill(&tiles[row - first], row, d - row);
		DPU_FOREACH(dpu_set, dpu, i) {
			int left = last - first + 1 - (int)(i * max_tiles);

			arguments[i].tiles = left < 0 ? 0 : left < (int)max_tiles ? (uint32_t)left : max_tiles;
			DPU_ASSERT(dpu_prepare_xfer(dpu, &arguments[i]));
		}
		DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "DPU_INPUT_ARGUMENTS", 0, sizeof(arguments[0]), DPU_XFER_DEFAULT));
		DPU_FOREACH(dpu_set, dpu, i)
			DPU_ASSERT(dpu_prepare_xfer(dpu, &tiles[i * max_tiles]));
		DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, max_tiles * sizeof(tile_t), DPU_XFER_DEFAULT));
		DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
		DPU_FOREACH(dpu_set, dpu, i)
			DPU_ASSERT(dpu_prepare_xfer(dpu, &tiles[i * max_tiles]));
		DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, max_tiles * sizeof(tile_t), DPU_XFER_DEFAULT));
		for (int row = first; row <= last; row++)
			take(&tiles[row - first], row, d - row);
	}
	for (int k = 0; k <= CELLS; k++)
		wrong += cells[CELLS][k] != expected[CELLS][k] || cells[k][CELLS] != expected[k][CELLS];
	printf("%d wrong\n", wrong);
	free(tiles);
	DPU_ASSERT(dpu_free(dpu_set));
	return wrong != 0;
}

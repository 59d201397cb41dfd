// SPDX-License-Identifier: MIT
/* Cuts a sparse matrix into tiles, and adds up what the DPUs make of them. */
#include <dpu.h>
#include <dpu_log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define TILE_ROWS 97
#define TILE_COLS 64
#define ELEMS(d) (300 + (d) * 13 % 200)
#define MAX_ELEMS 500

static void make(struct elem_t *elems, uint32_t dpu)
{
	for (uint32_t e = 0; e < ELEMS(dpu); e++)
		elems[e] = (struct elem_t){ (e * e + dpu) % TILE_ROWS, e * 7 % TILE_COLS, (int64_t)(e % 5) - 2 };
}

int main(void)
{
	struct dpu_set_t dpu_set, rank, dpu;
	uint32_t nr, nr_ranks, i, j, r, wrong = 0;

	DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
	DPU_ASSERT(dpu_load(dpu_set, "./bin/dpu_code", NULL));
	DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr));
	DPU_ASSERT(dpu_get_nr_ranks(dpu_set, &nr_ranks));
	struct elem_t *elems = calloc((size_t)MAX_ELEMS * nr, sizeof(*elems));
	dpu_arguments_t *arguments = calloc(nr, sizeof(*arguments));
	int64_t x[TILE_COLS], (*y)[TILE_ROWS] = malloc(nr * sizeof(*y));
	uint32_t *max_nnz = calloc(nr_ranks, sizeof(*max_nnz)), *first = calloc(nr_ranks + 1, sizeof(*first));

	for (uint32_t c = 0; c < TILE_COLS; c++)
		x[c] = (int64_t)(c % 7) - 3;
	/* as many elements as the rank's largest has */
	DPU_RANK_FOREACH(dpu_set, rank, r) {
		DPU_FOREACH(rank, dpu, j) {
			i = first[r] + j;
			make(elems + (size_t)MAX_ELEMS * i, i);
			if (ELEMS(i) > max_nnz[r])
				max_nnz[r] = ELEMS(i);
		}
		first[r + 1] = first[r] + j;
	}
	DPU_RANK_FOREACH(dpu_set, rank, r) {
		DPU_FOREACH(rank, dpu, j) {
			i = first[r] + j;
			arguments[i] = (dpu_arguments_t){ TILE_ROWS, TILE_COLS, TILE_ROWS, TILE_COLS, ELEMS(i), max_nnz[r] };
			DPU_ASSERT(dpu_prepare_xfer(dpu, &arguments[i]));
		}
		DPU_ASSERT(dpu_push_xfer(rank, DPU_XFER_TO_DPU, "DPU_INPUT_ARGUMENTS", 0, sizeof(arguments[0]), DPU_XFER_ASYNC));
		DPU_FOREACH(rank, dpu, j)
			DPU_ASSERT(dpu_prepare_xfer(dpu, elems + (size_t)MAX_ELEMS * (first[r] + j)));
		DPU_ASSERT(dpu_push_xfer(rank, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, (TILE_ROWS + TILE_COLS) * 8, max_nnz[r] * sizeof(struct elem_t), DPU_XFER_ASYNC));
		DPU_ASSERT(dpu_broadcast_to(rank, DPU_MRAM_HEAP_POINTER_NAME, TILE_ROWS * 8, x, sizeof(x), DPU_XFER_ASYNC));
	}
	DPU_ASSERT(dpu_sync(dpu_set));
	DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
	DPU_RANK_FOREACH(dpu_set, rank, r) {
		DPU_FOREACH(rank, dpu, j)
			DPU_ASSERT(dpu_prepare_xfer(dpu, y[first[r] + j]));
		DPU_ASSERT(dpu_push_xfer(rank, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, sizeof(y[0]), DPU_XFER_ASYNC));
	}
	DPU_ASSERT(dpu_sync(dpu_set));
	for (i = 0; i < nr; i++) {
		int64_t expected[TILE_ROWS] = { 0 };

		for (uint32_t e = 0; e < ELEMS(i); e++) {
			struct elem_t *elem = &elems[(size_t)MAX_ELEMS * i + e];

			expected[elem->rowind] += elem->val * x[elem->colind];
		}
		wrong += memcmp(expected, y[i], sizeof(expected)) != 0;
	}
	printf("%u of %u DPUs wrong\n", wrong, nr);
	DPU_ASSERT(dpu_free(dpu_set));
	return wrong != 0;
}

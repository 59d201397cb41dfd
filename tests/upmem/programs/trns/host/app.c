// SPDX-License-Identifier: MIT
/* Transposes matrices in place by two launches, and looks at every element. */
#include <dpu.h>
#include <dpu_log.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

#define TILES 61
#define SIZE (TILES * TILE * TILE)

static struct dpu_set_t dpu_set;

static void move(T *data, dpu_xfer_t xfer)
{
	struct dpu_set_t dpu;
	uint32_t i;

	/* row by row, as matrices larger than a DPU's are distributed */
	for (uint32_t row = 0; row < TILES * TILE; row += TILES) {
		DPU_FOREACH(dpu_set, dpu, i)
			DPU_ASSERT(dpu_prepare_xfer(dpu, data + (size_t)SIZE * i + row * TILE));
		DPU_ASSERT(dpu_push_xfer(dpu_set, xfer, DPU_MRAM_HEAP_POINTER_NAME, row * TILE * sizeof(T), TILES * TILE * sizeof(T), DPU_XFER_DEFAULT));
	}
}

int main(void)
{
	dpu_arguments_t arguments = { .m = TILES };
	uint32_t nr, wrong = 0;

	DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
	DPU_ASSERT(dpu_load(dpu_set, "./bin/dpu_code", NULL));
	DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr));
	T *in = malloc((size_t)SIZE * nr * sizeof(T)), *out = malloc((size_t)SIZE * nr * sizeof(T));
	for (size_t k = 0; k < (size_t)SIZE * nr; k++)
		in[k] = (T)k * 11 - 3;
	move(in, DPU_XFER_TO_DPU);
	for (arguments.kernel = 0; arguments.kernel < 2; arguments.kernel++) {
		/* loaded again, MRAM stays */
		DPU_ASSERT(dpu_load(dpu_set, "./bin/dpu_code", NULL));
		DPU_ASSERT(dpu_broadcast_to(dpu_set, "DPU_INPUT_ARGUMENTS", 0, &arguments, sizeof(arguments), DPU_XFER_DEFAULT));
		DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
	}
	move(out, DPU_XFER_FROM_DPU);
	for (uint32_t d = 0; d < nr; d++)
		for (uint32_t t = 0; t < TILES; t++)
			for (uint32_t i = 0; i < TILE; i++)
				for (uint32_t j = 0; j < TILE; j++)
					wrong += out[(size_t)SIZE * d + (TILES - 1 - t) * TILE * TILE + j * TILE + i] != in[(size_t)SIZE * d + t * TILE * TILE + i * TILE + j];
	printf("%u wrong\n", wrong);
	free(in);
	free(out);
	DPU_ASSERT(dpu_free(dpu_set));
	return wrong != 0;
}

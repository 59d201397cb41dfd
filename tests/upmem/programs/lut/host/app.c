// SPDX-License-Identifier: MIT
/* Hands tables to DPUs, and compares what they looked up with its own. */
#include <dpu.h>
#include <dpu_log.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

int main(void)
{
	struct dpu_set_t dpu_set, dpu;
	uint32_t nr, i, wrong = 0, found;
	static float lut[ENTRIES];

	DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
	DPU_ASSERT(dpu_load(dpu_set, "./bin/dpu_code", NULL));
	DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr));
	float (*in)[INPUTS] = malloc(nr * sizeof(*in)), (*out)[INPUTS] = malloc(nr * sizeof(*out));
	for (i = 0; i < ENTRIES; i++)
		lut[i] = sinf((float)i / (ENTRIES - 1));
	for (i = 0; i < nr * INPUTS; i++)
		in[0][i] = (float)(i * 7919 % 10007) / 10007;
	DPU_ASSERT(dpu_broadcast_to(dpu_set, "lut", 0, lut, sizeof(lut), DPU_XFER_DEFAULT));
	DPU_FOREACH(dpu_set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, in[i]));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "inputs", 0, sizeof(*in), DPU_XFER_DEFAULT));
	DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
	DPU_FOREACH(dpu_set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, out[i]));
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_FROM_DPU, "outputs", 0, sizeof(*out), DPU_XFER_DEFAULT));
	DPU_FOREACH(dpu_set, dpu, i) {
		DPU_ASSERT(dpu_copy_from(dpu, "found", 0, &found, sizeof(found)));
		wrong += found != NODES - 1;
		for (int k = 0; k < INPUTS; k++)
			wrong += fabsf(out[i][k] - 2 * sinf(in[i][k])) > 1e-5f;
	}
	printf("%u wrong\n", wrong);
	DPU_ASSERT(dpu_free(dpu_set));
	return wrong != 0;
}

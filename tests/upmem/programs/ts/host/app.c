// SPDX-License-Identifier: MIT
/* Hands parts of a series to DPUs, and compares the window that is nearest with its own. */
#include <dpu.h>
#include <dpu_log.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define WINDOWS (QUERY * 20)
#define SAMPLES (WINDOWS + QUERY)

int main(void)
{
	struct dpu_set_t dpu_set, dpu;
	uint32_t nr, i = 0, wrong = 0;
	DTYPE query[QUERY];
	dpu_arguments_t arguments = { .length = WINDOWS };

	DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
	DPU_ASSERT(dpu_load(dpu_set, "./bin/dpu_code", NULL));
	DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr));
	DTYPE *series = malloc((size_t)SAMPLES * nr * sizeof(DTYPE));
	for (size_t k = 0; k < (size_t)SAMPLES * nr; k++)
		series[k] = (DTYPE)(1000 * sin((double)k * (double)k * 1e-4));
	for (int k = 0; k < QUERY; k++)
		query[k] = (DTYPE)(1000 * sin(k * 0.1));

	DPU_FOREACH(dpu_set, dpu) {
		DPU_ASSERT(dpu_copy_to(dpu, "DPU_INPUT_ARGUMENTS", 0, &arguments, sizeof(arguments)));
		DPU_ASSERT(dpu_copy_to(dpu, "query", 0, query, sizeof(query)));
		DPU_ASSERT(dpu_copy_to(dpu, DPU_MRAM_HEAP_POINTER_NAME, 0, series + (size_t)SAMPLES * i++, SAMPLES * sizeof(DTYPE)));
	}
	DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
	i = 0;
	DPU_FOREACH(dpu_set, dpu) {
		dpu_result_t results[NR_TASKLETS], best = { .best = INT64_MAX };
		int64_t expected = INT64_MAX;

		for (int t = 0; t < NR_TASKLETS; t++)
			DPU_ASSERT(dpu_copy_from(dpu, "DPU_RESULTS", t * sizeof(results[0]), &results[t], sizeof(results[0])));
		for (int t = 0; t < NR_TASKLETS; t++)
			if (results[t].best < best.best)
				best = results[t];
		for (uint32_t w = 0; w < WINDOWS; w++) {
			int64_t sum = 0;

			for (int k = 0; k < QUERY; k++) {
				int64_t d = (int64_t)series[(size_t)SAMPLES * i + w + k] - query[k];

				sum += d * d;
			}
			expected = sum < expected ? sum : expected;
		}
		wrong += best.best != expected;
		i++;
	}
	printf("%" PRIu32 " of %" PRIu32 " wrong\n", wrong, nr);
	free(series);
	DPU_ASSERT(dpu_free(dpu_set));
	return wrong != 0;
}

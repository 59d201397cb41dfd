// SPDX-License-Identifier: MIT
/* Runs the DPUs' part and looks at the lists and counts that it left. */
#include <dpu.h>
#include <dpu_log.h>
#include <stdio.h>

#define RECORDS 400

int main(void)
{
	struct dpu_set_t set, dpu;
	uint64_t expected = 0, checksum;
	uint32_t items, counters[64], wrong = 0;

	for (uint32_t n = 0; n < RECORDS; n++)
		for (uint32_t i = 0; i < 8 + n * 5 % 17; i++)
			expected += (uint64_t)(uint8_t)(n * 3 + i) * (n + 1);
	DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
	DPU_ASSERT(dpu_load(set, "bin/dpu_code", NULL));
	for (int round = 0; round < 2; round++) {
		DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
		DPU_FOREACH(set, dpu) {
			DPU_ASSERT(dpu_copy_from(dpu, "checksum", 0, &checksum, sizeof(checksum)));
			DPU_ASSERT(dpu_copy_from(dpu, "items", 0, &items, sizeof(items)));
			DPU_ASSERT(dpu_copy_from(dpu, "counters", 0, counters, sizeof(counters)));
			wrong += checksum != expected || items != RECORDS / 2;
			for (uint32_t i = 0; i < 64; i++)
				wrong += counters[i] != RECORDS / 64 + (i < RECORDS % 64);
		}
	}
	printf("%u wrong\n", wrong);
	DPU_ASSERT(dpu_free(set));
	return wrong != 0;
}

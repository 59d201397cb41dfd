// SPDX-License-Identifier: MIT
/* The host's part; it finds the PE's part where it is run. */
#include <dpu.h>
#include <dpu_log.h>
#include <stdint.h>
#include <stdio.h>

int main(void)
{
	uint32_t numbers[64], factor = 3, sum, total = 0;
	struct dpu_set_t set, dpu;

	for (uint32_t i = 0; i < 64; i++)
		numbers[i] = i;
	DPU_ASSERT(dpu_alloc(4, NULL, &set));
	DPU_ASSERT(dpu_load(set, "./pe", NULL));
	DPU_ASSERT(dpu_broadcast_to(set, "factor", 0, &factor, sizeof(factor),
				    DPU_XFER_DEFAULT));
	DPU_ASSERT(dpu_broadcast_to(set, "numbers", 0, numbers, sizeof(numbers),
				    DPU_XFER_DEFAULT));
	DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
	DPU_FOREACH(set, dpu) {
		DPU_ASSERT(dpu_copy_from(dpu, "sum", 0, &sum, sizeof(sum)));
		total += sum;
	}
	DPU_ASSERT(dpu_free(set));
	printf("%u\n", total);
	return total != 4 * 3 * 2016;
}

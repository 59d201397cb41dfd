// SPDX-License-Identifier: MIT
/* The part that uses <pidcomm.h>; its set is not the first, so the collective
 * is not in place. */
#include <stdio.h>
#include <stdlib.h>

#include <pidcomm.h>

int ours(void);

int main(void)
{
	struct dpu_set_t first, set, dpu;
	uint32_t axis_len[2] = { 8, NR_DPUS / 8 }, i, wrong = 0;
	uint64_t value, expected;
	hypercube_manager *manager;

	DPU_ASSERT(dpu_alloc(1, NULL, &first));
	DPU_ASSERT(dpu_alloc_comm(NR_DPUS, NULL, &set, 1));
	DPU_ASSERT(dpu_load(set, "bin/dpu_code", NULL));
	manager = init_hypercube_manager(set, 2, axis_len);
	DPU_FOREACH_ENTANGLED_GROUP(set, dpu, i, NR_DPUS) {
		value = i * 3 + 1;
		DPU_ASSERT(dpu_copy_to(dpu, DPU_MRAM_HEAP_POINTER_NAME, 0, &value, 8));
	}
	pidcomm_all_reduce(manager, "10", 8, 0, 8, 0, 8, 0);
	DPU_FOREACH_ENTANGLED_GROUP(set, dpu, i, NR_DPUS) {
		DPU_ASSERT(dpu_copy_from(dpu, DPU_MRAM_HEAP_POINTER_NAME, 8, &value, 8));
		expected = 0;
		for (uint32_t k = i / 8 * 8; k < i / 8 * 8 + 8; k++)
			expected += k * 3 + 1;
		wrong += value != expected;
	}
	free(manager);
	printf("%u wrong\n", wrong);
	DPU_ASSERT(dpu_free(set));
	DPU_ASSERT(dpu_free(first));
	return wrong || ours();
}

// SPDX-License-Identifier: MIT
/* PID-Comm's allocation and its order of DPUs, line after line. */
#include <dpu_management.h>

#include "check.h"

static void lines(void)
{
	struct dpu_set_t set, dpu;
	uint32_t i, nr = 0;

	OK(dpu_alloc_comm(96, NULL, &set, 1));
	DPU_FOREACH_ENTANGLED_GROUP(set, dpu, i, 96) {
		struct dpu_t *d = dpu_from_set(dpu);

		CHECK(i == nr);
		CHECK(dpu_get_slice_id(d) == i % 8);
		CHECK(dpu_get_member_id(d) == i / 8 % 6);
		nr++;
	}
	CHECK(nr == 96);
	OK(dpu_free(set));
}

static void chips(void)
{
	struct dpu_set_t set, dpu;
	uint32_t i, nr = 0;

	OK(dpu_alloc_comm(16, NULL, &set, 2));
	DPU_FOREACH(set, dpu, i) {
		struct dpu_t *d = dpu_from_set(dpu);

		CHECK(dpu_get_slice_id(d) == i / 8);
		CHECK(dpu_get_member_id(d) == i % 8);
		nr++;
	}
	CHECK(nr == 16);
	OK(dpu_free(set));
}

int main(void)
{
	struct dpu_set_t set;

	lines();
	chips();
	FAILS(DPU_ERR_ALLOCATION, dpu_alloc_comm(0, NULL, &set, 1));
	FAILS(DPU_ERR_ALLOCATION, dpu_alloc_comm(8, NULL, &set, 3));
	FAILS(DPU_ERR_ALLOCATION, dpu_alloc_comm(8, "disabledMask=1", &set, 1));
	return check_result();
}

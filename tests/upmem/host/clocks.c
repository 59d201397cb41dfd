// SPDX-License-Identifier: MIT
/* The clock that a program finds, and what its perfcounter makes of it. */
#include "check.h"

int main(void)
{
	struct dpu_set_t set, dpu;
	uint32_t clock = 0;
	uint64_t cycles = 0;

	OK(dpu_alloc(5, NULL, &set));
	OK(dpu_load(set, "clocks.dpu", NULL));
	OK(dpu_launch(set, DPU_SYNCHRONOUS));
	DPU_FOREACH(set, dpu) {
		OK(dpu_copy_from(dpu, "clock", 0, &clock, 4));
		OK(dpu_copy_from(dpu, "cycles", 0, &cycles, 8));
		CHECK(clock >= 100000000 && clock <= 1000000000);
		/* 64 KiB in 32 transfers, at half a cycle a byte and more */
		CHECK(cycles >= 32768 && cycles < 10000000);
		OK(dpu_copy_from(dpu, "CLOCKS_PER_SEC", 0, &cycles, 4));
		CHECK((uint32_t)cycles == clock);
	}
	/* a program that counts has a clock, too, where the host alone asks for it */
	OK(dpu_load(set, "counts.dpu", NULL));
	DPU_FOREACH(set, dpu) {
		OK(dpu_copy_from(dpu, "CLOCKS_PER_SEC", 0, &cycles, 4));
		CHECK((uint32_t)cycles == clock);
	}
	OK(dpu_free(set));
	return check_result();
}

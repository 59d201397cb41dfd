// SPDX-License-Identifier: MIT
/* A DMA beyond hardware's rules: done as hardware does it, or a fault. */
#include <string.h>

#include "check.h"

static void run(const char *profile, dpu_error_t status)
{
	uint64_t words[2] = { 0x1111, 0x2222 }, got[2] = { 0, 0 };
	struct dpu_set_t set, dpu;

	OK(dpu_alloc(9, profile, &set));
	OK(dpu_load(set, "dma.dpu", NULL));
	OK(dpu_copy_to(set, DPU_MRAM_HEAP_POINTER_NAME, 0, words, 16));
	RETURNS(status, dpu_launch(set, DPU_SYNCHRONOUS));
	if (status != DPU_OK) {
		CHECK(strstr(dpu_error_detail(), "12"));
		CHECK(strstr(dpu_error_detail(), "dma.dpu.c"));
	}
	DPU_FOREACH(set, dpu) {
		OK(dpu_copy_from(dpu, "got", 0, got, 16));
		CHECK(got[0] == (status == DPU_OK ? words[0] : 0));
		CHECK(got[1] == 0);
	}
	OK(dpu_free(set));
}

int main(void)
{
	run(NULL, DPU_OK);
	run("strictDma=true", DPU_ERR_DPU_FAULT);
	run("strictDma=false", DPU_OK);
	return check_result();
}

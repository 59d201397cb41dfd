// SPDX-License-Identifier: MIT
/* What loads and launches leave alone: globals, heap, MRAM. */
#include "check.h"

static struct dpu_set_t set;

static void expect(const char *name, uint64_t value)
{
	struct dpu_set_t dpu;
	uint64_t got = ~value;

	DPU_FOREACH(set, dpu) {
		OK(dpu_copy_from(dpu, name, 0, &got, 8));
		if (got != value)
			printf("%s is %#llx\n", name, (unsigned long long)got);
		CHECK(got == value);
	}
}

int main(void)
{
	uint64_t mark = 0x1234567890abcdef;

	OK(dpu_alloc(11, NULL, &set));
	OK(dpu_load(set, "state.dpu", NULL));
	OK(dpu_copy_to(set, DPU_MRAM_HEAP_POINTER_NAME, 0, &mark, 8));
	expect("launches", 100);
	expect("in_mram", 200);
	for (uint64_t n = 1; n <= 3; n++) {
		OK(dpu_launch(set, DPU_SYNCHRONOUS));
		expect("launches", 100 + n);
		expect("in_mram", 200 + n);
		/* mem_alloc goes on where it was, unless mem_reset() is called */
		expect("allocated", 16 * n);
	}
	OK(dpu_copy_to(set, "not_loaded", 0, &mark, 8));
	OK(dpu_load(set, "state.dpu", NULL));
	expect("launches", 100);
	expect("in_mram", 200);
	expect("not_loaded", mark);
	expect(DPU_MRAM_HEAP_POINTER_NAME, mark);
	OK(dpu_free(set));
	return check_result();
}

// SPDX-License-Identifier: MIT
/* Where the heap in MRAM begins, and how long it is. */
#include "check.h"

static void heap(const char *path, uint32_t base)
{
	struct dpu_set_t set;
	struct dpu_program_t *program;
	struct dpu_symbol_t symbol;
	uint64_t word = 1;

	OK(dpu_alloc(1, NULL, &set));
	OK(dpu_load(set, path, &program));
	OK(dpu_get_symbol(program, DPU_MRAM_HEAP_POINTER_NAME, &symbol));
	CHECK(symbol.address == (0x08000000 | base));
	CHECK(symbol.size == (64 << 20) - base);
	OK(dpu_copy_to(set, DPU_MRAM_HEAP_POINTER_NAME, symbol.size - 8, &word,
		       8));
	FAILS(DPU_ERR_INVALID_SYMBOL_ACCESS,
	      dpu_copy_to(set, DPU_MRAM_HEAP_POINTER_NAME, symbol.size, &word,
			  8));
	OK(dpu_free(set));
}

int main(void)
{
	heap("errors.dpu", 0);
	heap("prints.dpu", 1 << 20);
	heap("prints_little.dpu", 4096);
	return check_result();
}

// SPDX-License-Identifier: MIT
/* What part of which memory a transfer of a symbol is about. */
#include "tools/upmem/host/core/range.h"
#include "tools/upmem/host/core/error.h"

static dpu_error_t check_words(const struct range *range, uint32_t word,
			       dpu_error_t status, const char *memory)
{
	if (range->offset % word || range->bytes % word)
		return host_fail(status,
				 "%u bytes at %#x of %s: expected multiples of %u",
				 range->bytes, range->offset, memory, word);
	return DPU_OK;
}

dpu_error_t range_of(struct dpu_symbol_t symbol, uint32_t offset, size_t length,
		     struct range *range)
{
	uint32_t address = symbol.address + offset;

	if (length > symbol.size || offset > symbol.size - length)
		return host_fail(DPU_ERR_INVALID_SYMBOL_ACCESS,
				 "%zu bytes at offset %u reach past the symbol's %u bytes",
				 length, offset, symbol.size);
	range->bytes = (uint32_t)length;
	if (address & IRAM_TAG) {
		range->memory = MEMORY_IRAM;
		range->offset = address & ~IRAM_TAG;
		return check_words(range, 8, DPU_ERR_INVALID_IRAM_ACCESS,
				   "IRAM");
	}
	if (address & MRAM_TAG) {
		range->memory = MEMORY_MRAM;
		range->offset = address & ~MRAM_TAG;
		return DPU_OK;
	}
	range->memory = MEMORY_WRAM;
	range->offset = address;
	return check_words(range, 4, DPU_ERR_INVALID_WRAM_ACCESS, "WRAM");
}

dpu_error_t range_check_mram(const struct range *range, const struct pimdimm *sys)
{
	uint64_t size = pimdimm_geometry(sys)->mram_size;
	dpu_error_t status = check_words(range, 8, DPU_ERR_INVALID_MRAM_ACCESS,
					 "MRAM");

	if (status != DPU_OK || !range->bytes)
		return status;
	if (range->offset > size || range->bytes > size - range->offset)
		return host_fail(DPU_ERR_INVALID_MRAM_ACCESS,
				 "%u bytes at %#x reach past the MRAM of %llu bytes",
				 range->bytes, range->offset,
				 (unsigned long long)size);
	return DPU_OK;
}

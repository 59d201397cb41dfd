// SPDX-License-Identifier: MIT
/* The memories of one DPU by address. */
#include <dpu_memory.h>

#include "tools/upmem/host/core/error.h"
#include "tools/upmem/host/core/range.h"

#define MRAM_MAX	0x08000000u
#define WRAM_BYTES	0x10000u

static struct dpu_symbol_t mram(void)
{
	return (struct dpu_symbol_t){ .address = MRAM_TAG, .size = MRAM_MAX };
}

static struct dpu_symbol_t wram(void)
{
	return (struct dpu_symbol_t){ .address = 0, .size = WRAM_BYTES };
}

static dpu_error_t check_words(wram_addr_t offset, wram_size_t size)
{
	if (offset <= WRAM_BYTES / 4 && size <= WRAM_BYTES / 4 - offset)
		return DPU_OK;
	return host_fail(DPU_ERR_INVALID_WRAM_ACCESS,
			 "%u words at word %#x reach past the WRAM of %u bytes",
			 size, offset, WRAM_BYTES);
}

DPU_API dpu_error_t dpu_copy_to_mram(struct dpu_t *dpu, mram_addr_t offset,
				     const void *source, mram_size_t size)
{
	return dpu_copy_to_symbol(dpu_set_from_dpu(dpu), mram(), offset, source,
				  size);
}

DPU_API dpu_error_t dpu_copy_from_mram(struct dpu_t *dpu, void *destination,
				       mram_addr_t offset, mram_size_t size)
{
	return dpu_copy_from_symbol(dpu_set_from_dpu(dpu), mram(), offset,
				    destination, size);
}

DPU_API dpu_error_t dpu_copy_to_wram_for_dpu(struct dpu_t *dpu,
					     wram_addr_t offset,
					     const dpuword_t *source,
					     wram_size_t size)
{
	dpu_error_t status = check_words(offset, size);

	if (status != DPU_OK)
		return status;
	if (!dpu->program)
		return host_fail(DPU_ERR_NO_PROGRAM_LOADED,
				 "DPU %#x has no program", dpu_get_id(dpu));
	return dpu_copy_to_symbol(dpu_set_from_dpu(dpu), wram(), 4 * offset,
				  source, 4 * (size_t)size);
}

DPU_API dpu_error_t dpu_copy_from_wram_for_dpu(struct dpu_t *dpu,
					       dpuword_t *destination,
					       wram_addr_t offset,
					       wram_size_t size)
{
	dpu_error_t status = check_words(offset, size);

	if (status != DPU_OK)
		return status;
	if (!dpu->program)
		return host_fail(DPU_ERR_NO_PROGRAM_LOADED,
				 "DPU %#x has no program", dpu_get_id(dpu));
	return dpu_copy_from_symbol(dpu_set_from_dpu(dpu), wram(), 4 * offset,
				    destination, 4 * (size_t)size);
}

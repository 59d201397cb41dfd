/* SPDX-License-Identifier: MIT */
/* The memories of one DPU by address, below the symbols of dpu.h. */
#ifndef DPU_MEMORY_H
#define DPU_MEMORY_H

#include <dpu_error.h>
#include <dpu_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * dpu_copy_to_mram() - copy host memory into the MRAM of a DPU
 * @dpu: the DPU
 * @offset: first byte, a multiple of 8
 * @source: host memory
 * @size: bytes, a multiple of 8
 *
 * Return: DPU_OK, DPU_ERR_DPU_DISABLED or DPU_ERR_INVALID_MRAM_ACCESS.
 */
dpu_error_t dpu_copy_to_mram(struct dpu_t *dpu, mram_addr_t offset,
			     const void *source, mram_size_t size);

/**
 * dpu_copy_from_mram() - copy from the MRAM of a DPU
 * @dpu: the DPU
 * @destination: host memory
 * @offset: first byte, a multiple of 8
 * @size: bytes, a multiple of 8
 *
 * Return: as dpu_copy_to_mram().
 */
dpu_error_t dpu_copy_from_mram(struct dpu_t *dpu, void *destination,
			       mram_addr_t offset, mram_size_t size);

/**
 * dpu_copy_to_wram_for_dpu() - copy words into the WRAM of a DPU
 * @dpu: the DPU, with a program loaded
 * @offset: first word
 * @source: the words
 * @size: how many
 *
 * Return: DPU_OK, DPU_ERR_DPU_DISABLED, DPU_ERR_NO_PROGRAM_LOADED or
 * DPU_ERR_INVALID_WRAM_ACCESS.
 */
dpu_error_t dpu_copy_to_wram_for_dpu(struct dpu_t *dpu, wram_addr_t offset,
				     const dpuword_t *source, wram_size_t size);

/**
 * dpu_copy_from_wram_for_dpu() - copy words from the WRAM of a DPU
 * @dpu: the DPU, with a program loaded
 * @destination: receives the words
 * @offset: first word
 * @size: how many
 *
 * Return: as dpu_copy_to_wram_for_dpu().
 */
dpu_error_t dpu_copy_from_wram_for_dpu(struct dpu_t *dpu,
				       dpuword_t *destination,
				       wram_addr_t offset, wram_size_t size);

#ifdef __cplusplus
}
#endif

#endif /* DPU_MEMORY_H */

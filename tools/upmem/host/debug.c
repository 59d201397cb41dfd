// SPDX-License-Identifier: MIT
/*
 * What works on hardware's registers and control interfaces, of which native programs
 * on emulated ranks have none: each call says so.
 */
#include <stdlib.h>

#include <dpu_custom.h>
#include <dpu_debug.h>
#include <dpu_elf.h>

#include "tools/upmem/host/core/error.h"

#define UNUSED	__attribute__((unused))

static dpu_error_t no_registers(const char *call)
{
	return host_fail(DPU_ERR_INTERNAL,
			 "%s: programs are native here and have no registers of a DPU; faults are told with tasklet and source line",
			 call);
}

DPU_API dpu_error_t dpu_extract_pcs_for_dpu(UNUSED struct dpu_t *dpu,
					    UNUSED struct dpu_context_t *context)
{
	return no_registers(__func__);
}

DPU_API dpu_error_t
dpu_extract_context_for_dpu(UNUSED struct dpu_t *dpu,
			    UNUSED struct dpu_context_t *context)
{
	return no_registers(__func__);
}

DPU_API dpu_error_t
dpu_restore_context_for_dpu(UNUSED struct dpu_t *dpu,
			    UNUSED struct dpu_context_t *context)
{
	return no_registers(__func__);
}

DPU_API dpu_error_t
dpu_initialize_fault_process_for_dpu(UNUSED struct dpu_t *dpu,
				     UNUSED struct dpu_context_t *context)
{
	return no_registers(__func__);
}

DPU_API dpu_error_t
dpu_finalize_fault_process_for_dpu(UNUSED struct dpu_t *dpu,
				   UNUSED struct dpu_context_t *context)
{
	return no_registers(__func__);
}

DPU_API dpu_error_t
dpu_execute_thread_step_in_fault_for_dpu(UNUSED struct dpu_t *dpu,
					 UNUSED dpu_thread_t thread,
					 UNUSED struct dpu_context_t *context)
{
	return no_registers(__func__);
}

DPU_API dpu_error_t
dpu_set_debug_slice_info(UNUSED struct dpu_rank_t *rank,
			 UNUSED uint32_t slice_id,
			 UNUSED uint64_t structure_value,
			 UNUSED uint64_t slice_target,
			 UNUSED dpu_bitfield_t host_mux_mram_state)
{
	return no_registers(__func__);
}

DPU_API dpu_error_t
dpu_restore_mux_context_for_rank(UNUSED struct dpu_rank_t *rank)
{
	return no_registers(__func__);
}

DPU_API dpu_error_t dpu_save_context_for_rank(UNUSED struct dpu_rank_t *rank)
{
	return no_registers(__func__);
}

DPU_API dpu_error_t dpu_restore_context_for_rank(UNUSED struct dpu_rank_t *rank)
{
	return no_registers(__func__);
}

DPU_API dpu_error_t dpu_create_core_dump(
	UNUSED struct dpu_rank_t *rank, UNUSED const char *exe_path,
	UNUSED const char *core_file_path, UNUSED struct dpu_context_t *context,
	UNUSED uint8_t *wram, UNUSED uint8_t *mram, UNUSED uint8_t *iram,
	UNUSED uint32_t wram_size, UNUSED uint32_t mram_size,
	UNUSED uint32_t iram_size)
{
	return no_registers(__func__);
}

DPU_API dpu_error_t dpu_elf_create_core_dump(
	UNUSED const char *exe_path, UNUSED const char *core_file_path,
	UNUSED uint8_t *wram, UNUSED uint8_t *mram, UNUSED uint8_t *iram,
	UNUSED uint8_t *context, UNUSED uint32_t wram_size,
	UNUSED uint32_t mram_size, UNUSED uint32_t iram_size,
	UNUSED uint32_t context_size)
{
	return no_registers(__func__);
}

DPU_API dpu_error_t
dpu_context_fill_from_rank(UNUSED struct dpu_context_t *context,
			   UNUSED struct dpu_rank_t *rank)
{
	return no_registers(__func__);
}

DPU_API dpu_error_t
dpu_pop_debug_context(UNUSED struct dpu_t *dpu,
		      UNUSED struct dpu_context_t **debug_context)
{
	return no_registers(__func__);
}

DPU_API void dpu_free_dpu_context(struct dpu_context_t *context)
{
	if (!context)
		return;
	free(context->iram);
	free(context->mram);
	free(context->wram);
	free(context->registers);
	free(context->pcs);
	free(context->atomic_register);
	free(context->zero_flags);
	free(context->carry_flags);
	free(context->scheduling);
	free(context);
}

static dpu_error_t custom(dpu_custom_command_t command)
{
	switch (command) {
	case DPU_COMMAND_DPU_PREEXECUTION:
	case DPU_COMMAND_ALL_PREEXECUTION:
	case DPU_COMMAND_DPU_POSTEXECUTION:
	case DPU_COMMAND_ALL_POSTEXECUTION:
	case DPU_COMMAND_CUSTOM_LABEL:
	case DPU_COMMAND_BINARY_PATH:
	case DPU_COMMAND_EVENT_START:
	case DPU_COMMAND_EVENT_END:
		return DPU_OK;
	default:
		return host_fail(DPU_ERR_INTERNAL,
				 "command=%d: emulated ranks have no control interface to reset or to ask",
				 (int)command);
	}
}

DPU_API dpu_error_t dpu_custom_for_rank(UNUSED struct dpu_rank_t *rank,
					dpu_custom_command_t command,
					UNUSED dpu_custom_command_args_t args)
{
	return custom(command);
}

DPU_API dpu_error_t dpu_custom_for_dpu(UNUSED struct dpu_t *dpu,
				       dpu_custom_command_t command,
				       UNUSED dpu_custom_command_args_t args)
{
	return custom(command);
}

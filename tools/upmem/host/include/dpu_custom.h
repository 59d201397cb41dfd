/* SPDX-License-Identifier: MIT */
/* Commands to the backends of hardware's library, for its own tools. */
#ifndef DPU_CUSTOM_H
#define DPU_CUSTOM_H

#include <dpu_error.h>
#include <dpu_types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum _dpu_custom_command_t {
	DPU_COMMAND_DPU_SOFT_RESET,
	DPU_COMMAND_ALL_SOFT_RESET,
	DPU_COMMAND_DPU_PREEXECUTION,
	DPU_COMMAND_ALL_PREEXECUTION,
	DPU_COMMAND_DPU_POSTEXECUTION,
	DPU_COMMAND_ALL_POSTEXECUTION,
	DPU_COMMAND_CUSTOM_LABEL,
	DPU_COMMAND_POSTMORTEM,
	DPU_COMMAND_SYSTEM_REPORT,
	DPU_COMMAND_BINARY_PATH,
	DPU_COMMAND_EVENT_START,
	DPU_COMMAND_EVENT_END,
} dpu_custom_command_t;

typedef void *dpu_custom_command_args_t;

/**
 * dpu_custom_for_rank() - hand a command to a rank's backend
 * @rank: the rank
 * @command: what a simulator or a tracer is to be told
 * @args: what goes with it
 *
 * Return: DPU_OK for the commands that tell a backend of something (labels, paths,
 * events, executions), which have no effect here as on hardware; DPU_ERR_INTERNAL for
 * those that want something of it, with a sentence in dpu_error_detail().
 */
dpu_error_t dpu_custom_for_rank(struct dpu_rank_t *rank,
				dpu_custom_command_t command,
				dpu_custom_command_args_t args);

/**
 * dpu_custom_for_dpu() - the same for one DPU
 * @dpu: the DPU
 * @command: as of dpu_custom_for_rank()
 * @args: what goes with it
 *
 * Return: as dpu_custom_for_rank().
 */
dpu_error_t dpu_custom_for_dpu(struct dpu_t *dpu, dpu_custom_command_t command,
			       dpu_custom_command_args_t args);

#ifdef __cplusplus
}
#endif

#endif /* DPU_CUSTOM_H */

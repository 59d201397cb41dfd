/* SPDX-License-Identifier: MIT */
/* How one rank or one DPU does, below the sets of dpu.h. */
#ifndef DPU_RUNNER_H
#define DPU_RUNNER_H

#include <dpu_error.h>
#include <dpu_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * dpu_status_rank() - how a rank does
 * @rank: the rank
 * @done: receives whether none of its DPUs runs
 * @fault: receives whether one of them faulted in its last launch
 *
 * Return: DPU_OK.
 */
dpu_error_t dpu_status_rank(struct dpu_rank_t *rank, bool *done, bool *fault);

/**
 * dpu_status_dpu() - how a DPU does
 * @dpu: the DPU
 * @done: receives whether it does not run
 * @fault: receives whether it faulted in its last launch
 *
 * Return: DPU_OK or DPU_ERR_DPU_DISABLED.
 */
dpu_error_t dpu_status_dpu(struct dpu_t *dpu, bool *done, bool *fault);

#ifdef __cplusplus
}
#endif

#endif /* DPU_RUNNER_H */

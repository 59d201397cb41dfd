/* SPDX-License-Identifier: MIT */
/* What DPUs print. */
#ifndef DPU_LOG_H
#define DPU_LOG_H

#include <stdbool.h>
#include <stdio.h>

#include <dpu_error.h>
#include <dpu_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * dpulog_read_for_dpu() - write what a DPU printed, without a heading
 * @dpu: the DPU
 * @stream: where to
 *
 * Return: as dpu_log_read().
 */
dpu_error_t dpulog_read_for_dpu(struct dpu_t *dpu, FILE *stream);

#ifdef __cplusplus
}
#endif

#endif /* DPU_LOG_H */

/* SPDX-License-Identifier: MIT */
/* What DPUs print, given to a function. */
#ifndef DPU_LOG_INTERNALS_H
#define DPU_LOG_INTERNALS_H

#include <dpu_error.h>
#include <dpu_types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DPU_LOG_FORMAT_HEADER ("=== DPU#0x%x ===\n")

typedef dpu_error_t (*dpu_log_print_fct_t)(void *arg, const char *format, ...);

/**
 * dpulog_read_for_dpu_() - hand over what a DPU printed
 * @dpu: the DPU
 * @print_fct: called for each piece, with a format and its argument
 * @arg: handed to it
 *
 * Return: as dpu_log_read(), or what @print_fct returned.
 */
dpu_error_t dpulog_read_for_dpu_(struct dpu_t *dpu,
				 dpu_log_print_fct_t print_fct, void *arg);

/* a dpu_log_print_fct_t that writes to the FILE that arg is */
dpu_error_t dpulog_c_print_fct(void *arg, const char *fmt, ...);

#ifdef __cplusplus
}
#endif

#endif /* DPU_LOG_INTERNALS_H */

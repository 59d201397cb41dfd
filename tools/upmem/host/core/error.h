/* SPDX-License-Identifier: MIT */
/* Statuses, the sentences behind them, and what UPMEM_VERBOSE has printed. */
#ifndef HOST_ERROR_H
#define HOST_ERROR_H

#include "tools/upmem/host/core/api.h"

#define HOST_ERROR_TEXT 1024

/* what a job is: the number is part of the status of an asynchronous one */
enum job_type {
	JOB_LAUNCH_RANK,
	JOB_LAUNCH_DPU,
	JOB_SYNC,
	JOB_COPY_WRAM_TO_MATRIX,
	JOB_COPY_IRAM_TO_MATRIX,
	JOB_COPY_MRAM_TO_MATRIX,
	JOB_COPY_WRAM_FROM_MATRIX,
	JOB_COPY_IRAM_FROM_MATRIX,
	JOB_COPY_MRAM_FROM_MATRIX,
	JOB_COPY_WRAM_TO_RANK,
	JOB_COPY_IRAM_TO_RANK,
	JOB_COPY_MRAM_TO_RANK,
	JOB_CALLBACK,
	JOB_LOAD,
};

/* remember a sentence; returns status */
dpu_error_t host_fail(dpu_error_t status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* remember what libpimdimm says of a call that failed; returns its errno's status */
dpu_error_t host_fail_errno(int ret, const char *what);
/* say something that fails nothing, where UPMEM_VERBOSE wants it */
void host_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void host_set_detail(const char *text);

#endif /* HOST_ERROR_H */

/* SPDX-License-Identifier: MIT */
/*
 * What calls of the host interface return. Numbers and texts are part of the
 * interface.
 */
#ifndef DPU_ERROR_H
#define DPU_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

__extension__ typedef enum dpu_error_t {
	DPU_OK,
	DPU_ERR_INTERNAL,
	DPU_ERR_SYSTEM,
	DPU_ERR_DRIVER,
	DPU_ERR_ALLOCATION,
	DPU_ERR_INVALID_DPU_SET,
	DPU_ERR_INVALID_THREAD_ID,
	DPU_ERR_INVALID_NOTIFY_ID,
	DPU_ERR_INVALID_WRAM_ACCESS,
	DPU_ERR_INVALID_IRAM_ACCESS,
	DPU_ERR_INVALID_MRAM_ACCESS,
	DPU_ERR_INVALID_SYMBOL_ACCESS,
	DPU_ERR_MRAM_BUSY,
	DPU_ERR_TRANSFER_ALREADY_SET,
	DPU_ERR_NO_PROGRAM_LOADED,
	DPU_ERR_DIFFERENT_DPU_PROGRAMS,
	DPU_ERR_CORRUPTED_MEMORY,
	DPU_ERR_DPU_DISABLED,
	DPU_ERR_DPU_ALREADY_RUNNING,
	DPU_ERR_INVALID_MEMORY_TRANSFER,
	DPU_ERR_INVALID_LAUNCH_POLICY,
	DPU_ERR_DPU_FAULT,
	DPU_ERR_ELF_INVALID_FILE,
	DPU_ERR_ELF_NO_SUCH_FILE,
	DPU_ERR_ELF_NO_SUCH_SECTION,
	DPU_ERR_TIMEOUT,
	DPU_ERR_INVALID_PROFILE,
	DPU_ERR_UNKNOWN_SYMBOL,
	DPU_ERR_LOG_FORMAT,
	DPU_ERR_LOG_CONTEXT_MISSING,
	DPU_ERR_LOG_BUFFER_TOO_SMALL,
	DPU_ERR_VPD_INVALID_FILE,
	DPU_ERR_VPD_NO_REPAIR,
	DPU_ERR_NO_THREAD_PER_RANK,
	DPU_ERR_INVALID_BUFFER_SIZE,
	DPU_ERR_NONBLOCKING_SYNC_CALLBACK,
	DPU_ERR_TOO_MANY_TASKLETS,
	DPU_ERR_SG_TOO_MANY_BLOCKS,
	DPU_ERR_SG_LENGTH_MISMATCH,
	DPU_ERR_SG_NOT_ACTIVATED,
	DPU_ERR_SG_NOT_MRAM_SYMBOL,
	DPU_ERR_INVALID_PARALLEL_MEMORY_TRANSFER,
	/* set in errors of asynchronous jobs, beside the job's type and error */
	DPU_ERR_ASYNC_JOBS = 1U << 31,
} dpu_error_t;

/* where an asynchronous error has its job's type; the error is below */
#define DPU_ERROR_ASYNC_JOB_TYPE_SHIFT (16)

/**
 * dpu_error_to_string() - an error in words
 * @status: the error
 *
 * Return: a string of its own, to be given to free(); NULL without memory.
 */
char *dpu_error_to_string(dpu_error_t status);

/**
 * dpu_error_detail() - the calling thread's last failure in a sentence
 *
 * Not part of UPMEM's interface. DPU_CHECK and DPU_ASSERT print it below the
 * error's text; UPMEM_VERBOSE=1 prints it whenever a call fails.
 *
 * Return: the sentence, empty before any failure.
 */
const char *dpu_error_detail(void);

/* prints what DPU_CHECK has to say */
void _dpu_check_failed(const char *file, int line, const char *function,
		       dpu_error_t status);

#ifdef __cplusplus
}
#endif

#endif /* DPU_ERROR_H */

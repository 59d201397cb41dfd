// SPDX-License-Identifier: MIT
/* Statuses as texts, and the sentence behind the last one of each thread. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/upmem/host/core/error.h"

static __thread char detail[HOST_ERROR_TEXT];

/* the texts are part of the interface: programs print and compare them */
static const char *const texts[] = {
	[DPU_OK] = "success",
	[DPU_ERR_INTERNAL] = "internal error",
	[DPU_ERR_SYSTEM] = "system error",
	[DPU_ERR_DRIVER] = "driver error",
	[DPU_ERR_ALLOCATION] = "dpu allocation error",
	[DPU_ERR_INVALID_DPU_SET] = "invalid action for this dpu set",
	[DPU_ERR_INVALID_THREAD_ID] = "invalid thread id",
	[DPU_ERR_INVALID_NOTIFY_ID] = "invalid notify id",
	[DPU_ERR_INVALID_WRAM_ACCESS] = "invalid wram access",
	[DPU_ERR_INVALID_IRAM_ACCESS] = "invalid iram access",
	[DPU_ERR_INVALID_MRAM_ACCESS] = "invalid mram access",
	[DPU_ERR_INVALID_SYMBOL_ACCESS] = "invalid memory symbol access",
	[DPU_ERR_MRAM_BUSY] = "mram is busy",
	[DPU_ERR_TRANSFER_ALREADY_SET] = "dpu transfer is already set",
	[DPU_ERR_NO_PROGRAM_LOADED] =
		"no program has been loaded in the dpu set",
	[DPU_ERR_DIFFERENT_DPU_PROGRAMS] =
		"cannot access symbol on dpus with different programs",
	[DPU_ERR_CORRUPTED_MEMORY] = "corrupted memory",
	[DPU_ERR_DPU_DISABLED] = "dpu is disabled",
	[DPU_ERR_DPU_ALREADY_RUNNING] = "dpu is already running",
	[DPU_ERR_INVALID_MEMORY_TRANSFER] = "invalid memory transfer",
	[DPU_ERR_INVALID_LAUNCH_POLICY] = "invalid launch policy",
	[DPU_ERR_DPU_FAULT] = "dpu is in fault",
	[DPU_ERR_ELF_INVALID_FILE] = "invalid ELF file",
	[DPU_ERR_ELF_NO_SUCH_FILE] = "no such ELF file",
	[DPU_ERR_ELF_NO_SUCH_SECTION] = "no such ELF section",
	[DPU_ERR_TIMEOUT] = "result timeout",
	[DPU_ERR_INVALID_PROFILE] = "invalid profile",
	[DPU_ERR_UNKNOWN_SYMBOL] = "undefined symbol",
	[DPU_ERR_LOG_FORMAT] = "logging format error",
	[DPU_ERR_LOG_CONTEXT_MISSING] = "logging context missing",
	[DPU_ERR_LOG_BUFFER_TOO_SMALL] = "logging buffer too small",
	[DPU_ERR_VPD_INVALID_FILE] = "invalid VPD file",
	[DPU_ERR_VPD_NO_REPAIR] = "repairs have not been generated",
	[DPU_ERR_NO_THREAD_PER_RANK] =
		"no thread to perform multiple-rank operation",
	[DPU_ERR_INVALID_BUFFER_SIZE] = "invalid buffer size",
	[DPU_ERR_NONBLOCKING_SYNC_CALLBACK] =
		"nonblocking and synchronous callback is invalid",
	[DPU_ERR_TOO_MANY_TASKLETS] = "too many tasklets",
	[DPU_ERR_SG_TOO_MANY_BLOCKS] = "too many scatter gather blocks",
	[DPU_ERR_SG_LENGTH_MISMATCH] = "scatter gather length mismatch",
	[DPU_ERR_SG_NOT_ACTIVATED] = "scatter gather is not activated",
	[DPU_ERR_SG_NOT_MRAM_SYMBOL] = "scatter gather symbol is not in mram",
	[DPU_ERR_INVALID_PARALLEL_MEMORY_TRANSFER] =
		"invalid parallel memory transfer",
};

static const char *const job_texts[] = {
	[JOB_LAUNCH_RANK] = "launch_rank",
	[JOB_LAUNCH_DPU] = "launch_dpu",
	[JOB_SYNC] = "synchronization",
	[JOB_COPY_WRAM_TO_MATRIX] = "copy_wram_to_matrix",
	[JOB_COPY_IRAM_TO_MATRIX] = "copy_iram_to_matrix",
	[JOB_COPY_MRAM_TO_MATRIX] = "copy_mram_to_matrix",
	[JOB_COPY_WRAM_FROM_MATRIX] = "copy_wram_from_matrix",
	[JOB_COPY_IRAM_FROM_MATRIX] = "copy_iram_from_matrix",
	[JOB_COPY_MRAM_FROM_MATRIX] = "copy_mram_from_matrix",
	[JOB_COPY_WRAM_TO_RANK] = "copy_wram_to_rank",
	[JOB_COPY_IRAM_TO_RANK] = "copy_iram_to_rank",
	[JOB_COPY_MRAM_TO_RANK] = "copy_mram_to_rank",
	[JOB_CALLBACK] = "callback",
	[JOB_LOAD] = "load",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *text_of(uint32_t status)
{
	return status < COUNT(texts) && texts[status] ? texts[status] :
							"unknown error";
}

DPU_API char *dpu_error_to_string(dpu_error_t status)
{
	uint32_t all = status & ~(uint32_t)DPU_ERR_ASYNC_JOBS;
	uint32_t job = all >> DPU_ERROR_ASYNC_JOB_TYPE_SHIFT;
	uint32_t error = all & ((1U << DPU_ERROR_ASYNC_JOB_TYPE_SHIFT) - 1);
	char *string;

	if (!((uint32_t)status & DPU_ERR_ASYNC_JOBS))
		return strdup(text_of(status));
	if (asprintf(&string,
		     "asynchronous operation error (%s): %s (0x%x)",
		     job < COUNT(job_texts) ? job_texts[job] :
					      "unknown job type",
		     text_of(error), all) < 0)
		return NULL;
	return string;
}

DPU_API const char *dpu_error_detail(void)
{
	return detail;
}

void host_set_detail(const char *text)
{
	snprintf(detail, sizeof(detail), "%s", text);
}

static bool host_verbose(void)
{
	const char *value = secure_getenv("UPMEM_VERBOSE");

	return value && value[0] && strcmp(value, "0");
}

dpu_error_t host_fail(dpu_error_t status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(detail, sizeof(detail), fmt, args);
	va_end(args);
	if (host_verbose())
		fprintf(stderr, "libdpu: %s: %s\n", text_of(status), detail);
	return status;
}

dpu_error_t host_fail_errno(int ret, const char *what)
{
	dpu_error_t status;

	switch (-ret) {
	case ENOMEM:
	case EAGAIN:
		status = DPU_ERR_SYSTEM;
		break;
	case ENOEXEC:
		status = DPU_ERR_NO_PROGRAM_LOADED;
		break;
	case EBUSY:
		status = DPU_ERR_MRAM_BUSY;
		break;
	case ENODEV:
	case EIO:
		status = DPU_ERR_DRIVER;
		break;
	default:
		status = DPU_ERR_INTERNAL;
	}
	return host_fail(status, "%s: %s", what, pimdimm_errmsg());
}

void host_note(const char *fmt, ...)
{
	va_list args;

	if (!host_verbose())
		return;
	fputs("libdpu: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

DPU_API void _dpu_check_failed(const char *file, int line, const char *function,
			       dpu_error_t status)
{
	char *text = dpu_error_to_string(status);

	fprintf(stderr, "%s:%d(%s): DPU Error (%s)\n", file, line, function,
		text ? text : "unknown error");
	if (detail[0])
		fprintf(stderr, "    %s\n", detail);
	free(text);
}

// SPDX-License-Identifier: MIT
/* What DPUs print, which libpimdimm reads and formats. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include <dpu_log.h>
#include <dpu_log_internals.h>

#include "tools/upmem/host/core/queue.h"

struct log_op {
	struct op op;
	char *text;
};

static dpu_error_t log_status(int ret)
{
	switch (ret) {
	case 0:
		return DPU_OK;
	case -ENOENT:
		return host_fail(DPU_ERR_LOG_CONTEXT_MISSING,
				 "the program does not print");
	case -ENOSPC:
		return host_fail(DPU_ERR_LOG_BUFFER_TOO_SMALL, "%s",
				 pimdimm_errmsg());
	case -EBADMSG:
		return host_fail(DPU_ERR_LOG_FORMAT, "%s", pimdimm_errmsg());
	default:
		return host_fail_errno(ret, "log");
	}
}

static dpu_error_t run_log(struct op *op)
{
	struct log_op *log = (struct log_op *)op;
	uint32_t pe = op->on.one->state->first_pe + dpu_place(op->on.dpu);

	/* the PE may have one still, of a set that had it before */
	if (!op->on.dpu->program)
		return host_fail(DPU_ERR_LOG_CONTEXT_MISSING,
				 "no program is loaded");
	return log_status(pimdimm_log_read(members_system(&op->on), pe, &log->text));
}

DPU_API dpu_error_t dpulog_read_for_dpu_(struct dpu_t *dpu,
					 dpu_log_print_fct_t print_fct,
					 void *arg)
{
	struct log_op log = { .op.type = JOB_SYNC, .op.run = run_log };
	struct dpu_set_t set = dpu_set_from_dpu(dpu);
	dpu_error_t status;

	if (!dpu->enabled)
		return host_fail(DPU_ERR_DPU_DISABLED, "DPU %#x is disabled",
				 dpu_get_id(dpu));
	members_of(&set, &log.op.on);
	status = op_do(&log.op);
	if (status == DPU_OK && log.text[0])
		status = print_fct(arg, "%s", log.text);
	free(log.text);
	return status;
}

DPU_API dpu_error_t dpulog_c_print_fct(void *arg, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vfprintf(arg, fmt, args);
	va_end(args);
	return DPU_OK;
}

DPU_API dpu_error_t dpulog_read_for_dpu(struct dpu_t *dpu, FILE *stream)
{
	return dpulog_read_for_dpu_(dpu, dpulog_c_print_fct, stream);
}

DPU_API dpu_error_t dpu_log_read(struct dpu_set_t set, FILE *stream)
{
	struct dpu_t *dpu = dpu_from_set(set);

	if (!dpu)
		return host_fail(DPU_ERR_INVALID_DPU_SET,
				 "a log is that of a single DPU");
	fprintf(stream, DPU_LOG_FORMAT_HEADER, dpu_get_id(dpu));
	return dpulog_read_for_dpu(dpu, stream);
}

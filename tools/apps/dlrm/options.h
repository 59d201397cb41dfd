/* SPDX-License-Identifier: MIT */
/* What dlrm is asked for, and the samples that are meant. */
#ifndef PIMDIMM_APPS_DLRM_OPTIONS_H
#define PIMDIMM_APPS_DLRM_OPTIONS_H

#include "tools/apps/dlrm/programs.h"
#include "tools/apps/dlrm/reference.h"
#include "tools/apps/dlrm/run.h"

/* ctx->state */
struct dlrm {
	enum dlrm_type type;
	uint32_t dim, pooling, batch, max_rows;	/* 0: not given */
	const char *bottom, *top;	/* widths, with minus signs between; NULL */
	uint32_t axes[3];		/* 0: not given */

	struct dlrm_job job;
	struct dlrm_reference expected;	/* what scores should be, once it is made */
};

extern const struct tool_option dlrm_options[];

/* TOOL_OK, or TOOL_USAGE or TOOL_FAILED after a message. */
int dlrm_take_option(struct app_context *ctx, int option, const char *value);
/* Sets the model, and what nobody asked for. */
int dlrm_use_options(struct app_context *ctx);
/* Reads or makes the samples of ctx->input. */
int dlrm_read_samples(struct app_context *ctx, struct dlrm *dlrm);

#endif /* PIMDIMM_APPS_DLRM_OPTIONS_H */

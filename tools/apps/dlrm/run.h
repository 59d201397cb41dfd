/* SPDX-License-Identifier: MIT */
/* Brings the model to PEs and samples through it, batch after batch. */
#ifndef PIMDIMM_APPS_DLRM_RUN_H
#define PIMDIMM_APPS_DLRM_RUN_H

#include "tools/apps/common/context.h"
#include "tools/apps/dlrm/layout.h"
#include "tools/apps/dlrm/samples.h"

/* What a run is about. */
struct dlrm_job {
	struct dlrm_model model;
	struct dlrm_layout layout;
	struct dlrm_samples samples;
	uint32_t *dense;	/* [count][DLRM_DENSE]: the model's inputs */
	uint32_t batch;		/* samples at once */
	uint32_t *scores;	/* a sample's, before the sigmoid: floats or integers */
};

/* Both return TOOL_OK, or TOOL_FAILED after a message. */

/* Tables by Scatter, the layers' weights by Broadcast. */
int dlrm_load_model(struct app_context *ctx, const struct dlrm_job *job);
/* All samples: job->scores, which the caller has. */
int dlrm_run_samples(struct app_context *ctx, struct dlrm_job *job);

#endif /* PIMDIMM_APPS_DLRM_RUN_H */

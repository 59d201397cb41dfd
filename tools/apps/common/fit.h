/* SPDX-License-Identifier: MIT */
/* How many PEs a run takes, and whether what it needs is there. */
#ifndef PIMDIMM_APPS_FIT_H
#define PIMDIMM_APPS_FIT_H

#include "tools/apps/common/context.h"

/*
 * Sets ctx->nr_pes and ctx->plan: the PEs asked for, else as many as suit, by the system
 * where ctx->sys is open, else by what a system may have. Returns TOOL_OK, TOOL_USAGE
 * for PEs that the axes do not allow, TOOL_FAILED for what exceeds MRAM or three
 * quarters of the memory available, after a message that tells what would do.
 */
int app_fit(struct app_context *ctx);

/* MRAM of each PE that a system for the plan has, a size that a URI may name */
uint64_t app_fit_mram(const struct app_plan *plan);

/* bytes of the plan's that collectives stage, by the algorithms that will run */
uint64_t app_fit_staging(const struct app_context *ctx);

#endif /* PIMDIMM_APPS_FIT_H */

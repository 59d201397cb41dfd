/* SPDX-License-Identifier: MIT */
/* The options of applications: those of all and those of one, as one command's. */
#ifndef PIMDIMM_APPS_OPTIONS_H
#define PIMDIMM_APPS_OPTIONS_H

#include "tools/apps/common/context.h"

/*
 * The command that an application is, `app NAME`, with the options of all. It stays
 * until the next call.
 */
const struct command *app_command(const struct app *app);

/* Reads the options into ctx. TOOL_OK, or TOOL_USAGE after a message. */
int app_read_options(struct app_context *ctx, int argc, char **argv);

#endif /* PIMDIMM_APPS_OPTIONS_H */

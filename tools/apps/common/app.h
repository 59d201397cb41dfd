/* SPDX-License-Identifier: MIT */
/* The steps of a run: `pimdimm app NAME` takes them all, other commands one by one. */
#ifndef PIMDIMM_APPS_APP_H
#define PIMDIMM_APPS_APP_H

#include "tools/apps/common/context.h"

/*
 * Each returns an exit status, after a message where it is not TOOL_OK. Begin with
 * app_begin(), then set what was asked for; app_end() whatever the others return.
 */
int app_begin(struct app_context *ctx, const struct app *app);
/*
 * The run is that of several hosts, each of which takes all steps; the first one has the
 * results, and checks them.
 */
void app_use_hosts(struct app_context *ctx, struct pimdimm_hosts *hosts);
int app_load(struct app_context *ctx);
/* Chooses PEs and opens a system and a hypercube for them. */
int app_open(struct app_context *ctx);
/* Has all collectives that it serves run by this algorithm; app_open() does so. */
int app_use_algorithm(struct app_context *ctx, const char *algorithm);
/*
 * Runs, checks, and ends the report. Wrong results are no failure here. It may be called
 * again, for another report.
 */
int app_execute(struct app_context *ctx);
void app_end(struct app_context *ctx);

/* The URI that the caller or the environment names, or NULL. */
const char *app_uri_given(const struct app_context *ctx);

/* `pimdimm app NAME`: argv[0] is the application's name. */
int app_main(const struct app *app, int argc, char **argv);

#endif /* PIMDIMM_APPS_APP_H */

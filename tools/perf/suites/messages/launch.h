/* SPDX-License-Identifier: MIT */
/* Runs programs of tools/perf/rounds, alone or by a launcher, and tells how they have ended. */
#ifndef PIMDIMM_PERF_MESSAGE_LAUNCH_H
#define PIMDIMM_PERF_MESSAGE_LAUNCH_H

#include <stdio.h>

#define LAUNCH_WHY	160

/*
 * With nothing to read; what it says by its standard error goes nowhere, what it prints to
 * `read`, or nowhere where that is NULL. An interruption ends it. 0, or its exit status; -1: a
 * signal has ended it, or it did not start. `why` tells of all but 0.
 */
int launch_run(char *const argv[], void (*read)(void *ctx, FILE *in), void *ctx,
	       char why[LAUNCH_WHY]);

#endif /* PIMDIMM_PERF_MESSAGE_LAUNCH_H */

/* SPDX-License-Identifier: MIT */
/* R03's benchmark between resident kernels, and between processes of MPI libraries, counted. */
#ifndef PIMDIMM_PERF_COUNTED_H
#define PIMDIMM_PERF_COUNTED_H

#include <stdbool.h>

#include "tools/perf/suites/messages/exchange.h"
#include "tools/perf/suites/messages/launch.h"

#define COUNTED_SIZES	2	/* 256 bytes, MESSAGE_MAX */
#define COUNTED_SHARES	(MESSAGES + 1)

/* of a round, as struct exchange_counts; without cycles, which x86 has none of that are counted */
typedef struct exchange_counts counted_rounds[COUNTED_SIZES][COUNTED_SHARES];

/*
 * Runs a program of tools/perf/rounds, "own" or an MPI library's, under callgrind. Of each
 * category the least of several rounds counts: ranks that wait poll, more or less often.
 * false: it was not to be had, and `why` tells why.
 */
bool counted_by(const char *program, counted_rounds rounds, char why[LAUNCH_WHY]);

#endif /* PIMDIMM_PERF_COUNTED_H */

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
struct counted {
	struct exchange_counts rounds[COUNTED_SIZES][COUNTED_SHARES];
	/* of a routine alone, where half of the receives are posted; those of ROUTINE_ALL are none */
	struct exchange_counts routines[COUNTED_SIZES][ROUTINES];
};

/*
 * Runs the program of tools/perf/rounds that a method has under callgrind. Of each category the
 * least of several rounds counts: ranks that wait poll, more or less often. Functions without a
 * sort are kept for the report. false: it was not to be had, and `why` tells why.
 */
bool counted_by(unsigned int method, struct counted *to, char why[LAUNCH_WHY]);

#endif /* PIMDIMM_PERF_COUNTED_H */

/* SPDX-License-Identifier: MIT */
/* What is timed of messages, and held against goals. */
#ifndef PIMDIMM_PERF_MESSAGE_GOALS_H
#define PIMDIMM_PERF_MESSAGE_GOALS_H

#include "tools/perf/suites/suite.h"
#include "tools/perf/suites/targets_table.h"

/* Whether --opponents has a program of tools/perf/rounds; "own" goes with any. */
bool goals_ask(const struct perf_suite *suite, const char *rounds);
/* Only MPI libraries are opponents here: 0, or TOOL_USAGE after a message. */
int goals_check(const struct command *self, const struct perf_args *args);
/* Times programs in turns, prints what they take, and adds the targets. */
void goals_timed(struct perf_suite *suite, struct perf_targets *t);

#endif /* PIMDIMM_PERF_MESSAGE_GOALS_H */

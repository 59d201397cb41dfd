/* SPDX-License-Identifier: MIT */
/* Messages of sizes around the switch from eager to rendezvous, each by both. */
#ifndef PIMDIMM_PERF_EAGER_H
#define PIMDIMM_PERF_EAGER_H

#include "tools/perf/suites/draw.h"

/* counts, times and prints; the drawings below are of that */
void eager_measure(struct perf_suite *suite);
void eager_draw_instructions(struct perf_suite *suite, struct perf_figure *figure);
void eager_draw_cycles(struct perf_suite *suite, struct perf_figure *figure);
void eager_draw_times(struct perf_suite *suite, struct perf_figure *figure);

#endif /* PIMDIMM_PERF_EAGER_H */

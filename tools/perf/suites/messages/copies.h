/* SPDX-License-Identifier: MIT */
/* Copies of messages by word, by transfer and by row: R03's figure 9. */
#ifndef PIMDIMM_PERF_COPIES_H
#define PIMDIMM_PERF_COPIES_H

#include "tools/perf/suites/draw.h"

/* counts and prints; the drawings below are of what it has counted */
void copies_measure(struct perf_suite *suite);

/* cycles of R03's PIM that a copy of so many bytes takes by one thread, pages open; NAN */
double copies_by_word(double bytes);
double copies_by_row(double bytes);

void copies_draw_dpu(struct perf_suite *suite, struct perf_figure *figure);
void copies_draw_r03(struct perf_suite *suite, struct perf_figure *figure);
void copies_draw_rate(struct perf_suite *suite, struct perf_figure *figure);

#endif /* PIMDIMM_PERF_COPIES_H */

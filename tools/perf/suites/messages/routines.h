/* SPDX-License-Identifier: MIT */
/* Overhead by routine and category: R03's figure 8. */
#ifndef PIMDIMM_PERF_ROUTINES_H
#define PIMDIMM_PERF_ROUTINES_H

#include "tools/perf/suites/draw.h"
#include "tools/perf/suites/messages/counted.h"

/* nothing is counted from now on */
void routines_forget(void);
/* of a method that runs on the host, which is counted elsewhere */
void routines_take(unsigned int method, const struct counted *of);
/* counts programs of PEs and prints all; the drawings below are of what it has counted */
void routines_measure(struct perf_suite *suite);
void routines_draw_instructions(struct perf_suite *suite, struct perf_figure *figure);
void routines_draw_references(struct perf_suite *suite, struct perf_figure *figure);
void routines_draw_cycles(struct perf_suite *suite, struct perf_figure *figure);

#endif /* PIMDIMM_PERF_ROUTINES_H */

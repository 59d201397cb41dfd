/* SPDX-License-Identifier: MIT */
/* Figures as files, drawn by gnuplot. */
#ifndef PIMDIMM_PERF_PLOT_H
#define PIMDIMM_PERF_PLOT_H

#include "tools/perf/figure.h"

/*
 * Is there gnuplot, and may files be made in the folder? 0, or TOOL_USAGE after a
 * message
 */
int perf_plot_check(const char *folder);
/* FOLDER/figureNUMBER.svg, .pdf and .csv; 0 or TOOL_FAILED after a message */
int perf_plot(const struct perf_figure *figure, const char *folder);

#endif /* PIMDIMM_PERF_PLOT_H */

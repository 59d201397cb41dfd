/* SPDX-License-Identifier: MIT */
/* What `--suite hosts` draws, each where it is measured. */
#ifndef PIMDIMM_PERF_HOSTS_FIGURES_H
#define PIMDIMM_PERF_HOSTS_FIGURES_H

#include "tools/perf/suites/draw.h"

typedef void hosts_figure_fn(struct perf_suite *suite, struct perf_figure *figure);

/* PID-Comm: hypercubes over emulated machines */
hosts_figure_fn hosts_figure_23b, hosts_figure_23b_sent;
/* YHCCL: beside MPI libraries, and over emulated machines; copies */
hosts_figure_fn hosts_figure_y15, hosts_figure_y15_by_opponent, hosts_figure_y16b,
	hosts_figure_y18;
hosts_figure_fn hosts_figure_y3, hosts_table_y4, hosts_table_y5;
/* reductions of Intel's GPUs: hosts are what has a GPU there */
hosts_figure_fn hosts_figure_g3, hosts_figure_g4, hosts_figure_g5a, hosts_figure_g5b,
	hosts_figure_g5c, hosts_figure_g6, hosts_figure_g7, hosts_figure_g8;

#endif /* PIMDIMM_PERF_HOSTS_FIGURES_H */

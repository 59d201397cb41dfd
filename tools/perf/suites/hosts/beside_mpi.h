/* SPDX-License-Identifier: MIT */
/* MPI libraries in YHCCL's figure 16a, which others draw. */
#ifndef PIMDIMM_PERF_HOSTS_BESIDE_MPI_H
#define PIMDIMM_PERF_HOSTS_BESIDE_MPI_H

#include "tools/perf/suites/hosts/opponents.h"
#include "tools/perf/suites/draw.h"

/* Their times by socket-aware MA's at so many hosts; `most` has the largest so far, or NAN. */
void hosts_beside_add(struct perf_suite *suite, struct perf_figure *figure, uint32_t hosts,
		      double most[HOSTS_OPPONENTS]);
/* The largest of all, and the paper's, at position x. */
void hosts_beside_largest(struct perf_figure *figure, const char *x,
			  const double most[HOSTS_OPPONENTS]);

#endif /* PIMDIMM_PERF_HOSTS_BESIDE_MPI_H */

/* SPDX-License-Identifier: MIT */
/* The recommendation model: lookups, layers, products of pairs of vectors. */
#ifndef PIMDIMM_PERF_CPU_OWN_DLRM_H
#define PIMDIMM_PERF_CPU_OWN_DLRM_H

#include "tools/perf/cpu/own/loops.h"
#include "tools/perf/cpu/own/multiplier.h"
#include "tools/perf/cpu/own/team.h"

struct own_dlrm;

/* With a library's products, or NULL for our own. NULL: no memory. */
struct own_dlrm *own_dlrm_make(const struct cpu_dlrm *in, struct team *team,
			       const struct own_loops *loops,
			       const struct multiplier *multiplier);
void own_dlrm_free(struct own_dlrm *dlrm);
/* 0, or what a library fails with */
int own_dlrm_run(struct own_dlrm *dlrm);
/* [samples]: the scores, words */
const void *own_dlrm_result(const struct own_dlrm *dlrm);

#endif /* PIMDIMM_PERF_CPU_OWN_DLRM_H */

/* SPDX-License-Identifier: MIT */
/*
 * Connected components by Afforest (Sutton, Ben-Nun, Barak, IPDPS 2018): a few edges of
 * each vertex join most of them, and those of the largest component so far need no more.
 */
#ifndef PIMDIMM_PERF_CPU_OWN_AFFOREST_H
#define PIMDIMM_PERF_CPU_OWN_AFFOREST_H

#include "tools/perf/cpu/own/inputs.h"
#include "tools/perf/cpu/own/team.h"

/*
 * Labels each vertex of an undirected graph, whose edges stand at both ends, with the
 * smallest vertex of its component.
 */
void own_afforest_run(const struct cpu_graph *graph, struct team *team, uint32_t *labels);

#endif /* PIMDIMM_PERF_CPU_OWN_AFFOREST_H */

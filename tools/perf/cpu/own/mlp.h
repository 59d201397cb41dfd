/* SPDX-License-Identifier: MIT */
/* A perceptron's layers on a batch of samples. */
#ifndef PIMDIMM_PERF_CPU_OWN_MLP_H
#define PIMDIMM_PERF_CPU_OWN_MLP_H

#include "tools/perf/cpu/own/loops.h"
#include "tools/perf/cpu/own/multiplier.h"
#include "tools/perf/cpu/own/team.h"

struct own_mlp;

/* With a library's products, or NULL for our own. NULL: no memory. */
struct own_mlp *own_mlp_make(const struct cpu_mlp *in, struct team *team,
			     const struct own_loops *loops,
			     const struct multiplier *multiplier);
void own_mlp_free(struct own_mlp *mlp);
/* 0, or what a library fails with */
int own_mlp_run(struct own_mlp *mlp);
/* [batch][outputs of the last layer], of own_sum_bytes() */
const void *own_mlp_result(const struct own_mlp *mlp);

#endif /* PIMDIMM_PERF_CPU_OWN_MLP_H */

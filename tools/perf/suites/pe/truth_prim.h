/* SPDX-License-Identifier: MIT */
/* Hosts of PrIM's programs, in the variants that the hardware's times are of. */
#ifndef PIMDIMM_PERF_TRUTH_PRIM_H
#define PIMDIMM_PERF_TRUTH_PRIM_H

#include "tools/perf/suites/pe/truth_run.h"

extern const struct truth_program truth_prim_va, truth_prim_red, truth_prim_gemv;
extern const struct truth_program truth_prim_scan, truth_prim_hst, truth_prim_bs;
extern const struct truth_program truth_prim_trns;

#endif /* PIMDIMM_PERF_TRUTH_PRIM_H */

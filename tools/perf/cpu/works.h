/* SPDX-License-Identifier: MIT */
/* Our own programs, in the form of works. */
#ifndef PIMDIMM_PERF_CPU_WORKS_H
#define PIMDIMM_PERF_CPU_WORKS_H

#include "tools/perf/cpu/own/plugin.h"

extern const struct cpu_work cpu_own_works[CPU_NR_KINDS];

#endif /* PIMDIMM_PERF_CPU_WORKS_H */

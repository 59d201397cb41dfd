/* SPDX-License-Identifier: MIT */
/* Kernels whose arrays lie in the MRAM of PEs. */
#ifndef PIMDIMM_PERF_DATATYPES_MRAM_H
#define PIMDIMM_PERF_DATATYPES_MRAM_H

#include "tools/perf/suites/datatypes/kernels.h"
#include "tools/perf/suites/suite.h"

/* the begin of the memory of an entangled group, whose layout is linear */
char *ddt_group_memory(const struct perf_rig *rig, uint32_t group);
/* bytes of MRAM that a kernel's two arrays take, one behind the other */
uint64_t ddt_mram_bytes(const struct ddt_kernel *k);
/* where the second one begins */
uint64_t ddt_mram_to(const struct ddt_kernel *k);

/* Into each PE's MRAM, out of it, and from each group of eight PEs to the next one. */
void ddt_mram(struct perf_suite *suite, const struct ddt_kernel *k);

#endif /* PIMDIMM_PERF_DATATYPES_MRAM_H */

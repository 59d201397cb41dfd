/* SPDX-License-Identifier: MIT */
/* Faces of a stencil's boxes, exchanged between PEs. */
#ifndef PIMDIMM_PERF_DATATYPES_HALO_H
#define PIMDIMM_PERF_DATATYPES_HALO_H

#include "tools/perf/suites/suite.h"

/* bytes of MRAM that the largest box takes which is asked for and fits into memory; 0: none */
uint64_t ddt_halo_bytes(const struct perf_suite *suite, uint32_t nr_pes);
/* Boxes whose faces have the bytes that are asked for, as large as MRAM allows. */
void ddt_halo(struct perf_suite *suite);

#endif /* PIMDIMM_PERF_DATATYPES_HALO_H */

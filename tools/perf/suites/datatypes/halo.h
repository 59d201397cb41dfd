/* SPDX-License-Identifier: MIT */
/* Faces of a stencil's boxes, exchanged between PEs. */
#ifndef PIMDIMM_PERF_DATATYPES_HALO_H
#define PIMDIMM_PERF_DATATYPES_HALO_H

#include "tools/perf/suites/suite.h"

/* Boxes whose faces have the bytes that are asked for, as large as MRAM allows. */
void ddt_halo(struct perf_suite *suite);

#endif /* PIMDIMM_PERF_DATATYPES_HALO_H */

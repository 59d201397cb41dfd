/* SPDX-License-Identifier: MIT */
/* A 2-D stencil on PEs, whose borders are exchanged each step. */
#ifndef PIMDIMM_PERF_DATATYPES_GRID_H
#define PIMDIMM_PERF_DATATYPES_GRID_H

#include "tools/perf/suites/suite.h"

#define DDT_GRID_CELLS	1048	/* along each axis, as the paper's */
#define DDT_GRID_FLOPS	11	/* of a cell: 3 products, 8 sums */

/* bytes of MRAM that it takes; 0: no face of it has the bytes that are asked for */
uint64_t ddt_grid_bytes(const struct perf_suite *suite, uint32_t nr_pes);
void ddt_grid(struct perf_suite *suite);

#endif /* PIMDIMM_PERF_DATATYPES_GRID_H */

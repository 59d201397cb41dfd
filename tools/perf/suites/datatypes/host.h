/* SPDX-License-Identifier: MIT */
/* A kernel in the host's memory: packed, unpacked, copied. */
#ifndef PIMDIMM_PERF_DATATYPES_HOST_H
#define PIMDIMM_PERF_DATATYPES_HOST_H

#include "tools/perf/suites/datatypes/kernels.h"
#include "tools/perf/suites/suite.h"

void ddt_host(struct perf_suite *suite, const struct ddt_kernel *k);

#endif /* PIMDIMM_PERF_DATATYPES_HOST_H */

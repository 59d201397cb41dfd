/* SPDX-License-Identifier: MIT */
/* Types of the kernels, made by this library's constructors. */
#ifndef PIMDIMM_PERF_DATATYPES_MAKER_H
#define PIMDIMM_PERF_DATATYPES_MAKER_H

#include "tools/perf/suites/datatypes/kernels.h"

/* its types are struct pimtype */
extern const struct ddt_maker ddt_maker_own;

#endif /* PIMDIMM_PERF_DATATYPES_MAKER_H */

/* SPDX-License-Identifier: MIT */
/* The opponent `sdk`: a case as a program on UPMEM's SDK does it. */
#ifndef PIMDIMM_PERF_SDK_H
#define PIMDIMM_PERF_SDK_H

#include "tools/perf/measure.h"

extern const struct perf_method perf_sdk;

#endif /* PIMDIMM_PERF_SDK_H */

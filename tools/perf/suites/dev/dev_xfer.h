/* SPDX-License-Identifier: MIT */
/* The module's transfers against the library's. */
#ifndef PIMDIMM_PERF_DEV_XFER_H
#define PIMDIMM_PERF_DEV_XFER_H

#include "tools/perf/suites/dev/dev_measure.h"

void dev_measure_transfers(struct dev_suite *s);

#endif /* PIMDIMM_PERF_DEV_XFER_H */

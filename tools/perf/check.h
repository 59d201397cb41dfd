/* SPDX-License-Identifier: MIT */
/*
 * The verifier of the eight collectives: puts inputs where a case reads them, and
 * compares every element of the results with the definition's.
 */
#ifndef PIMDIMM_PERF_CHECK_H
#define PIMDIMM_PERF_CHECK_H

#include <stdint.h>

#include "tools/perf/rig.h"

/* Inputs, and poison where results go. 0, or TOOL_FAILED after a message. */
int perf_fill(struct perf_setup *setup);
/* How many elements are wrong. 0, or TOOL_FAILED after a message. */
int perf_wrong(struct perf_setup *setup, uint64_t *wrong);

#endif /* PIMDIMM_PERF_CHECK_H */

/* SPDX-License-Identifier: MIT */
/*
 * The verifier of the eight collectives: puts inputs where a case reads them, and
 * compares every element of the results with the definition's.
 */
#ifndef PIMDIMM_PERF_CHECK_H
#define PIMDIMM_PERF_CHECK_H

#include <stdint.h>

#include "tools/perf/rig.h"

/*
 * Inputs, and poison where results go; then, after a call, how many elements are
 * wrong. Both return 0, or -errno, and pimdimm_errmsg() says why.
 */
int perf_write_inputs(struct perf_setup *setup);
int perf_count_wrong(struct perf_setup *setup, uint64_t *wrong);

/* Do likewise, and return 0, or TOOL_FAILED after a message. */
int perf_fill(struct perf_setup *setup);
int perf_wrong(struct perf_setup *setup, uint64_t *wrong);

#endif /* PIMDIMM_PERF_CHECK_H */

/* SPDX-License-Identifier: MIT */
/* What a message between two resident kernels takes by either way. */
#ifndef PIMDIMM_PERF_EAGER_TIMES_H
#define PIMDIMM_PERF_EAGER_TIMES_H

#include <stdint.h>

#define EAGER_BEYOND	"1M"	/* PIMDIMM_EAGER: all messages are eager */

/*
 * Nanoseconds one way, the median of some rounds to and fro with PIMDIMM_EAGER set to that;
 * *wrong counts bytes. 0, or TOOL_FAILED after a message.
 */
int eager_time(const char *eager, uint32_t bytes, double *ns, uint64_t *wrong);

#endif /* PIMDIMM_PERF_EAGER_TIMES_H */

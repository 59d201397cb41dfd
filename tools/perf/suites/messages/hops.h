/* SPDX-License-Identifier: MIT */
/* How long a traveller between PE programs takes, and a hand-over of the operating system's. */
#ifndef PIMDIMM_PERF_HOPS_H
#define PIMDIMM_PERF_HOPS_H

#include <stdint.h>

/* All of them are 0, or TOOL_FAILED after a message. */

/* nanoseconds of a hop of one traveller around so many PEs */
int hops_around(uint32_t pes, double *ns);
/* nanoseconds a parcel, where all of so many PEs send to all */
int hops_rate(uint32_t pes, double *ns);
/* nanoseconds of a hand-over between two processes by a futex and nothing else */
int hops_futex(double *ns);

#endif /* PIMDIMM_PERF_HOPS_H */

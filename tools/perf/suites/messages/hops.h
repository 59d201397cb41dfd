/* SPDX-License-Identifier: MIT */
/* How long a traveller between PE programs takes, and a hand-over of the operating system's. */
#ifndef PIMDIMM_PERF_HOPS_H
#define PIMDIMM_PERF_HOPS_H

#include <stdint.h>

/* nanoseconds of a hop of one traveller around so many PEs; NAN after a message */
double hops_around(uint32_t pes);
/* nanoseconds a parcel, where all of so many PEs send to all */
double hops_rate(uint32_t pes);
/* nanoseconds of a hand-over between two processes by a futex and nothing else */
double hops_futex(void);

#endif /* PIMDIMM_PERF_HOPS_H */

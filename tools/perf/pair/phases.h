/* SPDX-License-Identifier: MIT */
/* Divides time among what two ranks were at meanwhile. */
#ifndef PIMDIMM_PERF_PAIR_PHASES_H
#define PIMDIMM_PERF_PAIR_PHASES_H

#include "tools/perf/pair/inside.h"

/*
 * Nanoseconds of [start, end) by enum pair_phase, whose sum is end - start: where one of two ranks
 * does something the time is that's, where both do it is shared, and the rest is where none does.
 */
void pair_phases_divide(const struct pair_phases *const ranks[2], uint64_t start, uint64_t end,
			double parts[PAIR_PHASES]);

#endif /* PIMDIMM_PERF_PAIR_PHASES_H */

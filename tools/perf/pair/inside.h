/* SPDX-License-Identifier: MIT */
/* The door to what pairs take of the library: what an end is at, moment by moment. */
#ifndef PIMDIMM_PERF_PAIR_INSIDE_H
#define PIMDIMM_PERF_PAIR_INSIDE_H

#include "collectives/messages/pair/pair_phases.h"

#endif /* PIMDIMM_PERF_PAIR_INSIDE_H */

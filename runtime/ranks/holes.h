/* SPDX-License-Identifier: MIT */
/* Parts of MRAM that nothing was ever written to, which need not be looked at. */
#ifndef PD_HOLES_H
#define PD_HOLES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/ranks/system.h"

/* words of MRAM that are asked for at once: a page of each PE, within a run */
#define PD_HOLE_WORDS	512

/* the hole that was found last, from its first byte to its end; { 0 } at first */
struct pd_holes {
	uint32_t rank;
	uint64_t from, to;
};

/*
 * Whether there is nothing but zeros at these PD_HOLE_WORDS words of an entangled group,
 * as far as the system that has the memory tells. What it cannot tell of is no hole.
 */
bool pd_is_hole(struct pimdimm *sys, struct pd_holes *holes, uint32_t eg,
		uint64_t word);

#endif /* PD_HOLES_H */

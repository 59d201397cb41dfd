/* SPDX-License-Identifier: MIT */
#ifndef PD_PICK_H
#define PD_PICK_H

#include <stdint.h>

/*
 * A shuffle of bytes inside each qword, the same for all eight: byte l of the
 * result is byte idx[l]. Lane broadcasts are of this kind. The portable tier
 * does it by arithmetic: ((x & mask) >> shift) * mult.
 */
struct pd_pick {
	uint64_t idx;	/* byte l: which byte goes there */
	uint64_t mask;
	uint64_t mult;
	unsigned int shift;
};

#endif /* PD_PICK_H */

/* SPDX-License-Identifier: MIT */
/* Products of two vectors, for references of applications on the host. */
#ifndef PIMDIMM_APPS_DOT_H
#define PIMDIMM_APPS_DOT_H

#include <stdint.h>

/* Sums are modulo 2^32, of which the lower bits are those of narrower types. */
struct app_dot {
	uint32_t (*i8)(const void *a, const void *b, uint32_t n);
	uint32_t (*i16)(const void *a, const void *b, uint32_t n);
	uint32_t (*i32)(const void *a, const void *b, uint32_t n);
	/* weights times inputs, and the weights' magnitudes times slack */
	void (*f32)(const void *weights, const double *inputs, const double *slack,
		    uint32_t n, double *sum, double *bound);
};

/* the loops for this CPU */
const struct app_dot *app_dot_fastest(void);

#endif /* PIMDIMM_APPS_DOT_H */

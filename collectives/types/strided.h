/* SPDX-License-Identifier: MIT */
/*
 * Copies of evenly spaced runs, compiled once a tier. They are what every layout comes
 * down to; what is read and what is written do not overlap.
 */
#ifndef PT_STRIDED_H
#define PT_STRIDED_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/simd/isa.h"
#include "runtime/simd/stores.h"

/* n[1] times n[0] runs of len bytes; strides of the inner loop come first. None is 0. */
struct pt_nest {
	uint64_t len;
	uint64_t n[2];
	int64_t to[2], from[2];	/* strides */
};

/*
 * Which lanes rows get from where: byte l of a row is byte from[0][l] of the source's row or
 * from[1][l] of that of another source, `other` bytes behind; one of the two is below 8, the
 * other one 8.
 */
struct pt_turned {
	uint8_t from[2][8];
	int64_t other;
};

struct pt_strided {
	void (*copy)(uint8_t *dst, const uint8_t *src, const struct pt_nest *nest);
	/* the same of whole lines of 64 bytes of dst */
	void (*lines)(uint8_t *dst, const uint8_t *src,
		      const struct pt_nest *nest, enum pd_stores stores);
	/* n runs from src + (offs[i] << shift), packed; and the way back */
	void (*gather)(uint8_t *dst, const uint8_t *src, const int64_t offs[],
		       unsigned int shift, uint64_t n, uint64_t len);
	void (*scatter)(uint8_t *dst, const uint8_t *src, const int64_t offs[],
			unsigned int shift, uint64_t n, uint64_t len);
	/* n runs from src + offs[2 * i + 1] to dst + offs[2 * i] */
	void (*pairs)(uint8_t *dst, const uint8_t *src, const int64_t offs[],
		      unsigned int shift, uint64_t n, uint64_t len);
	/*
	 * Rows of 8 bytes, those of an entangled group's lanes: byte l of a row
	 * gets byte lanes[l] of the source's row where that is below 8, and keeps its
	 * own otherwise
	 */
	void (*lanes)(uint8_t *rows, const uint8_t *src, const uint8_t lanes[8],
		      uint64_t n);
	/* a copy of whole rows whose lanes change; NULL where a tier has no such loop */
	void (*turn)(uint8_t *dst, const uint8_t *src, const struct pt_nest *nest,
		     const struct pt_turned *turned);
};

#define PT_STRIDED_OF(id, tier)	extern const struct pt_strided pt_strided_##tier;
PD_TIERS(PT_STRIDED_OF)

const struct pt_strided *pt_isa_strided(enum pd_isa isa);
/* of the tier that host memory is copied with, whatever the system */
const struct pt_strided *pt_strided_best(void);

#endif /* PT_STRIDED_H */

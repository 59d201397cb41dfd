/* SPDX-License-Identifier: MIT */
/*
 * The runtime's loops over blocks, compiled once a tier. Addresses are of
 * blocks in a window, `stride` bytes apart, or of host memory of any alignment.
 */
#ifndef PD_BLOCKS_H
#define PD_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/simd/stores.h"
#include "runtime/simd/tier.h"

struct pd_blocks {
	/* transpose n packed blocks; dst may be src */
	void (*transpose)(void *dst, const void *src, size_t n);
	/* the words of one lane, to and from packed host memory */
	void (*lane_get)(void *dst, const void *blocks, size_t stride,
			 unsigned int lane, size_t words);
	void (*lane_put)(void *blocks, size_t stride, unsigned int lane,
			 const void *src, size_t words);
	/* the words of all lanes, to and from eight packed host buffers; around
	 * the caches go the lines of these that are stored whole. What is got of
	 * a lane whose buffer is NULL is dropped */
	void (*eg_get)(void *const dst[8], const void *blocks, size_t stride,
		       size_t words, enum pd_stores stores);
	/* the same of two groups, the second one's blocks 64 bytes behind the first's,
	 * so that memory is read in order */
	void (*pair_get)(void *const dst[16], const void *blocks, size_t stride,
			 size_t words, enum pd_stores stores);
	void (*eg_put)(void *blocks, size_t stride, const void *const src[8],
		       size_t words, enum pd_stores stores);
};

#define PD_BLOCKS_OF(id, tier)	extern const struct pd_blocks pd_blocks_##tier;
PD_TIERS(PD_BLOCKS_OF)

#endif /* PD_BLOCKS_H */

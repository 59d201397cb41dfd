/* SPDX-License-Identifier: MIT */
/*
 * Compiled once a tier, with -DPD_TIER=name and the tier's instruction set.
 */
#include "kernels.h"
#include "vec.h"

static void transpose(void *dst, const void *src, size_t n)
{
	const uint8_t *s = src;
	uint8_t *d = dst;

	for (; n; n--, s += 64, d += 64)
		v_store(d, v_transpose(v_load(s)));
}

/*
 * Other lanes' bytes of the same block may be written meanwhile: they are read
 * with the rest of the block, and dropped.
 */
__attribute__((no_sanitize("thread")))
static void lane_get(void *dst, const void *blocks, size_t stride,
		     unsigned int lane, size_t words)
{
	const uint8_t *b = blocks;
	uint8_t *d = dst;

	for (; words; words--, b += stride, d += 8)
		v_lane_get(d, b, lane);
}

/* Stores the lane's bytes and no others, so that neighbours lose nothing. */
static void lane_put(void *blocks, size_t stride, unsigned int lane,
		     const void *src, size_t words)
{
	const uint8_t *s = src;
	uint8_t *b = blocks;

	for (; words; words--, b += stride, s += 8)
		v_lane_put(b, lane, s);
}

PD_INLINE void eg_get_words(void *const dst[8], size_t at, const uint8_t *b,
			    size_t stride, size_t n)
{
	v64 r[8] = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		r[i] = v_transpose(v_load(b + i * stride));
	v_transpose_qwords(r);
	for (i = 0; i < 8; i++) {
		uint8_t *d = (uint8_t *)dst[i] + 8 * at;

		if (n == 8)
			v_store(d, r[i]);
		else
			v_copy(d, &r[i], 8 * n);
	}
}

static void eg_get(void *const dst[8], const void *blocks, size_t stride,
		   size_t words)
{
	const uint8_t *b = blocks;
	size_t w;

	for (w = 0; w + 8 <= words; w += 8)
		eg_get_words(dst, w, b + w * stride, stride, 8);
	if (w < words)
		eg_get_words(dst, w, b + w * stride, stride, words - w);
}

PD_INLINE void eg_put_words(uint8_t *b, size_t stride,
			    const void *const src[8], size_t at, size_t n,
			    enum pd_stores stores)
{
	v64 r[8] = { 0 };
	size_t i;

	for (i = 0; i < 8; i++) {
		const uint8_t *s = (const uint8_t *)src[i] + 8 * at;

		if (n == 8)
			r[i] = v_load(s);
		else
			v_copy(&r[i], s, 8 * n);
	}
	v_transpose_qwords(r);
	for (i = 0; i < n; i++) {
		v_put(b + i * stride, v_transpose(r[i]), stores);
	}
}

static void eg_put(void *blocks, size_t stride, const void *const src[8],
		   size_t words, enum pd_stores stores)
{
	uint8_t *b = blocks;
	size_t w;

	for (w = 0; w + 8 <= words; w += 8)
		V_WITH_STORES(stores, eg_put_words(b + w * stride, stride, src,
						   w, 8, with));
	if (w < words)
		eg_put_words(b + w * stride, stride, src, w, words - w, stores);
	if (stores == PD_STORES_AROUND)
		v_stream_end();
}

#define PD_CAT_(a, b)	a##b
#define PD_CAT(a, b)	PD_CAT_(a, b)

const struct pd_kernels PD_CAT(pd_kernels_, PD_TIER) = {
	.transpose = transpose,
	.lane_get = lane_get,
	.lane_put = lane_put,
	.eg_get = eg_get,
	.eg_put = eg_put,
};

/* SPDX-License-Identifier: MIT */
/* Vectors of 64 bytes as AVX-512 has them: a register each. Included by vec.h alone. */
#ifndef PD_VEC_AVX512_H
#define PD_VEC_AVX512_H

#include <immintrin.h>
#include <stdint.h>

/*
 * Streams of an entangled group that ask side by side are read sooner: on Emerald Rapids
 * reduce_scatter reads 36 GB/s, and 32 where they ask one after the other; on Zen 4 it takes a
 * tenth less time along an axis of four. Those of several groups lie at the same place of
 * their pages, for which Zen 4 takes up to half as long again; bands gain nothing.
 */
#define V_BESIDE	1

typedef __m512i v64;
typedef __m512i v64_pick;

PD_INLINE v64 v_load(const void *p)
{
	return _mm512_loadu_si512(p);
}

PD_INLINE void v_store(void *p, v64 a)
{
	_mm512_storeu_si512(p, a);
}

PD_INLINE void v_stream(void *p, v64 a)
{
	_mm512_stream_si512(p, a);
}

#define V_SOME_QWORDS
PD_INLINE v64 v_load_qwords(const void *p, size_t n)
{
	return _mm512_maskz_loadu_epi64((__mmask8)((1u << n) - 1), p);
}

PD_INLINE void v_store_qwords(void *p, v64 a, size_t n)
{
	_mm512_mask_storeu_epi64(p, (__mmask8)((1u << n) - 1), a);
}

PD_INLINE v64 v_set1(uint64_t q)
{
	return _mm512_set1_epi64((long long)q);
}

PD_INLINE v64 v_shl(v64 a, unsigned int bits)
{
	return _mm512_sllv_epi64(a, v_set1(bits));
}

PD_INLINE v64 v_shr(v64 a, unsigned int bits)
{
	return _mm512_srlv_epi64(a, v_set1(bits));
}

/* bits of a where mask is set, of b elsewhere */
PD_INLINE v64 v_select(v64 mask, v64 a, v64 b)
{
	/* a, which is not needed any more, makes room for the result */
	return _mm512_ternarylogic_epi64(a, mask, b, 0xe2);
}

PD_INLINE v64 v_transpose(v64 a)
{
#ifdef __AVX512VBMI__
	const v64 idx = _mm512_set_epi64(
		0x3f372f271f170f07, 0x3e362e261e160e06, 0x3d352d251d150d05,
		0x3c342c241c140c04, 0x3b332b231b130b03, 0x3a322a221a120a02,
		0x3931292119110901, 0x3830282018100800);

	return _mm512_permutexvar_epi8(idx, a);
#else
	/* interleave the two rows of each 128 bits, then transpose the pairs */
	const v64 pair = _mm512_broadcast_i32x4(_mm_set_epi64x(
		0x0f070e060d050c04, 0x0b030a0209010800));
	const v64 idx = _mm512_set_epi64(
		0x001f0017000f0007, 0x001e0016000e0006, 0x001d0015000d0005,
		0x001c0014000c0004, 0x001b0013000b0003, 0x001a0012000a0002,
		0x0019001100090001, 0x0018001000080000);

	return _mm512_permutexvar_epi16(idx, _mm512_shuffle_epi8(a, pair));
#endif
}

#define V_TRANSPOSE_QWORDS
/* 8x8 transposition of qwords over eight vectors */
PD_INLINE void v_transpose_qwords(v64 r[8])
{
	v64 t[8], u[8];
	int i;

	for (i = 0; i < 8; i += 2) {
		t[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);
		t[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);
	}
	for (i = 0; i < 2; i++) {
		u[i] = _mm512_shuffle_i64x2(t[i], t[i + 2], 0x88);
		u[i + 2] = _mm512_shuffle_i64x2(t[i], t[i + 2], 0xdd);
		u[i + 4] = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0x88);
		u[i + 6] = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0xdd);
	}
	for (i = 0; i < 2; i++) {
		r[i] = _mm512_shuffle_i64x2(u[i], u[i + 4], 0x88);
		r[i + 4] = _mm512_shuffle_i64x2(u[i], u[i + 4], 0xdd);
		r[i + 2] = _mm512_shuffle_i64x2(u[i + 2], u[i + 6], 0x88);
		r[i + 6] = _mm512_shuffle_i64x2(u[i + 2], u[i + 6], 0xdd);
	}
}

/* x: a0 b0 a1 b1 a2 b2 a3 b3, of qwords; y: the same of the other halves */
PD_INLINE void v_zip_qwords(v64 *x, v64 *y)
{
	const v64 low = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
	const v64 high = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
	v64 a = *x;

	*x = _mm512_permutex2var_epi64(a, low, *y);
	*y = _mm512_permutex2var_epi64(a, high, *y);
}

/* the reverse */
PD_INLINE void v_unzip_qwords(v64 *x, v64 *y)
{
	const v64 even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
	const v64 odd = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
	v64 a = *x;

	*x = _mm512_permutex2var_epi64(a, even, *y);
	*y = _mm512_permutex2var_epi64(a, odd, *y);
}

/* qword i becomes qword i ^ mask */
PD_INLINE v64 v_swap_qwords(v64 a, unsigned int mask)
{
	const v64 own = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);

	return _mm512_permutexvar_epi64(_mm512_xor_si512(own, v_set1(mask)), a);
}

PD_INLINE v64_pick v_pick_prepare(const struct pd_pick *pick)
{
	const v64 odd = _mm512_broadcast_i32x4(
		_mm_set_epi64x(0x0808080808080808, 0));

	return _mm512_or_si512(v_set1(pick->idx), odd);
}

PD_INLINE v64 v_pick(v64 a, const v64_pick *pick)
{
	return _mm512_shuffle_epi8(a, *pick);
}

/* one lane's word of a block, to and from packed bytes */
#define V_LANE_GET
#define V_LANE_PUT
PD_INLINE void v_lane_get(void *dst, const void *block, unsigned int lane)
{
	_mm_storel_epi64(dst, _mm512_cvtepi64_epi8(v_shr(v_load(block),
							 8 * lane)));
}

PD_INLINE void v_lane_put(void *block, unsigned int lane, const void *src)
{
	__m512i word = _mm512_cvtepu8_epi64(_mm_loadl_epi64(src));

	_mm512_mask_storeu_epi8(block, 0x0101010101010101ULL << lane,
				v_shl(word, 8 * lane));
}

#endif /* PD_VEC_AVX512_H */

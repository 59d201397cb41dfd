/* SPDX-License-Identifier: MIT */
/* Vectors of 64 bytes by AVX2: two registers each. Included by vec.h alone. */
#ifndef PD_VEC_AVX2_H
#define PD_VEC_AVX2_H

#include <immintrin.h>
#include <stdint.h>

typedef struct {
	__m256i lo, hi;
} v64;
typedef __m256i v64_pick;
typedef __m256i v_reg;

/* fn, of registers, on vectors */
#define V_EACH_OF(fn, a, b)	((v64){ fn((a).lo, (b).lo), fn((a).hi, (b).hi) })

PD_INLINE v64 v_load(const void *p)
{
	const __m256i *q = p;

	return (v64){ _mm256_loadu_si256(q), _mm256_loadu_si256(q + 1) };
}

PD_INLINE void v_store(void *p, v64 a)
{
	__m256i *q = p;

	_mm256_storeu_si256(q, a.lo);
	_mm256_storeu_si256(q + 1, a.hi);
}

/* half a line that waits for the other half may go to memory as it is */
#define V_HALVES	1
PD_INLINE void v_stream(void *p, v64 a)
{
	__m256i *q = p;

	_mm256_stream_si256(q, a.lo);
	_mm256_stream_si256(q + 1, a.hi);
}

/*
 * Memory is read sooner in several places by turns than in order: on Zen 3 two threads get
 * 50 GB/s from eight pages each, and 31 from one.
 */
#define V_BESIDE	1
#define V_GROUPS_BESIDE	1
#define V_BANDS		1

PD_INLINE v64 v_set1(uint64_t q)
{
	__m256i half = _mm256_set1_epi64x((long long)q);

	return (v64){ half, half };
}

PD_INLINE v64 v_shl(v64 a, unsigned int bits)
{
	__m256i n = _mm256_set1_epi64x(bits);

	return (v64){ _mm256_sllv_epi64(a.lo, n), _mm256_sllv_epi64(a.hi, n) };
}

PD_INLINE v64 v_shr(v64 a, unsigned int bits)
{
	__m256i n = _mm256_set1_epi64x(bits);

	return (v64){ _mm256_srlv_epi64(a.lo, n), _mm256_srlv_epi64(a.hi, n) };
}

/* byte masks only, which is all that lane masks are */
PD_INLINE v64 v_select(v64 mask, v64 a, v64 b)
{
	return (v64){ _mm256_blendv_epi8(b.lo, a.lo, mask.lo),
		      _mm256_blendv_epi8(b.hi, a.hi, mask.hi) };
}

/* of 16 bytes, two rows of a block: byte 2 * l + i is lane l's of row i */
PD_INLINE __m256i v_rows_paired(__m256i rows)
{
	return _mm256_shuffle_epi8(rows, _mm256_broadcastsi128_si256(_mm_set_epi64x(
		0x0f070e060d050c04, 0x0b030a0209010800)));
}

PD_INLINE v64 v_transpose(v64 a)
{
	const __m256i idx = _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0);
	/* rows 0 1 | 4 5 and rows 2 3 | 6 7 */
	__m256i even = v_rows_paired(_mm256_permute2x128_si256(a.lo, a.hi, 0x20));
	__m256i odd = v_rows_paired(_mm256_permute2x128_si256(a.lo, a.hi, 0x31));
	__m256i lo = _mm256_unpacklo_epi16(even, odd);
	__m256i hi = _mm256_unpackhi_epi16(even, odd);

	return (v64){ _mm256_permutevar8x32_epi32(lo, idx),
		      _mm256_permutevar8x32_epi32(hi, idx) };
}

PD_INLINE void v_transpose_4x4(__m256i r[4])
{
	__m256i t0 = _mm256_unpacklo_epi64(r[0], r[1]);
	__m256i t1 = _mm256_unpackhi_epi64(r[0], r[1]);
	__m256i t2 = _mm256_unpacklo_epi64(r[2], r[3]);
	__m256i t3 = _mm256_unpackhi_epi64(r[2], r[3]);

	r[0] = _mm256_permute2x128_si256(t0, t2, 0x20);
	r[1] = _mm256_permute2x128_si256(t1, t3, 0x20);
	r[2] = _mm256_permute2x128_si256(t0, t2, 0x31);
	r[3] = _mm256_permute2x128_si256(t1, t3, 0x31);
}

#define V_TRANSPOSE_QWORDS
PD_INLINE void v_transpose_qwords(v64 r[8])
{
	__m256i a[4], b[4], c[4], d[4];
	int i;

	for (i = 0; i < 4; i++) {
		a[i] = r[i].lo;
		b[i] = r[i].hi;
		c[i] = r[i + 4].lo;
		d[i] = r[i + 4].hi;
	}
	v_transpose_4x4(a);
	v_transpose_4x4(b);
	v_transpose_4x4(c);
	v_transpose_4x4(d);
	for (i = 0; i < 4; i++) {
		r[i] = (v64){ a[i], c[i] };
		r[i + 4] = (v64){ b[i], d[i] };
	}
}

PD_INLINE v64 v_zip_halves(__m256i a, __m256i b)
{
	__m256i even = _mm256_unpacklo_epi64(a, b), odd = _mm256_unpackhi_epi64(a, b);

	return (v64){ _mm256_permute2x128_si256(even, odd, 0x20),
		      _mm256_permute2x128_si256(even, odd, 0x31) };
}

/* x: a0 b0 a1 b1 a2 b2 a3 b3, of qwords; y: the same of the other halves */
PD_INLINE void v_zip_qwords(v64 *x, v64 *y)
{
	v64 a = *x, b = *y;

	*x = v_zip_halves(a.lo, b.lo);
	*y = v_zip_halves(a.hi, b.hi);
}

/* the even qwords, and the odd ones */
PD_INLINE v64 v_unzip_halves(v64 a)
{
	__m256i low = _mm256_permute2x128_si256(a.lo, a.hi, 0x20);
	__m256i high = _mm256_permute2x128_si256(a.lo, a.hi, 0x31);

	return (v64){ _mm256_unpacklo_epi64(low, high), _mm256_unpackhi_epi64(low, high) };
}

/* the reverse */
PD_INLINE void v_unzip_qwords(v64 *x, v64 *y)
{
	v64 a = v_unzip_halves(*x), b = v_unzip_halves(*y);

	*x = (v64){ a.lo, b.lo };
	*y = (v64){ a.hi, b.hi };
}

PD_INLINE v64 v_swap_qwords(v64 x, unsigned int mask)
{
	if (mask & 1)
		x = (v64){ _mm256_permute4x64_epi64(x.lo, 0xb1),
			   _mm256_permute4x64_epi64(x.hi, 0xb1) };
	if (mask & 2)
		x = (v64){ _mm256_permute4x64_epi64(x.lo, 0x4e),
			   _mm256_permute4x64_epi64(x.hi, 0x4e) };
	if (mask & 4)
		x = (v64){ x.hi, x.lo };
	return x;
}

PD_INLINE v64_pick v_pick_prepare(const struct pd_pick *pick)
{
	const __m256i odd = _mm256_broadcastsi128_si256(
		_mm_set_epi64x(0x0808080808080808, 0));

	return _mm256_or_si256(_mm256_set1_epi64x((long long)pick->idx), odd);
}

PD_INLINE v64 v_pick(v64 a, const v64_pick *pick)
{
	return (v64){ _mm256_shuffle_epi8(a.lo, *pick),
		      _mm256_shuffle_epi8(a.hi, *pick) };
}

/*
 * Eight blocks at once take fewer shuffles than one by one. A byte's place has nine bits:
 * of the block, the row and the lane. Each step of unpacking puts a bit that tells registers
 * apart below the others of its 16 bytes, and the highest of these tells registers apart.
 * Unless loops are all unrolled, registers are memory.
 */
#define V_EIGHTS	1

#define V_UNPACK(to, at, step, a, b, width)				\
	((to)[at] = _mm256_unpacklo_##width(a, b),			\
	 (to)[(at) + (step)] = _mm256_unpackhi_##width(a, b))

/* r[l]: lane l's words of four blocks, 0 1 | 2 3 */
PD_INLINE void v_lanes_of_four(__m256i r[8], const uint8_t *const block[4])
{
	__m256i t[8], u[8];

	/* t[4 * i + q]: rows 2 * q and 2 * q + 1 of blocks i and i + 2 */
#pragma GCC unroll 8
	for (int k = 0; k < 8; k++)
		t[k] = v_rows_paired(_mm256_loadu2_m128i(
			(const __m128i *)block[(k >> 2) + 2] + (k & 3),
			(const __m128i *)block[k >> 2] + (k & 3)));
#pragma GCC unroll 8
	for (int k = 0; k < 8; k += 2)
		V_UNPACK(u, k, 1, t[k], t[k + 1], epi16);
#pragma GCC unroll 8
	for (int k = 0; k < 4; k++)
		V_UNPACK(t, k + (k & 2), 2, u[k + (k & 2)], u[k + (k & 2) + 2], epi32);
#pragma GCC unroll 8
	for (int k = 0; k < 4; k++)
		V_UNPACK(r, 4 * (k & 1) + (k & 2), 1, t[k], t[k + 4], epi64);
}

PD_INLINE void v_split(__m256i lo[8], __m256i hi[8], const v64 r[8])
{
#pragma GCC unroll 8
	for (int i = 0; i < 8; i++) {
		lo[i] = r[i].lo;
		hi[i] = r[i].hi;
	}
}

PD_INLINE void v_join(v64 r[8], const __m256i lo[8], const __m256i hi[8])
{
#pragma GCC unroll 8
	for (int i = 0; i < 8; i++)
		r[i] = (v64){ lo[i], hi[i] };
}

/* r[l]: lane l's words of eight blocks, in the blocks' order */
PD_INLINE void v_eight_lanes(v64 r[8], const uint8_t *const block[8])
{
	__m256i lo[8], hi[8];

	v_lanes_of_four(lo, block);
	v_lanes_of_four(hi, block + 4);
	v_join(r, lo, hi);
}

/* the reverse, for four: rows[2 * i] and the next one are block i's */
PD_INLINE void v_blocks_of_four(__m256i rows[8], const __m256i r[8])
{
	__m256i t[8], u[8];

#pragma GCC unroll 8
	for (int l = 0; l < 4; l++)
		V_UNPACK(t, l, 4, r[l], r[l + 4], epi8);
#pragma GCC unroll 8
	for (int k = 0; k < 4; k++)
		V_UNPACK(u, k + (k & 2), 2, t[k + (k & 2)], t[k + (k & 2) + 2], epi8);
#pragma GCC unroll 8
	for (int k = 0; k < 8; k += 2)
		V_UNPACK(t, k, 1, u[k], u[k + 1], epi8);
	/* t[4 * i + q]: rows 2 * q and 2 * q + 1 of blocks i | i + 2 */
#pragma GCC unroll 8
	for (int k = 0; k < 4; k++) {
		rows[k] = _mm256_permute2x128_si256(t[2 * k], t[2 * k + 1], 0x20);
		rows[k + 4] = _mm256_permute2x128_si256(t[2 * k], t[2 * k + 1], 0x31);
	}
}

/* r[l], lane l's words of eight blocks, becomes block l */
PD_INLINE void v_eight_blocks(v64 r[8])
{
	__m256i lo[8], hi[8], rows[16];

	v_split(lo, hi, r);
	v_blocks_of_four(rows, lo);
	v_blocks_of_four(rows + 8, hi);
#pragma GCC unroll 8
	for (int b = 0; b < 8; b++)
		r[b] = (v64){ rows[2 * b], rows[2 * b + 1] };
}

/* four rows of eight blocks: what lane l of block b has, lane b of block l gets */
PD_INLINE void v_exchange_rows(__m256i r[8])
{
	__m256i t[8], u[8];

#pragma GCC unroll 8
	for (int b = 0; b < 8; b++)
		t[b] = v_rows_paired(r[b]);
#pragma GCC unroll 8
	for (int b = 0; b < 4; b++)
		V_UNPACK(u, b, 4, t[b], t[b + 4], epi8);
#pragma GCC unroll 8
	for (int b = 0; b < 4; b++)
		V_UNPACK(t, b + (b & 2), 2, u[b + (b & 2)], u[b + (b & 2) + 2], epi8);
#pragma GCC unroll 8
	for (int b = 0; b < 8; b += 2)
		V_UNPACK(r, b, 1, t[b], t[b + 1], epi8);
}

PD_INLINE void v_eight_exchange(v64 r[8])
{
	__m256i lo[8], hi[8];

	v_split(lo, hi, r);
	v_exchange_rows(lo);
	v_exchange_rows(hi);
	v_join(r, lo, hi);
}

#endif /* PD_VEC_AVX2_H */

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

PD_INLINE void v_stream(void *p, v64 a)
{
	__m256i *q = p;

	_mm256_stream_si256(q, a.lo);
	_mm256_stream_si256(q + 1, a.hi);
}

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

PD_INLINE v64 v_transpose(v64 a)
{
	const __m256i pair = _mm256_broadcastsi128_si256(_mm_set_epi64x(
		0x0f070e060d050c04, 0x0b030a0209010800));
	const __m256i idx = _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0);
	/* rows 0 1 | 4 5 and rows 2 3 | 6 7, each pair interleaved */
	__m256i even = _mm256_shuffle_epi8(
		_mm256_permute2x128_si256(a.lo, a.hi, 0x20), pair);
	__m256i odd = _mm256_shuffle_epi8(
		_mm256_permute2x128_si256(a.lo, a.hi, 0x31), pair);
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

#endif /* PD_VEC_AVX2_H */

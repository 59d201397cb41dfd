/* SPDX-License-Identifier: MIT */
/*
 * A vector of 64 bytes: one block. The same kernel source is compiled once a
 * tier, and this is all that differs between the tiers. Every function is
 * forced inline so that no tier's code is ever shared with another's.
 *
 * Kernels touch memory through v_load(), v_store(), v_stream(), v_lane_get(),
 * v_lane_put(), v_copy(), v_zero(), V_GET() and V_SET(), or tell of it with
 * v_reads() and v_writes(); and transpose with v_transpose(). The tier `count`,
 * compiled with -DPD_COUNT, counts there; the others do nothing more.
 */
#ifndef PD_VEC_H
#define PD_VEC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX2__) && !defined(PD_COUNT)
#include <immintrin.h>
#endif
#ifdef PD_COUNT
#include "runtime/watch/count.h"
#endif

#include "runtime/simd/pick.h"
#include "runtime/simd/stores.h"

#define PD_INLINE static inline __attribute__((always_inline))

/* for what touches memory by other means */
PD_INLINE void v_reads(const void *p, size_t bytes)
{
#ifdef PD_COUNT
	pd_count_read(p, bytes);
#else
	(void)p;
	(void)bytes;
#endif
}

PD_INLINE void v_writes(const void *p, size_t bytes)
{
#ifdef PD_COUNT
	pd_count_write(p, bytes);
#else
	(void)p;
	(void)bytes;
#endif
}

/* an element of an array in memory */
#define V_GET(x)	(v_reads(&(x), sizeof(x)), (x))
#define V_SET(x, value)	(v_writes(&(x), sizeof(x)), (x) = (value))

PD_INLINE void v_copy(void *dst, const void *src, size_t bytes)
{
	v_reads(src, bytes);
	v_writes(dst, bytes);
	memcpy(dst, src, bytes);
}

PD_INLINE void v_zero(void *p, size_t bytes)
{
	v_writes(p, bytes);
	memset(p, 0, bytes);
}

#if !defined(PD_COUNT) && defined(__AVX512BW__) && defined(__AVX512F__)
#define V_AVX512

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

#elif !defined(PD_COUNT) && defined(__AVX2__)
#define V_AVX2

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

#else

/*
 * The compiler's own vectors, of a width that every CPU with vectors has. Named
 * members, not an array: so they are registers.
 */
typedef uint64_t v16 __attribute__((vector_size(16)));
typedef uint8_t v16_bytes __attribute__((vector_size(16)));
typedef struct {
	v16 a, b, c, d;
} v64;
typedef struct pd_pick v64_pick;

/* elements of x and y, these after those, by constant numbers; gcc has the way of
 * clang since 12 */
#ifdef __clang__
#define V_SHUFFLE(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define V_SHUFFLE(x, y, ...) \
	__builtin_shuffle(x, y, (__typeof__(x)){ __VA_ARGS__ })
#endif

PD_INLINE v64 v_load(const void *p)
{
	v64 a;

	v_reads(p, 64);
	memcpy(&a, p, 64);
	return a;
}

PD_INLINE void v_store(void *p, v64 a)
{
	v_writes(p, 64);
	memcpy(p, &a, 64);
}

/* nothing portable goes around the caches; what would is counted */
PD_INLINE void v_stream(void *p, v64 a)
{
#ifdef PD_COUNT
	pd_count_around();
#endif
	v_store(p, a);
}

PD_INLINE v64 v_set1(uint64_t q)
{
	const v16 part = { q, q };

	return (v64){ part, part, part, part };
}

PD_INLINE v64 v_shl(v64 x, unsigned int bits)
{
	const uint64_t n = bits;

	return (v64){ x.a << n, x.b << n, x.c << n, x.d << n };
}

PD_INLINE v64 v_shr(v64 x, unsigned int bits)
{
	const uint64_t n = bits;

	return (v64){ x.a >> n, x.b >> n, x.c >> n, x.d >> n };
}

PD_INLINE v64 v_select(v64 m, v64 x, v64 y)
{
	return (v64){ (x.a & m.a) | (y.a & ~m.a), (x.b & m.b) | (y.b & ~m.b),
		      (x.c & m.c) | (y.c & ~m.c), (x.d & m.d) | (y.d & ~m.d) };
}

PD_INLINE v16 v_zip_low(v16 x, v16 y)
{
	return (v16)V_SHUFFLE((v16_bytes)x, (v16_bytes)y, 0, 16, 1, 17, 2, 18,
			      3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

PD_INLINE v16 v_zip_high(v16 x, v16 y)
{
	return (v16)V_SHUFFLE((v16_bytes)x, (v16_bytes)y, 8, 24, 9, 25, 10, 26,
			      11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/*
 * To zip a vector's halves rotates the bits of each byte's index by one; three
 * times exchanges row and column.
 */
PD_INLINE v64 v_transpose(v64 x)
{
#ifdef PD_COUNT
	pd_count_transfer();
#endif
#pragma GCC unroll 3
	for (int i = 0; i < 3; i++)
		x = (v64){ v_zip_low(x.a, x.c), v_zip_high(x.a, x.c),
			   v_zip_low(x.b, x.d), v_zip_high(x.b, x.d) };
	return x;
}

PD_INLINE void v_transpose_qwords(v64 r[8])
{
	uint64_t q[8][8], t[8][8];

	memcpy(q, r, sizeof(q));
	for (int i = 0; i < 8; i++) {
		for (int j = 0; j < 8; j++)
			t[j][i] = q[i][j];
	}
	memcpy(r, t, sizeof(t));
}

PD_INLINE v16 v_swap_pair(v16 x)
{
	return V_SHUFFLE(x, x, 1, 0);
}

PD_INLINE v64 v_swap_qwords(v64 x, unsigned int mask)
{
	if (mask & 1)
		x = (v64){ v_swap_pair(x.a), v_swap_pair(x.b),
			   v_swap_pair(x.c), v_swap_pair(x.d) };
	if (mask & 2)
		x = (v64){ x.b, x.a, x.d, x.c };
	if (mask & 4)
		x = (v64){ x.c, x.d, x.a, x.b };
	return x;
}

PD_INLINE v64_pick v_pick_prepare(const struct pd_pick *pick)
{
	return *pick;
}

PD_INLINE v64 v_pick(v64 x, const v64_pick *p)
{
	const uint64_t n = p->shift;

	return (v64){ ((x.a & p->mask) >> n) * p->mult,
		      ((x.b & p->mask) >> n) * p->mult,
		      ((x.c & p->mask) >> n) * p->mult,
		      ((x.d & p->mask) >> n) * p->mult };
}

#endif

#ifndef V_AVX512
PD_INLINE void v_lane_get(void *dst, const void *block, unsigned int lane)
{
	const uint8_t *b = block;
	uint8_t *d = dst;

	v_reads(block, 64);
	v_writes(dst, 8);
	for (int i = 0; i < 8; i++)
		d[i] = b[8 * i + lane];
}

PD_INLINE void v_lane_put(void *block, unsigned int lane, const void *src)
{
	const uint8_t *s = src;
	uint8_t *b = block;

	v_reads(src, 8);
	v_writes(block, 64);
	for (int i = 0; i < 8; i++)
		b[8 * i + lane] = s[i];
}
#endif

/* of PD_STORES_AHEAD: far enough for memory to answer, and soon reached */
PD_INLINE void v_ask_ahead(const uint8_t *p)
{
	__builtin_prefetch(p + 512, 1, 2);
}

PD_INLINE void v_put(uint8_t *p, v64 a, enum pd_stores stores)
{
	if (stores == PD_STORES_AROUND) {
		v_stream(p, a);
		return;
	}
	if (stores == PD_STORES_AHEAD)
		v_ask_ahead(p);
	v_store(p, a);
}

/* expand a call for each way to store, `with`, as a constant */
#define V_WITH_STORES(stores, call)					\
	do {								\
		switch (stores) {					\
		case PD_STORES_PLAIN: {					\
			const enum pd_stores with = PD_STORES_PLAIN;	\
			call;						\
			break;						\
		}							\
		case PD_STORES_AHEAD: {					\
			const enum pd_stores with = PD_STORES_AHEAD;	\
			call;						\
			break;						\
		}							\
		default: {						\
			const enum pd_stores with = PD_STORES_AROUND;	\
			call;						\
			break;						\
		}							\
		}							\
	} while (0)

/* after non-temporal stores, before anyone else may look */
PD_INLINE void v_stream_end(void)
{
#ifdef __SSE2__
	__builtin_ia32_sfence();
#endif
}

#endif /* PD_VEC_H */

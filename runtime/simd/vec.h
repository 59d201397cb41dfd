/* SPDX-License-Identifier: MIT */
/*
 * A vector of 64 bytes: one block. The same kernel source is compiled once a
 * tier, and this is all that differs between the tiers. Every function is
 * forced inline so that no tier's code is ever shared with another's.
 *
 * Kernels touch memory through v_load(), v_store(), v_stream(), v_load_qwords(),
 * v_store_qwords(), v_lane_get(), v_lane_put(), v_copy(), v_zero(), V_GET() and V_SET(),
 * or tell of it with v_reads() and v_writes(); and transpose with v_transpose(). The tier
 * `count`, compiled with -DPD_COUNT, counts there; the others do nothing more.
 */
#ifndef PD_VEC_H
#define PD_VEC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
#include "runtime/simd/vec_avx512.h"
#elif !defined(PD_COUNT) && defined(__AVX2__)
#define V_AVX2
#include "runtime/simd/vec_avx2.h"
#elif defined(PD_SVE)
#define V_SVE
#include "runtime/simd/vec_sve.h"
#elif defined(PD_NEON)
#define V_NEON
#include "runtime/simd/vec_neon.h"
#else
#include "runtime/simd/vec_generic.h"
#endif

#ifndef V_LANE_GET
PD_INLINE void v_lane_get(void *dst, const void *block, unsigned int lane)
{
	const uint8_t *b = block;
	uint8_t *d = dst;

	v_reads(block, 64);
	v_writes(dst, 8);
	for (int i = 0; i < 8; i++)
		d[i] = b[8 * i + lane];
}
#endif

#ifndef V_LANE_PUT
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

#ifndef V_SOME_QWORDS
/* load the first n qwords, n below eight, and zeros above; store the first n and no others */
PD_INLINE v64 v_load_qwords(const void *p, size_t n)
{
	v64 a = v_set1(0);

	v_copy(&a, p, 8 * n);
	return a;
}

PD_INLINE void v_store_qwords(void *p, v64 a, size_t n)
{
	v_copy(p, &a, 8 * n);
}
#endif

#ifndef V_TRANSPOSE_QWORDS
/*
 * To zip qwords of eight vectors' halves rotates the bits of their index by one,
 * the vector's number being its upper bits; three times exchanges both.
 */
PD_INLINE void v_transpose_qwords(v64 r[8])
{
#pragma GCC unroll 3
	for (int i = 0; i < 3; i++) {
		v64 t[8];

#pragma GCC unroll 4
		for (int j = 0; j < 4; j++) {
			t[2 * j] = r[j];
			t[2 * j + 1] = r[j + 4];
			v_zip_qwords(&t[2 * j], &t[2 * j + 1]);
		}
#pragma GCC unroll 8
		for (int j = 0; j < 8; j++)
			r[j] = t[j];
	}
}
#endif

#ifndef V_HALVES
/* v_stream() stores a line at once, or nobody has seen that it matters */
#define V_HALVES	0
#endif

#ifndef V_BESIDE
/* memory is read as soon stream after stream, or nobody has seen otherwise */
#define V_BESIDE	0
#endif

#ifndef V_GROUPS_BESIDE
/* and streams of one entangled group after those of another */
#define V_GROUPS_BESIDE	0
#endif

#ifndef V_BANDS
/* and a row that lies end to end from its beginning to its end */
#define V_BANDS		0
#endif

#ifndef V_EIGHTS
/* one by one is as good a way */
#define V_EIGHTS	0

/* r[l]: lane l's words of eight blocks, in the blocks' order */
PD_INLINE void v_eight_lanes(v64 r[8], const uint8_t *const block[8])
{
	for (unsigned int i = 0; i < 8; i++)
		r[i] = v_transpose(v_load(block[i]));
	v_transpose_qwords(r);
}

/* r[l], lane l's words of eight blocks, becomes block l */
PD_INLINE void v_eight_blocks(v64 r[8])
{
	v_transpose_qwords(r);
	for (unsigned int i = 0; i < 8; i++)
		r[i] = v_transpose(r[i]);
}
#endif

/* Ask for a line that PD_STORES_AHEAD will reach soon, when memory has answered. */
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

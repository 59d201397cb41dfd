/* SPDX-License-Identifier: MIT */
/* Vectors of 64 bytes for any CPU, and for the tier that counts. Included by vec.h alone. */
#ifndef PD_VEC_GENERIC_H
#define PD_VEC_GENERIC_H

#include <stdint.h>
#include <string.h>

#include "runtime/simd/pick.h"

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

/* x: a0 b0 a1 b1 a2 b2 a3 b3, of qwords; y: the same of the other halves */
PD_INLINE void v_zip_qwords(v64 *x, v64 *y)
{
	v64 a = *x, b = *y;

	*x = (v64){ V_SHUFFLE(a.a, b.a, 0, 2), V_SHUFFLE(a.a, b.a, 1, 3),
		    V_SHUFFLE(a.b, b.b, 0, 2), V_SHUFFLE(a.b, b.b, 1, 3) };
	*y = (v64){ V_SHUFFLE(a.c, b.c, 0, 2), V_SHUFFLE(a.c, b.c, 1, 3),
		    V_SHUFFLE(a.d, b.d, 0, 2), V_SHUFFLE(a.d, b.d, 1, 3) };
}

/* the reverse */
PD_INLINE void v_unzip_qwords(v64 *x, v64 *y)
{
	v64 a = *x, b = *y;

	*x = (v64){ V_SHUFFLE(a.a, a.b, 0, 2), V_SHUFFLE(a.c, a.d, 0, 2),
		    V_SHUFFLE(b.a, b.b, 0, 2), V_SHUFFLE(b.c, b.d, 0, 2) };
	*y = (v64){ V_SHUFFLE(a.a, a.b, 1, 3), V_SHUFFLE(a.c, a.d, 1, 3),
		    V_SHUFFLE(b.a, b.b, 1, 3), V_SHUFFLE(b.c, b.d, 1, 3) };
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

#endif /* PD_VEC_GENERIC_H */

/* SPDX-License-Identifier: MIT */
/*
 * Vectors of 64 bytes by SVE of a length that the compiler knows: one register of 512
 * bits each, or two of 256. Included by vec.h alone.
 */
#ifndef PD_VEC_SVE_H
#define PD_VEC_SVE_H

#include <arm_neon.h>
#include <arm_sve.h>
#include <stdint.h>

#define V_SVE_BYTES	(__ARM_FEATURE_SVE_BITS / 8)

typedef svuint8_t v_reg __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));

#if __ARM_FEATURE_SVE_BITS == 512
typedef struct {
	v_reg lo;
} v64;
#define V_EACH(f)		((v64){ f(lo) })
#define V_EACH_OF(f, x, y)	((v64){ f((x).lo, (y).lo) })
#elif __ARM_FEATURE_SVE_BITS == 256
typedef struct {
	v_reg lo, hi;
} v64;
/* what f makes of each register, by the name of its member */
#define V_EACH(f)		((v64){ f(lo), f(hi) })
/* the same of those of two vectors */
#define V_EACH_OF(f, x, y)	((v64){ f((x).lo, (y).lo), f((x).hi, (y).hi) })
#else
#error "a block is one or two registers"
#endif
typedef v_reg v64_pick;

/* where a register's bytes lie in the block, by its member's name */
#define V_AT_lo	0
#define V_AT_hi	V_SVE_BYTES

#define V_ALL	svptrue_b8()

PD_INLINE svuint64_t v_qwords(v_reg x)
{
	return svreinterpret_u64_u8(x);
}

PD_INLINE v64 v_load(const void *p)
{
	const uint8_t *q = p;

#define LOAD(part)	svld1_u8(V_ALL, q + V_AT_##part)
	return V_EACH(LOAD);
#undef LOAD
}

PD_INLINE void v_store(void *p, v64 x)
{
	uint8_t *q = p;

	svst1_u8(V_ALL, q, x.lo);
#if V_SVE_BYTES < 64
	svst1_u8(V_ALL, q + V_AT_hi, x.hi);
#endif
}

/* a hint: such stores are ordered like all others */
PD_INLINE void v_stream(void *p, v64 x)
{
	uint8_t *q = p;

	svstnt1_u8(V_ALL, q, x.lo);
#if V_SVE_BYTES < 64
	svstnt1_u8(V_ALL, q + V_AT_hi, x.hi);
#endif
}

PD_INLINE v64 v_set1(uint64_t q)
{
#define SET1(part)	svreinterpret_u8_u64(svdup_n_u64(q))
	return V_EACH(SET1);
#undef SET1
}

PD_INLINE v64 v_shl(v64 x, unsigned int bits)
{
#define SHL(part)	svreinterpret_u8_u64(svlsl_n_u64_x(V_ALL, v_qwords(x.part), bits))
	return V_EACH(SHL);
#undef SHL
}

PD_INLINE v64 v_shr(v64 x, unsigned int bits)
{
#define SHR(part)	svreinterpret_u8_u64(svlsr_n_u64_x(V_ALL, v_qwords(x.part), bits))
	return V_EACH(SHR);
#undef SHR
}

/* byte masks only, which is all that lane masks are: they become predicates */
PD_INLINE v64 v_select(v64 m, v64 x, v64 y)
{
#define SELECT(part)	svsel_u8(svcmpne_n_u8(V_ALL, m.part, 0), x.part, y.part)
	return V_EACH(SELECT);
#undef SELECT
}

/* as many bytes of a table as a register has */
PD_INLINE svuint8_t v_table(const uint8_t bytes[64])
{
	return svld1_u8(V_ALL, bytes);
}

/* the qwords of two registers by a way to pair them */
#define V_PAIRED(way, a, b)	svreinterpret_u8_u64(way(v_qwords(a), v_qwords(b)))

#if V_SVE_BYTES == 64
static const uint8_t v_transposed[64] = {
	0, 8, 16, 24, 32, 40, 48, 56, 1, 9, 17, 25, 33, 41, 49, 57,
	2, 10, 18, 26, 34, 42, 50, 58, 3, 11, 19, 27, 35, 43, 51, 59,
	4, 12, 20, 28, 36, 44, 52, 60, 5, 13, 21, 29, 37, 45, 53, 61,
	6, 14, 22, 30, 38, 46, 54, 62, 7, 15, 23, 31, 39, 47, 55, 63,
};

PD_INLINE v64 v_transpose(v64 x)
{
	return (v64){ svtbl_u8(x.lo, v_table(v_transposed)) };
}

/* x: a0 b0 a1 b1 a2 b2 a3 b3, of qwords; y: the same of the other halves */
PD_INLINE void v_zip_qwords(v64 *x, v64 *y)
{
	v64 a = *x, b = *y;

	x->lo = V_PAIRED(svzip1_u64, a.lo, b.lo);
	y->lo = V_PAIRED(svzip2_u64, a.lo, b.lo);
}

/* the reverse */
PD_INLINE void v_unzip_qwords(v64 *x, v64 *y)
{
	v64 a = *x, b = *y;

	x->lo = V_PAIRED(svuzp1_u64, a.lo, b.lo);
	y->lo = V_PAIRED(svuzp2_u64, a.lo, b.lo);
}

/* qword i becomes qword i ^ mask */
PD_INLINE v64 v_swap_qwords(v64 x, unsigned int mask)
{
	svuint64_t from = sveor_n_u64_x(V_ALL, svindex_u64(0, 1), mask);

	return (v64){ svreinterpret_u8_u64(svtbl_u64(v_qwords(x.lo), from)) };
}
#else
/* of four rows' halves: which byte of them each of the columns' is */
static const uint8_t v_transposed[64] = {
	0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29,
	2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31,
};

PD_INLINE v64 v_transpose(v64 x)
{
	const svuint8_t from = v_table(v_transposed);
	svuint32_t lo = svreinterpret_u32_u8(x.lo), hi = svreinterpret_u32_u8(x.hi);

	/* the left halves of all rows, and the right ones */
	return (v64){ svtbl_u8(svreinterpret_u8_u32(svuzp1_u32(lo, hi)), from),
		      svtbl_u8(svreinterpret_u8_u32(svuzp2_u32(lo, hi)), from) };
}

PD_INLINE void v_transpose_4x4(v_reg r[4])
{
#pragma GCC unroll 2
	for (int i = 0; i < 2; i++) {
		v_reg a = r[0], b = r[1], c = r[2], d = r[3];

		r[0] = V_PAIRED(svzip1_u64, a, c);
		r[1] = V_PAIRED(svzip2_u64, a, c);
		r[2] = V_PAIRED(svzip1_u64, b, d);
		r[3] = V_PAIRED(svzip2_u64, b, d);
	}
}

#define V_TRANSPOSE_QWORDS
/* 8x8 transposition of qwords over eight vectors: of each quarter, and of quarters */
PD_INLINE void v_transpose_qwords(v64 r[8])
{
	v_reg a[4], b[4], c[4], d[4];

#pragma GCC unroll 4
	for (int i = 0; i < 4; i++) {
		a[i] = r[i].lo;
		b[i] = r[i].hi;
		c[i] = r[i + 4].lo;
		d[i] = r[i + 4].hi;
	}
	v_transpose_4x4(a);
	v_transpose_4x4(b);
	v_transpose_4x4(c);
	v_transpose_4x4(d);
#pragma GCC unroll 4
	for (int i = 0; i < 4; i++) {
		r[i] = (v64){ a[i], c[i] };
		r[i + 4] = (v64){ b[i], d[i] };
	}
}

/* x: a0 b0 a1 b1 a2 b2 a3 b3, of qwords; y: the same of the other halves */
PD_INLINE void v_zip_qwords(v64 *x, v64 *y)
{
	v64 a = *x, b = *y;

	*x = (v64){ V_PAIRED(svzip1_u64, a.lo, b.lo), V_PAIRED(svzip2_u64, a.lo, b.lo) };
	*y = (v64){ V_PAIRED(svzip1_u64, a.hi, b.hi), V_PAIRED(svzip2_u64, a.hi, b.hi) };
}

/* the reverse */
PD_INLINE void v_unzip_qwords(v64 *x, v64 *y)
{
	v64 a = *x, b = *y;

	*x = (v64){ V_PAIRED(svuzp1_u64, a.lo, a.hi), V_PAIRED(svuzp1_u64, b.lo, b.hi) };
	*y = (v64){ V_PAIRED(svuzp2_u64, a.lo, a.hi), V_PAIRED(svuzp2_u64, b.lo, b.hi) };
}

/* qword i becomes qword i ^ mask */
PD_INLINE v64 v_swap_qwords(v64 x, unsigned int mask)
{
	svuint64_t from = sveor_n_u64_x(V_ALL, svindex_u64(0, 1), mask & 3);

#define SWAP(part)	svreinterpret_u8_u64(svtbl_u64(v_qwords(x.part), from))
	x = V_EACH(SWAP);
#undef SWAP
	return mask & 4 ? (v64){ x.hi, x.lo } : x;
}
#endif

PD_INLINE v64_pick v_pick_prepare(const struct pd_pick *pick)
{
	const svuint64_t first = svlsl_n_u64_x(V_ALL, svindex_u64(0, 1), 3);
	const svuint64_t each = svmul_n_u64_x(V_ALL, first, 0x0101010101010101);

	return svreinterpret_u8_u64(svorr_n_u64_x(V_ALL, each, pick->idx));
}

PD_INLINE v64 v_pick(v64 x, const v64_pick *pick)
{
#define PICK(part)	svtbl_u8(x.part, *pick)
	return V_EACH(PICK);
#undef PICK
}

/* one lane's word of a block, to and from packed bytes: a byte of each qword */
#define V_LANE_GET
#define V_LANE_PUT
PD_INLINE void v_lane_get(void *dst, const void *block, unsigned int lane)
{
	const v64 x = v_shr(v_load(block), 8 * lane);
	uint8_t *d = dst;

	svst1b_u64(V_ALL, d, v_qwords(x.lo));
#if V_SVE_BYTES < 64
	svst1b_u64(V_ALL, d + V_AT_hi / 8, v_qwords(x.hi));
#endif
}

/* stores the lane's bytes and no others */
PD_INLINE void v_lane_put(void *block, unsigned int lane, const void *src)
{
	const svuint8_t mask = svreinterpret_u8_u64(svdup_n_u64(0xffULL << 8 * lane));
	const svbool_t own = svcmpne_n_u8(V_ALL, mask, 0);
	const uint8_t *s = src;
	uint8_t *b = block;

#define WORD(part)	svreinterpret_u8_u64(svlsl_n_u64_x(V_ALL,			\
				svld1ub_u64(V_ALL, s + V_AT_##part / 8), 8 * lane))
	svst1_u8(own, b, WORD(lo));
#if V_SVE_BYTES < 64
	svst1_u8(own, b + V_AT_hi, WORD(hi));
#endif
#undef WORD
}

#endif /* PD_VEC_SVE_H */

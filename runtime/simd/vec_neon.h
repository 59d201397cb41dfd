/* SPDX-License-Identifier: MIT */
/* Vectors of 64 bytes by NEON: four registers each. Included by vec.h alone. */
#ifndef PD_VEC_NEON_H
#define PD_VEC_NEON_H

#include <arm_neon.h>
#include <stdint.h>

/* named members, not an array: so they are registers */
typedef uint8x16_t v_reg;
typedef struct {
	v_reg a, b, c, d;
} v64;
typedef v_reg v64_pick;

/* what f makes of each register, by the name of its member */
#define V_EACH(f)	((v64){ f(a), f(b), f(c), f(d) })
/* the same of those of two vectors */
#define V_EACH_OF(f, x, y)						\
	((v64){ f((x).a, (y).a), f((x).b, (y).b), f((x).c, (y).c),	\
		f((x).d, (y).d) })

PD_INLINE v64 v_load(const void *p)
{
	const uint8_t *q = p;

	return (v64){ vld1q_u8(q), vld1q_u8(q + 16), vld1q_u8(q + 32),
		      vld1q_u8(q + 48) };
}

PD_INLINE void v_store(void *p, v64 x)
{
	uint8_t *q = p;

	vst1q_u8(q, x.a);
	vst1q_u8(q + 16, x.b);
	vst1q_u8(q + 32, x.c);
	vst1q_u8(q + 48, x.d);
}

/*
 * A hint: what is stored will not be read soon. gcc has no intrinsic of it. Such
 * stores are ordered like all others.
 */
PD_INLINE void v_stream(void *p, v64 x)
{
	struct half {
		uint8_t bytes[32];
	} *q = p;

	__asm__("stnp %q1, %q2, %0" : "=Ump"(q[0]) : "w"(x.a), "w"(x.b));
	__asm__("stnp %q1, %q2, %0" : "=Ump"(q[1]) : "w"(x.c), "w"(x.d));
}

PD_INLINE v64 v_set1(uint64_t q)
{
	const v_reg part = vreinterpretq_u8_u64(vdupq_n_u64(q));

	return (v64){ part, part, part, part };
}

/* to the left, or by less than nothing to the right */
PD_INLINE v64 v_shift(v64 x, int64_t bits)
{
	const int64x2_t n = vdupq_n_s64(bits);

#define SHIFT(part)	vreinterpretq_u8_u64(vshlq_u64(vreinterpretq_u64_u8(x.part), n))
	return V_EACH(SHIFT);
#undef SHIFT
}

PD_INLINE v64 v_shl(v64 x, unsigned int bits)
{
	return v_shift(x, bits);
}

PD_INLINE v64 v_shr(v64 x, unsigned int bits)
{
	return v_shift(x, -(int64_t)bits);
}

/* bits of x where m is set, of y elsewhere */
PD_INLINE v64 v_select(v64 m, v64 x, v64 y)
{
#define SELECT(part)	vbslq_u8(m.part, x.part, y.part)
	return V_EACH(SELECT);
#undef SELECT
}

/*
 * To zip a vector's halves rotates the bits of each byte's index by one; three
 * times exchanges row and column.
 */
PD_INLINE v64 v_transpose(v64 x)
{
#pragma GCC unroll 3
	for (int i = 0; i < 3; i++)
		x = (v64){ vzip1q_u8(x.a, x.c), vzip2q_u8(x.a, x.c),
			   vzip1q_u8(x.b, x.d), vzip2q_u8(x.b, x.d) };
	return x;
}

PD_INLINE v_reg v_low_qwords(v_reg x, v_reg y)
{
	return vreinterpretq_u8_u64(vzip1q_u64(vreinterpretq_u64_u8(x),
					       vreinterpretq_u64_u8(y)));
}

PD_INLINE v_reg v_high_qwords(v_reg x, v_reg y)
{
	return vreinterpretq_u8_u64(vzip2q_u64(vreinterpretq_u64_u8(x),
					       vreinterpretq_u64_u8(y)));
}

/* qwords 2 i and 2 i + 1 of each vector, which lie in one register, are rows 2 i
 * and 2 i + 1 of the result */
#define V_ROWS(t, half, part)						\
	((v64){ half((t)[0].part, (t)[1].part), half((t)[2].part, (t)[3].part), \
		half((t)[4].part, (t)[5].part), half((t)[6].part, (t)[7].part) })

#define V_TRANSPOSE_QWORDS
/* 8x8 transposition of qwords over eight vectors */
PD_INLINE void v_transpose_qwords(v64 r[8])
{
	v64 t[8];

#pragma GCC unroll 8
	for (int i = 0; i < 8; i++)
		t[i] = r[i];
	r[0] = V_ROWS(t, v_low_qwords, a);
	r[1] = V_ROWS(t, v_high_qwords, a);
	r[2] = V_ROWS(t, v_low_qwords, b);
	r[3] = V_ROWS(t, v_high_qwords, b);
	r[4] = V_ROWS(t, v_low_qwords, c);
	r[5] = V_ROWS(t, v_high_qwords, c);
	r[6] = V_ROWS(t, v_low_qwords, d);
	r[7] = V_ROWS(t, v_high_qwords, d);
}

/* x: a0 b0 a1 b1 a2 b2 a3 b3, of qwords; y: the same of the other halves */
PD_INLINE void v_zip_qwords(v64 *x, v64 *y)
{
	v64 a = *x, b = *y;

	*x = (v64){ v_low_qwords(a.a, b.a), v_high_qwords(a.a, b.a),
		    v_low_qwords(a.b, b.b), v_high_qwords(a.b, b.b) };
	*y = (v64){ v_low_qwords(a.c, b.c), v_high_qwords(a.c, b.c),
		    v_low_qwords(a.d, b.d), v_high_qwords(a.d, b.d) };
}

/* the reverse */
PD_INLINE void v_unzip_qwords(v64 *x, v64 *y)
{
	v64 a = *x, b = *y;

	*x = (v64){ v_low_qwords(a.a, a.b), v_low_qwords(a.c, a.d),
		    v_low_qwords(b.a, b.b), v_low_qwords(b.c, b.d) };
	*y = (v64){ v_high_qwords(a.a, a.b), v_high_qwords(a.c, a.d),
		    v_high_qwords(b.a, b.b), v_high_qwords(b.c, b.d) };
}

/* qword i becomes qword i ^ mask */
PD_INLINE v64 v_swap_qwords(v64 x, unsigned int mask)
{
#define SWAP(part)	vextq_u8(x.part, x.part, 8)
	if (mask & 1)
		x = V_EACH(SWAP);
#undef SWAP
	if (mask & 2)
		x = (v64){ x.b, x.a, x.d, x.c };
	if (mask & 4)
		x = (v64){ x.c, x.d, x.a, x.b };
	return x;
}

PD_INLINE v64_pick v_pick_prepare(const struct pd_pick *pick)
{
	const uint64x2_t both = { pick->idx, pick->idx | 0x0808080808080808 };

	return vreinterpretq_u8_u64(both);
}

PD_INLINE v64 v_pick(v64 x, const v64_pick *pick)
{
#define PICK(part)	vqtbl1q_u8(x.part, *pick)
	return V_EACH(PICK);
#undef PICK
}

/* one lane's word of a block, to packed bytes */
#define V_LANE_GET
PD_INLINE void v_lane_get(void *dst, const void *block, unsigned int lane)
{
	const v64 x = v_load(block);
	const uint8x16x4_t table = { { x.a, x.b, x.c, x.d } };
	const uint8x8_t rows = vcreate_u8(0x3830282018100800);

	vst1_u8(dst, vqtbl4_u8(table, vadd_u8(rows, vdup_n_u8((uint8_t)lane))));
}

#endif /* PD_VEC_NEON_H */
